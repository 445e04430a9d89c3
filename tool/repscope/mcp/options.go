// Options of analyses: their JSON Schema, and the arguments of a command line that a JSON object stands for.

package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// ownOptions are set by the server, or name files that a check cannot see.
var ownOptions = []string{"cache", "config", "dry-run", "json", "out", "quiet", "shard", "verbose", "version"}

// mostOptions is the most values of a call.
const mostOptions = 1000

// offered are the commands that clients may run with options: all of one step. evaluate has a tool of its own, which
// checks the suite, and scale starts programs.
func offered(commands []run.Command) []run.Command {
	return slices.DeleteFunc(slices.Clone(commands), func(c run.Command) bool {
		return len(c.Commands) > 0 || c.Name == studyCommand || c.Setup == nil
	})
}

// find returns the command of a name.
func (s *server) find(name string) (run.Command, error) {
	names := make([]string, len(s.commands))
	for i, c := range s.commands {
		if c.Name == name {
			return c, nil
		}
		names[i] = c.Name
	}
	err := run.Usage("analysis %q: want one of %s", name, strings.Join(names, ", "))
	return run.Command{}, run.Hint(err, text.DidYouMean("", name, names))
}

// schemaOf is the JSON Schema of the options of a command.
func (s *server) schemaOf(c run.Command) object {
	description := run.Describe(c)
	writing := run.WritingFlags(c)
	properties := object{}
	for _, f := range description.AllFlags() {
		if slices.Contains(ownOptions, f.Name) || !s.write && slices.Contains(writing, f.Name) {
			continue
		}
		properties[f.Name] = schemaOfFlag(&f)
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

// schemaOfFlag describes one option.
func schemaOfFlag(f *run.FlagInfo) object {
	value := object{"type": "string"}
	switch f.Type {
	case "bool":
		value["type"] = "boolean"
	case "int":
		value["type"] = "integer"
	case "float":
		value["type"] = "number"
	case "ints", "floats", "texts":
		item := object{"type": map[string]string{"ints": "integer", "floats": "number", "texts": "string"}[f.Type]}
		if len(f.Choices) > 0 {
			item["enum"] = f.Choices
		}
		value = object{"type": "array", "items": item}
	default:
		if len(f.Choices) > 0 && !f.Repeats {
			value["enum"] = f.Choices
		}
	}
	if f.Repeats {
		value = object{"anyOf": []object{value, {"type": "array"}, {"type": "object",
			"description": "names and their values"}}}
	}
	value["description"] = f.Usage
	if f.Default != "" {
		value["default"] = f.Default
	}
	return value
}

// runCall are the arguments of a run.
type runCall struct {
	Analysis  string          `json:"analysis"`
	Options   json.RawMessage `json:"options"`
	Arguments []string        `json:"arguments"`
	Out       string          `json:"out"`
	Figures   string          `json:"figures"`
}

// commandLine checks a call and returns its command line without what the server adds.
func (s *server) commandLine(call *runCall) (c run.Command, args []string, err error) {
	if c, err = s.find(call.Analysis); err != nil {
		return c, nil, err
	}
	checker := &optionChecker{server: s, flags: map[string]run.FlagInfo{}, reading: run.ReadingFlags(c),
		writing: run.WritingFlags(c)}
	description := run.Describe(c)
	for _, f := range description.AllFlags() {
		checker.flags[f.Name] = f
		checker.names = append(checker.names, f.Name)
	}
	var options report.Object
	if len(call.Options) > 0 && string(call.Options) != "null" {
		value, err := report.Parse("options", call.Options)
		if err != nil {
			return c, nil, run.Usage("%w", err)
		}
		var ok bool
		if options, ok = value.(report.Object); !ok {
			return c, nil, run.Usage("options: want an object")
		}
	}
	for _, key := range options.Keys() {
		value, _ := options.Get(key)
		more, err := checker.arguments(key, value)
		if err != nil {
			return c, nil, err
		}
		if args = append(args, more...); len(args) > mostOptions {
			return c, nil, run.Usage("options: more than %d values", mostOptions)
		}
	}
	if len(call.Arguments) == 0 {
		return c, args, nil
	}
	if c.Arguments == "" || len(call.Arguments) > mostOptions {
		return c, nil, run.Usage("arguments: %s takes none; name files by its options", c.Name)
	}
	for _, argument := range call.Arguments {
		if err := s.roots.check(argument, true); err != nil {
			return c, nil, err
		}
	}
	return c, append(append(args, "--"), call.Arguments...), nil
}

// optionChecker makes arguments of the options of a command.
type optionChecker struct {
	server           *server
	flags            map[string]run.FlagInfo
	names            []string
	reading, writing []string
}

// arguments returns the arguments of one option.
func (c *optionChecker) arguments(key string, value any) ([]string, error) {
	name := run.OptionName(key)
	f, ok := c.flags[name]
	switch {
	case !ok:
		return nil, run.Hint(run.Usage("options: unknown option %q", key), text.DidYouMean("", name, c.names))
	case slices.Contains(ownOptions, name):
		return nil, run.Usage("options: %s is set by the server", name)
	case slices.Contains(c.writing, name) && !c.server.write:
		return nil, run.Hint(run.Usage("options: %s writes a file, and the server may not", name),
			"start repscope mcp with --write")
	}
	texts, err := textsOf(&f, value)
	if err != nil {
		return nil, run.Usage("options: %s: %w", name, err)
	}
	var args []string
	for _, value := range texts {
		if err := c.check(name, f.Type, value); err != nil {
			return nil, err
		}
		args = append(args, "--"+name+"="+value)
	}
	return args, nil
}

// check finds a path outside the roots, and one that is to be written outside the output folder.
func (c *optionChecker) check(name, kind, value string) error {
	if slices.Contains([]string{"bool", "int", "float", "ints", "floats", "size"}, kind) {
		return nil
	}
	writes := slices.Contains(c.writing, name)
	strict := writes || kind == "path" || slices.Contains(c.reading, name)
	if err := c.server.roots.check(value, strict); err != nil {
		return fmt.Errorf("options: %s: %w", name, err)
	}
	if !writes {
		return nil
	}
	for path := range strings.SplitSeq(value, ",") {
		whole, _, err := c.server.roots.resolve(strings.TrimSpace(path))
		if err != nil {
			return fmt.Errorf("options: %s: %w", name, err)
		}
		if !inside(c.server.out, whole) {
			return run.Usage("options: %s %s: want a file in the output folder %s", name, path, c.server.out)
		}
	}
	return nil
}

// textsOf are the texts of a value: each is one use of the flag.
func textsOf(f *run.FlagInfo, value any) ([]string, error) {
	switch v := value.(type) {
	case []any:
		items, err := scalars(v)
		if err != nil || f.Repeats {
			return items, err
		}
		return []string{strings.Join(items, ",")}, nil
	case report.Object:
		if !f.Repeats {
			return nil, fmt.Errorf("found an object; want one value")
		}
		var texts []string
		for _, name := range v.Keys() {
			item, _ := v.Get(name)
			list, ok := item.([]any)
			if !ok {
				list = []any{item}
			}
			items, err := scalars(list)
			if err != nil {
				return nil, err
			}
			texts = append(texts, run.JoinName(name, strings.Join(items, ",")))
		}
		return texts, nil
	}
	return scalars([]any{value})
}

// scalars are the texts of plain values.
func scalars(values []any) ([]string, error) {
	texts := make([]string, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case string:
			texts[i] = v
		case bool, json.Number:
			texts[i] = fmt.Sprint(v)
		default:
			return nil, fmt.Errorf("want a text, a number, true or false, or a list of them")
		}
	}
	return texts, nil
}
