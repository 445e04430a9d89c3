// Sequence evaluates masked language models of sequences. Run it with --help for its
// manual, with --example on made antibodies.
package main

import (
	"repscope/analysis/sequence/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
