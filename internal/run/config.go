// The YAML configuration file.

package run

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/expand"
	"repscope/internal/regular"
	"repscope/internal/text"
)

// config is a configuration file that is being applied.
type config struct {
	flags *Flags
	path  string
	given map[string]bool // on the command line
	notes []string
	// budget bounds what aliases stand for.
	budget *expand.Budget
}

// applyConfig sets the flags named in a YAML file, but for those given on the
// command line, whose values take the place of the file's. A flag that repeats
// takes a list, or a mapping of names to values; other lists are joined with commas.
// A mapping under the name of a command is a section for that command, whose options
// win over the common ones; other commands ignore it, after a check of its names. A command
// without states ignores common options of commands with states, with a note.
// Paths are relative to the working folder, as on the command line.
//
// Errors are wrong usage, with the line: a file that cannot be read, or anything in
// it that is not understood, with the nearest name.
func applyConfig(flags *Flags, o *Options) error {
	root, err := readConfig(o.config)
	if err != nil || root == nil {
		return err
	}
	c := &config{flags: flags, path: o.config, given: map[string]bool{}, budget: expand.NewBudget(o.Context())}
	flags.Visit(func(f *flag.Flag) { c.given[f.Name] = true })
	var section *yaml.Node
	var common []*yaml.Node // keys and values
	sections := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], resolveAlias(root.Content[i+1])
		names, ok := commandOptions()[key.Value]
		switch {
		case key.Value != flags.Name() && !ok || flags.Lookup(key.Value) != nil:
			common = append(common, key, value)
			continue
		case sections[key.Value]:
			return Usage("%s: section %s appears twice", c.place(key), key.Value)
		case value.Kind == yaml.ScalarNode && value.Tag == "!!null":
			continue // an empty section
		case value.Kind != yaml.MappingNode:
			return Usage("%s: %s is a command: want a section with its options, such as %s: {seed: 1}",
				c.place(key), key.Value, key.Value)
		case key.Value == flags.Name():
			section = value
		default:
			err = c.foreign(key.Value, names, value)
		}
		if err != nil {
			return err
		}
		sections[key.Value] = true
	}
	if err := c.ofAnother(common, section != nil); err != nil {
		return err
	}
	if section != nil {
		if err := c.apply(section.Content, c.given, flags.Name()); err != nil {
			return err
		}
	}
	first := map[string]bool{} // the section's own and what stands on the command line
	flags.Visit(func(f *flag.Flag) { first[f.Name] = true })
	if err := c.apply(common, first, ""); err != nil {
		return err
	}
	o.notes = append(o.notes, c.notes...)
	return nil
}

// ofAnother is the error for a configuration of another program: of two keys or more, most are no
// options of the command.
func (c *config) ofAnother(common []*yaml.Node, section bool) error {
	var unknown []string
	for i := 0; i < len(common); i += 2 {
		name := strings.TrimLeft(common[i].Value, "-")
		if c.flags.Lookup(name) == nil && c.flags.trees[name] == nil && !slices.Contains(c.flags.omitted, name) &&
			!c.ofStates(name) {
			unknown = append(unknown, common[i].Value)
		}
	}
	if section || len(unknown) < 2 || 4*len(unknown) <= len(common) {
		return nil
	}
	return Hint(Usage("configuration %s: %s are not options of %s; check that the file is a repscope configuration", c.path,
		text.Few(unknown, mostWrong), c.flags.Name()),
		cmp.Or(c.flags.fileHint, text.DidYouMean("", unknown[0], configNames(c.flags))))
}

