// Robustness measures how far latents move when frames are corrupted. Run it
// with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/robustness/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
