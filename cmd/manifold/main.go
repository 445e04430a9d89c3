// Manifold measures how many dimensions representations really use. Run it with
// --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/manifold/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
