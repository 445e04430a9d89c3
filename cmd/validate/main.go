// Validate tells whether numbers without labels predict an outcome, and what choosing checkpoints by them costs.
// Run it with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/internal/run"
	"repscope/suite"
	"repscope/tool/validate"
)

func main() { run.Main(validate.New(suite.Analyses())) }
