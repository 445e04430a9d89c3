// Evaluate runs a whole study from one file. Run it with --help for its manual, with
// --init FILES… for a first suite file.
package main

import (
	"repscope/internal/run"
	"repscope/suite"
	"repscope/tool/evaluate"
)

func main() { run.Main(evaluate.New(suite.Analyses(), suite.Validate())) }
