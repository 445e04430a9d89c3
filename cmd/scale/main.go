// Scale divides analyses over processes and machines and merges what they leave. Run it
// with --help for its commands.
package main

import (
	"repscope/internal/run"
	"repscope/suite"
	"repscope/tool/scale"
)

func main() { run.Main(scale.New(suite.Analyses(), suite.Studies())) }
