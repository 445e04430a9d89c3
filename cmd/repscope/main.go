// Repscope is all binaries in one program: "repscope smoothness --example", or
// smoothness where a link of that name points to it.
package main

import (
	"repscope/suite"
	"repscope/tool/repscope"
)

func main() { repscope.Main(suite.Commands()) }
