// Neighborhood measures how well encoders keep the neighborhoods of the
// original states. Run it with --help for its manual, with --example on the
// built-in example.
package main

import (
	"repscope/analysis/neighborhood/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
