// Tests that every binary knows the options of the others, for hints.

package suite

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
)

var update = flag.Bool("update", false, "write the table of options")

// The table that package run embeds has the options of every command; -update writes it.
func TestOptionTable(t *testing.T) {
	t.Parallel()
	const path = "../internal/run/options.txt"
	commands := map[string][]string{}
	for _, c := range Commands() {
		for _, option := range append(run.FlagNames(c), run.TreeNames(c)...) {
			if option != "config" && option != "version" && option != "shard" { // a configuration holds neither
				commands[option] = append(commands[option], c.Name)
			}
		}
	}
	var table strings.Builder
	for _, option := range slices.Sorted(maps.Keys(commands)) {
		table.WriteString(option + ": " + strings.Join(commands[option], " ") + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(table.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(was) != table.String() {
		t.Errorf("%s is not that of the commands; write it with: go test ./suite -run OptionTable -update", path)
	}
}
