// Reconstruction compares predicted with true next frames. Run it with --help for its
// manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/reconstruction/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
