// Generation measures what generative models make: grids, rows of numbers, and their latents.
// Run it with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/generation/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
