// List prints the analyses of the suite that take the built-in example for the Makefile, a name on each line; with
// --figures also the flags with which the figures of the documentation are made.
package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/suite"
)

func main() {
	figures := flag.Bool("figures", false, "print flags next to the names")
	flag.Parse()
	for _, e := range suite.All() {
		if !e.Analysis || !slices.Contains(run.FlagNames(e.Command), "example") {
			continue
		}
		line := e.Name
		if *figures {
			line = strings.TrimSpace(line + " " + strings.Join(e.Figure, " "))
		}
		fmt.Println(line)
	}
}
