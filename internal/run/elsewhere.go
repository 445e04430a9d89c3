// Options of other binaries, for hints and for the sections of a configuration.

package run

import (
	_ "embed"
	"strings"
	"sync"

	"repscope/internal/text"
)

// optionTable has a line for each option: its name, a colon, the binaries that have it. A
// test of package suite, which knows them all, writes it.
//
//go:embed options.txt
var optionTable string

// commandOptions are the options of every binary that a configuration may hold.
var commandOptions = sync.OnceValue(func() map[string][]string {
	options := map[string][]string{}
	for line := range strings.Lines(optionTable) {
		option, commands, _ := strings.Cut(line, ":")
		for name := range strings.FieldsSeq(commands) {
			options[name] = append(options[name], option)
		}
	}
	return options
})

// owners are the binaries that have an option, the analyses first.
func owners(option string) []string {
	for line := range strings.Lines(optionTable) {
		if commands, ok := strings.CutPrefix(line, option+":"); ok {
			return strings.Fields(commands)
		}
	}
	return nil
}

// elsewhere is the hint for an option that a command does not have: whose it is, or the
// nearest of the command's own, before which the prefix is put.
func elsewhere(prefix, name string, names []string) string {
	if others := owners(name); len(others) > 0 {
		return prefix + name + " is an option of " + strings.Join(others, ", ")
	}
	return text.DidYouMean(prefix, name, names)
}
