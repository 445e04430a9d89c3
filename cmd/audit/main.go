// Audit tells whether test states are independent of training states.
// Run it with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/audit/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
