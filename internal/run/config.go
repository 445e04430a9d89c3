// The YAML configuration file.

package run

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// applyConfig sets the flags named in a YAML file, but for those given on the
// command line. A flag that repeats takes a list, or a mapping of names to
// values; other lists are joined with commas. Paths are relative to the working
// folder, as on the command line.
//
// Errors: a file that cannot be read; wrong usage for anything in it that is
// not understood, with its line and the nearest name.
func applyConfig(flags *Flags, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("configuration %w", PathError(err))
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return Usage("configuration %s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil // an empty file
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return Usage("configuration %s, line %d: want lines of the form name: value", path, root.Line)
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], resolveAlias(root.Content[i+1])
		name := strings.TrimLeft(key.Value, "-")
		place := fmt.Sprintf("configuration %s, line %d", path, key.Line)
		f := flags.Lookup(name)
		switch {
		case f == nil || name == "config" || name == "version":
			return Hint(Usage("%s: unknown option %q", place, key.Value), DidYouMean("", name, configNames(flags)))
		case seen[name]:
			return Usage("%s: option %s is given twice", place, name)
		}
		seen[name] = true
		values, err := configValues(f, value)
		if err != nil {
			return Usage("%s: option %s: %w", place, name, err)
		}
		if given[name] {
			continue
		}
		for _, v := range values {
			if err := flags.Set(name, v); err != nil {
				return splitHint(Usage("%s: option %s: %w", place, name, err))
			}
		}
	}
	return nil
}

// configNames are the names that a configuration may hold.
func configNames(flags *Flags) []string {
	var names []string
	for _, name := range flags.names() {
		if name != "config" && name != "version" {
			names = append(names, name)
		}
	}
	return names
}

// configValues turns a YAML value into the texts to set a flag to.
func configValues(f *flag.Flag, value *yaml.Node) ([]string, error) {
	r, ok := f.Value.(repeater)
	repeats := ok && r.Repeats()
	j, ok := f.Value.(joiner)
	joins := ok && j.Joins()
	_, lists := f.Value.(lister)
	switch value.Kind {
	case yaml.ScalarNode:
		if value.Tag == "!!null" {
			return nil, errors.New("it has no value")
		}
		return []string{value.Value}, nil
	case yaml.SequenceNode:
		var values []string
		for _, item := range value.Content {
			item = resolveAlias(item)
			if item.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: want a list of plain values", item.Line)
			}
			values = append(values, item.Value)
		}
		if !repeats || joins && !slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, "=") }) {
			return []string{strings.Join(values, ",")}, nil
		}
		return values, nil
	case yaml.MappingNode:
		if !repeats {
			break
		}
		var values []string
		for i := 0; i < len(value.Content); i += 2 {
			item := resolveAlias(value.Content[i+1])
			name := value.Content[i].Value
			texts := []string{item.Value}
			if item.Kind != yaml.ScalarNode {
				var err error
				if item.Kind != yaml.SequenceNode || !joins && !lists {
					return nil, fmt.Errorf("line %d: want a plain value for %s", item.Line, name)
				}
				if texts, err = configValues(f, item); err != nil {
					return nil, err
				}
			}
			for _, text := range texts {
				values = append(values, name+"="+text)
			}
		}
		return values, nil
	}
	return nil, errors.New("want a plain value or a list")
}

func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
