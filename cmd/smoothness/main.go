// Smoothness measures how evenly encoders map small changes of the state to
// small changes of the latent. Run it with --help for its manual, with --example
// on the built-in example.
package main

import (
	"repscope/analysis/smoothness/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
