// Compare sets the results of models side by side. Run it with --help for its manual,
// with --example on a made study.
package main

import (
	"repscope/internal/run"
	"repscope/tool/compare"
)

func main() { run.Main(compare.Command) }
