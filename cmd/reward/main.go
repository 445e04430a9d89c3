// Reward measures what can be read from latents, and from predicted latents, by probes.
// Run it with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/reward/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
