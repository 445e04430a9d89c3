// Canvas scores generated interface designs against references. Run it with --help for its
// manual, with --example on made screens of graded damage.
package main

import (
	"repscope/analysis/canvas/command"
	"repscope/internal/run"
)

func main() { run.Main(command.Command) }
