// Surprise tells whether models of dynamics notice what cannot happen.
// Run it with --help for its manual, with --example on the built-in example.
package main

import (
	"repscope/analysis/surprise/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