// readConfig returns the mapping that a file consists of, nil if it is empty.
func readConfig(path string) (*yaml.Node, error) {
	data, err := regular.Read(path, regular.Settings)
	if err != nil {
		return nil, Usage("configuration %w", regular.PathError(err))
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, Usage("configuration %s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, Usage("configuration %s, line %d: a second document begins; want one", path, second.Line)
	case !errors.Is(err, io.EOF):
		return nil, Usage("configuration %s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil // comments only
	}
	if root.Kind != yaml.MappingNode {
		return nil, Usage("configuration %s, line %d: want lines of the form name: value", path, root.Line)
	}
	return root, nil
}

// place is where a key stands, for messages.
func (c *config) place(key *yaml.Node) string {
	return fmt.Sprintf("configuration %s, line %d", c.path, key.Line)
}

// apply sets the flags of keys and values, but for those that are settled already. All that is wrong
// is told at once.
func (c *config) apply(content []*yaml.Node, settled map[string]bool, section string) error {
	seen := map[string]bool{}
	var wrong []error
	more := 0
	for i := 0; i < len(content); i += 2 {
		err := c.entry(content[i], resolveAlias(content[i+1]), settled, section, seen)
		switch {
		case err == nil:
		case len(wrong) == mostWrong:
			more++
		default:
			wrong = append(wrong, err)
		}
	}
	if more > 0 {
		wrong = append(wrong, Usage("configuration %s: %d more keys are wrong", c.path, more))
	}
	return errors.Join(wrong...)
}

// mostWrong is the most keys of a configuration that messages tell of.
const mostWrong = 20

// entry sets the flag of one key.
func (c *config) entry(key, value *yaml.Node, settled map[string]bool, section string, seen map[string]bool) error {
	name := OptionName(key.Value)
	f := c.flags.Lookup(name)
	if read := c.flags.trees[name]; read != nil {
		return c.tree(key, value, read, seen)
	}
	switch {
	case f == nil && section == "" && (slices.Contains(c.flags.omitted, name) || c.ofStates(name)):
		c.notes = append(c.notes, fmt.Sprintf("%s: %s has no effect on %s", c.place(key), name, c.flags.Name()))
		return nil
	case f == nil || !configurable(name):
		return c.unknown(key, name)
	case seen[name]:
		return Usage("%s: option %s is given twice", c.place(key), name)
	}
	seen[name] = true
	values, err := configValues(f, value)
	if err != nil {
		return Usage("%s: option %s: %w", c.place(key), name, err)
	}
	if settled[name] {
		if r, ok := f.Value.(repeater); ok && r.Repeats() && c.given[name] {
			c.notes = append(c.notes, fmt.Sprintf("--%s replaces all values that %s has under %s", name, c.path, name))
		}
		return nil
	}
	for _, v := range values {
		if err := c.flags.set(name, v); err != nil {
			return wrongValue(c.place(key)+": option "+name, v, err)
		}
	}
	return nil
}

// tree reads what stands under a key that is no flag, unless a section of the command had it.
func (c *config) tree(key, value *yaml.Node, read func(b *Branch) error, seen map[string]bool) error {
	if seen[key.Value] {
		return Usage("%s: %s is given twice", c.place(key), key.Value)
	}
	seen[key.Value] = true
	b, err := c.branch(key, value)
	if err != nil || slices.ContainsFunc(c.flags.branches, func(read *Branch) bool { return read.Key == b.Key }) {
		return err
	}
	c.flags.branches = append(c.flags.branches, b)
	return read(b)
}

// ofStates reports whether an option belongs to several commands with states while this command has none.
func (c *config) ofStates(name string) bool {
	ofFrames, n := owners("frames"), 0
	for _, owner := range owners(name) {
		if slices.Contains(ofFrames, owner) {
			n++
		}
	}
	return c.flags.Lookup("frames") == nil && n > 1 && configurable(name)
}

// unknown is the error for an option that the command does not have.
func (c *config) unknown(key *yaml.Node, name string) error {
	hints := []string{elsewhere("", name, configNames(c.flags))}
	if owners := owners(name); len(owners) > 0 && configurable(name) {
		hints = append(hints, fmt.Sprintf("put it into a section: %s: {%s: …}", owners[0], name))
	}
	return Hint(Usage("%s: unknown option %q", c.place(key), key.Value), hints...)
}

// foreign finds options in another command's section which that does not have.
func (c *config) foreign(command string, names []string, section *yaml.Node) error {
	for i := 0; i < len(section.Content); i += 2 {
		key := section.Content[i]
		if name := OptionName(key.Value); !slices.Contains(names, name) {
			return Hint(Usage("%s: unknown option %q of %s", c.place(key), key.Value, command), text.DidYouMean("", name, names))
		}
	}
	return nil
}

// OptionName is the name of an option for a key of a configuration: hyphens in front are left out, and underscores are
// hyphens, as on the command line.
func OptionName(key string) string {
	return strings.ReplaceAll(strings.TrimLeft(key, "-"), "_", "-")
}

// configurable reports whether an option can stand in a configuration.
func configurable(name string) bool { return name != "config" && name != "version" && name != "shard" }

// configNames are the names that a configuration may hold.
func configNames(flags *Flags) []string {
	names := slices.DeleteFunc(flags.names(), func(name string) bool { return !configurable(name) })
	return append(names, slices.Sorted(maps.Keys(flags.trees))...)
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
		if !repeats && single(f.Value) {
			return nil, fmt.Errorf("found a list, [%s]; want one value", strings.Join(values, ", "))
		}
		if !repeats || joins && !slices.ContainsFunc(values, Named) {
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
				values = append(values, JoinName(name, text))
			}
		}
		return values, nil
	}
	if single(f.Value) {
		return nil, errors.New("found a mapping; want one value")
	}
	return nil, errors.New("found a mapping; want a plain value or a list")
}

// single reports whether a flag takes one value that no comma divides.
func single(v flag.Value) bool {
	switch v.(type) {
	case *filePath, *yes, *natural, *number, *count, *size, *length:
		return true
	}
	return false
}

func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
