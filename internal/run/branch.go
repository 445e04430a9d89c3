// Parts of a configuration that are no flags.

package run

import (
	"errors"
	"flag"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"repscope/internal/text"
	"repscope/report"
)

// Branch is a part of a configuration below a key that is no flag: a value, a list or a
// mapping, with its place for messages.
type Branch struct {
	Key   string
	Place string // "configuration run.yaml, line 7"
	// Value of a leaf: nil, bool, int, float64 or string.
	Value any
	// List and Members of a list and of a mapping, in their order; nil if it is none.
	List, Members []Branch

	leaf *yaml.Node // as it stands in the configuration, of a value
}

// Errorf is wrong usage at the place of the branch.
func (b *Branch) Errorf(format string, args ...any) error {
	return Usage("%s: %w", b.Place, fmt.Errorf(format, args...))
}

// Member is the member of a key; nil where there is none.
func (b *Branch) Member(key string) *Branch {
	if i := slices.IndexFunc(b.Members, func(m Branch) bool { return m.Key == key }); i >= 0 {
		return &b.Members[i]
	}
	return nil
}

// Known is wrong usage of all keys that are none of those, each with the nearest one.
func (b *Branch) Known(keys ...string) error {
	var wrong []error
	for i := range b.Members {
		if m := &b.Members[i]; !slices.Contains(keys, m.Key) {
			wrong = append(wrong, Hint(m.Errorf("unknown key %q of %s", m.Key, b.Key), text.DidYouMean("", m.Key, keys)))
		}
	}
	return errors.Join(wrong...)
}

// plain is the branch as the result file holds it.
func (b *Branch) plain() any {
	switch {
	case b.Members != nil:
		var o report.Object
		for i := range b.Members {
			o.Set(b.Members[i].Key, b.Members[i].plain())
		}
		return o
	case b.List != nil:
		list := []any{}
		for i := range b.List {
			list = append(list, b.List[i].plain())
		}
		return list
	}
	return b.Value
}

// yaml is the branch as a configuration holds it.
func (b *Branch) yaml() *yaml.Node {
	switch {
	case b.Members != nil:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for i := range b.Members {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: b.Members[i].Key}, b.Members[i].yaml())
		}
		return n
	case b.List != nil:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range b.List {
			n.Content = append(n.Content, b.List[i].yaml())
		}
		return n
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: b.leaf.Tag, Style: b.leaf.Style, Value: b.leaf.Value}
}

// Given reports whether a flag has a value from the command line or the configuration.
func (f *Flags) Given(name string) bool {
	given := false
	f.Visit(func(fl *flag.Flag) { given = given || fl.Name == name })
	return given
}

// Tree takes what a configuration holds under a key that is no flag, before the checks. Other
// commands leave the key to sections, as an option. It is recorded under the options of the result.
func (f *Flags) Tree(key string, read func(b *Branch) error) {
	if f.trees == nil {
		f.trees = map[string]func(b *Branch) error{}
	}
	f.trees[key] = read
}

// branch is the part of a file below a key. Errors: a key that stands twice, a value that [Branch]
// cannot hold.
func (c *config) branch(key, value *yaml.Node) (*Branch, error) {
	b := &Branch{Key: key.Value, Place: c.place(key)}
	if err := c.budget.Take(c.place(key) + ": " + key.Value); err != nil {
		return nil, Usage("%w", err)
	}
	value = resolveAlias(value)
	switch value.Kind {
	case yaml.MappingNode:
		b.Members = []Branch{}
		seen := map[string]bool{}
		for i := 0; i < len(value.Content); i += 2 {
			m, err := c.branch(value.Content[i], value.Content[i+1])
			if err != nil {
				return nil, err
			}
			if seen[m.Key] {
				return nil, m.Errorf("%s is given twice", m.Key)
			}
			seen[m.Key] = true
			b.Members = append(b.Members, *m)
		}
	case yaml.SequenceNode:
		b.List = []Branch{}
		for _, item := range value.Content {
			m, err := c.branch(&yaml.Node{Value: key.Value, Line: item.Line}, item)
			if err != nil {
				return nil, err
			}
			b.List = append(b.List, *m)
		}
	default:
		b.leaf = value
		if err := value.Decode(&b.Value); err != nil {
			return nil, b.Errorf("%s cannot be read: %v", b.Key, err)
		}
		switch b.Value.(type) {
		case nil, bool, int, float64, string:
		default:
			return nil, b.Errorf("%s is %v; want a number, a text, true or false", b.Key, value.Value)
		}
	}
	return b, nil
}
