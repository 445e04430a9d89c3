// The flags of a command as data: for completions, manual pages and other languages.

package run

import (
	"flag"
	"slices"
	"strings"
)

// A Description is what the help of a command says, as data.
type Description struct {
	Name      string     `json:"name"`
	Summary   string     `json:"summary"`
	Manual    string     `json:"manual"`
	Arguments string     `json:"arguments"` // what it takes besides flags; empty for nothing
	Usage     []string   `json:"usage"`     // how it is called, without its name
	Flags     []FlagInfo `json:"flags"`     // in the order of the help
	// Commands of a command that is several, with the name of both: "scale merge".
	Commands []Description `json:"commands,omitempty"`
}

// AllFlags are the flags of a command, or of all its commands, each name once.
func (d *Description) AllFlags() []FlagInfo {
	if len(d.Commands) == 0 {
		return d.Flags
	}
	var all []FlagInfo
	for _, c := range d.Commands {
		for _, f := range c.Flags {
			if !slices.ContainsFunc(all, func(g FlagInfo) bool { return g.Name == f.Name }) {
				all = append(all, f)
			}
		}
	}
	return all
}

// A FlagInfo is a flag of a command.
type FlagInfo struct {
	Name        string `json:"name"`
	Placeholder string `json:"placeholder"` // what its value is called; empty for a flag without one
	Usage       string `json:"usage"`
	Default     string `json:"default"`
	// Type of the value: "bool", "int", "float", "ints", "floats", "texts" (separated by commas),
	// "size" (bytes), "path" or "text".
	Type    string   `json:"type"`
	Choices []string `json:"choices,omitempty"` // that the value, or each of a list, is one of
	Repeats bool     `json:"repeats"`           // may be given several times
	Group   string   `json:"group"`             // its heading in the help
}

// Describe returns the description of a command.
func Describe(c Command) Description {
	if len(c.Commands) > 0 {
		whole, _, _ := c.chosen(nil)
		whole.Commands = nil
		d := Describe(whole)
		for _, sub := range c.Commands {
			sub.Name = c.Name + " " + sub.Name
			d.Commands = append(d.Commands, Describe(sub))
		}
		return d
	}
	flags := newFlags(c.Name)
	job := c.Setup(flags)
	(&Options{}).register(flags, &c, job)
	d := Description{Name: c.Name, Summary: c.Summary, Manual: strings.TrimSpace(c.Manual), Arguments: c.Arguments, Usage: usageLines(&c, flags)}
	for _, section := range sections(&c, flags) {
		for _, f := range section.flags {
			placeholder, usage := flag.UnquoteUsage(f)
			info := FlagInfo{Name: f.Name, Placeholder: placeholder, Usage: usage, Default: f.DefValue, Group: section.title,
				Type: typeOf(f.Value), Choices: slices.Clone(flags.choices[f.Name])}
			if r, ok := f.Value.(repeater); ok {
				info.Repeats = r.Repeats()
			}
			d.Flags = append(d.Flags, info)
		}
	}
	return d
}

func typeOf(value flag.Value) string {
	switch v := value.(type) {
	case interface{ IsBoolFlag() bool }:
		if v.IsBoolFlag() {
			return "bool"
		}
	case *count, *natural:
		return "int"
	case *number:
		return "float"
	case *list[int]:
		return "ints"
	case *list[float64]:
		return "floats"
	case *list[string]:
		return "texts"
	case *size:
		return "size"
	case *filePath:
		return "path"
	}
	return "text"
}
