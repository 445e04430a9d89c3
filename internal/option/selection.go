// Names and aliases out of a registry, such as --metrics.

package option

import (
	"fmt"
	"slices"
	"strings"

	"repscope/internal/text"
)

// Named is an entry of a registry.
type Named struct {
	Name    string
	Aliases []string
}

// Select returns the names that a list of names and aliases stands for, in the order of the registry, each once; all
// of them for an empty list. An unknown name is an error that lists the registry.
func Select(registry []Named, list []string) ([]string, error) {
	chosen := make([]bool, len(registry))
	for _, name := range list {
		i := slices.IndexFunc(registry, func(e Named) bool { return e.Name == name || slices.Contains(e.Aliases, name) })
		if i < 0 {
			var names []string
			for _, e := range registry {
				names = append(append(names, e.Name), e.Aliases...)
			}
			err := fmt.Errorf("unknown metric %q; the metrics are %s", name, Listing(registry))
			return nil, text.WithHint(err, text.DidYouMean("", name, names))
		}
		chosen[i] = true
	}
	var names []string
	for i, e := range registry {
		if chosen[i] || len(list) == 0 {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

// Listing names all entries with their aliases, for a help or an error.
func Listing(registry []Named) string {
	parts := make([]string, len(registry))
	for i, e := range registry {
		parts[i] = e.Name
		if len(e.Aliases) > 0 {
			parts[i] += " (" + strings.Join(e.Aliases, ", ") + ")"
		}
	}
	return strings.Join(parts, ", ")
}

// Selection declares a comma-separated list of names; selected returns what they stand for.
func (l *List) Selection(field *[]string, name string, selected func(list []string) ([]string, error),
	usage string) *Option {
	return l.Var(&selection{field, selected}, name, usage)
}

type selection struct {
	field    *[]string
	selected func(list []string) ([]string, error)
}

func (s *selection) String() string {
	if s.field == nil {
		return "" // the zero value, which package flag asks for
	}
	return strings.Join(*s.field, ",")
}

func (s *selection) Get() any { return *s.field }

func (s *selection) Set(list string) error {
	names := strings.Split(list, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	chosen, err := s.selected(names)
	if err == nil {
		*s.field = chosen
	}
	return err
}
