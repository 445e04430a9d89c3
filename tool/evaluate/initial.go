// What helps to write a suite file: a schema for editors, and a first file.

package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/filename"
	"repscope/internal/regular"
	"repscope/internal/run"
)

type object = map[string]any

// modelsSchema is the schema of the key models.
var modelsSchema = object{
	"description": "the order of models in the report, with labels and groups",
	"anyOf": []any{
		object{"type": "array", "items": object{"type": "string"}, "uniqueItems": true},
		object{"type": "object", "additionalProperties": object{"anyOf": []any{
			object{"type": []string{"string", "number", "boolean", "null"}},
			object{"type": "object", "additionalProperties": false,
				"properties": object{"label": object{"type": "string"}, "group": object{"type": "string"}}},
		}}},
	},
}

// writeSchema writes a JSON Schema (draft 2020-12) of suite files.
func writeSchema(w io.Writer, commands []run.Command) error {
	value := object{"description": "a value, a list, or names with values"}
	names := []string{}
	sections, all, schemasOf := object{}, object{}, map[string][]object{}
	for _, c := range commands {
		names = append(names, c.Name)
		options := object{}
		for _, f := range run.Describe(c).Flags {
			if slices.Contains(ownKeys, f.Name) {
				continue
			}
			schema := schemaOf(f)
			options[f.Name], schemasOf[f.Name] = schema, append(schemasOf[f.Name], schema)
		}
		for _, key := range run.TreeNames(c) {
			options[key], all[key] = value, value
		}
		sections[c.Name] = object{"type": []string{"object", "null"}, "description": c.Summary, "properties": options, "additionalProperties": false}
	}
	for name, schemas := range schemasOf {
		all[name] = either(schemas)
	}
	list := object{"anyOf": []any{object{"enum": names}, object{"type": "array", "items": object{"enum": names}, "uniqueItems": true}}}
	matrix := object{"type": "object", "description": "values for the places {name} of patterns", "additionalProperties": object{"type": []string{"array", "string", "number"}}}
	defaults, dataset := object{}, object{}
	for _, from := range []object{all, sections} {
		for name, s := range from {
			defaults[name], dataset[name] = s, s
		}
	}
	dataset["enabled"], dataset["only"], dataset["skip"], dataset["matrix"] = object{"type": "boolean"}, list, list, matrix
	schema := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "a suite of repscope's evaluate", "type": "object",
		"required": []string{"datasets"}, "additionalProperties": false,
		"properties": object{
			"out": object{"type": "string", "description": "the folder of the study"},
			"outcome": object{"type": []string{"string", "object"},
				"description": "a number of summary.csv that others should predict, or options of validate"},
			"models": modelsSchema, "analyses": list, "matrix": matrix,
			"defaults": object{"type": "object", "properties": defaults, "additionalProperties": false},
			"datasets": object{"type": "object", "additionalProperties": object{"type": "object", "properties": dataset, "additionalProperties": false}},
		},
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(schema)
}

// schemaOf is the schema of an option: what a configuration takes for the flag.
func schemaOf(f run.FlagInfo) object {
	one := object{}
	switch f.Type {
	case "bool":
		one["type"] = "boolean"
	case "int", "ints":
		one["type"] = "integer"
	case "float", "floats":
		one["type"] = "number"
	case "size":
		one["type"] = []string{"string", "integer"}
	case "path":
		one["type"] = "string"
	default:
		one["type"] = []string{"string", "number", "boolean"}
	}
	if len(f.Choices) > 0 {
		one = object{"enum": f.Choices}
	}
	lists := f.Type == "ints" || f.Type == "floats" || f.Type == "texts"
	forms := []any{one}
	if lists || f.Repeats {
		forms = append(forms, object{"type": "array", "items": one})
	}
	if lists {
		forms = append(forms, object{"type": "string"}) // values with commas between them
	}
	if f.Repeats {
		forms = append(forms, object{"type": "object", "additionalProperties": object{"anyOf": slices.Clone(forms)}})
	}
	schema := object{"anyOf": forms}
	if len(forms) == 1 {
		schema = one
	}
	schema["description"] = f.Usage
	if value, ok := defaultOf(f, lists); ok {
		schema["default"] = value
	}
	return schema
}

// defaultOf is the value that a flag has without being given, as JSON.
func defaultOf(f run.FlagInfo, lists bool) (any, bool) {
	if f.Default == "" || f.Repeats {
		return nil, false
	}
	text := f.Default
	if lists {
		text = "[" + text + "]"
	}
	var value any
	if f.Type != "path" && f.Type != "text" && f.Type != "texts" && json.Unmarshal([]byte(text), &value) == nil {
		return value, true
	}
	return f.Default, true
}

// either is the schema of an option that several analyses have: what one of them takes, with the description of the
// first.
func either(schemas []object) object {
	var forms []any
	for _, s := range schemas {
		s = maps.Clone(s)
		delete(s, "description")
		delete(s, "default")
		if !slices.ContainsFunc(forms, func(f any) bool { return reflect.DeepEqual(f, s) }) {
			forms = append(forms, s)
		}
	}
	if len(forms) == 1 {
		return schemas[0]
	}
	return object{"description": schemas[0]["description"], "anyOf": forms}
}

// initially are the analyses that a first suite file runs: they need no more than frames and models.
var initially = []string{"smoothness", "robustness", "neighborhood", "manifold", "geometry"}

// initial is a suite file for some files: what looks like frames becomes a dataset, what looks like a model a model.
func initial(files []string, commands []run.Command) (string, error) {
	if len(files) == 0 {
		return "", run.Usage("--init: want the files of the study: frames and models")
	}
	var models, frames []string
	for _, f := range files {
		if err := exists(f); err != nil {
			return "", err
		}
		if isModel(f) {
			models = append(models, f)
		} else {
			frames = append(frames, f)
		}
	}
	var b strings.Builder
	b.WriteString("# A study: run it with \"evaluate FILE\". The same command resumes it after an interruption.\n\n")
	b.WriteString("# out: results            # default: evaluation_plots/<name of this file>\n\n")
	b.WriteString("# Options of all datasets; a name of an analysis has options for it alone.\ndefaults:\n  seed: 42\n  # neighborhood: {k: [5, 10, 20]}\n")
	if len(models) > 0 {
		b.WriteString("  model:                  # patterns such as runs/*/step_*.onnx stand for all files that match\n")
		for i, name := range names(models) {
			fmt.Fprintf(&b, "    %s: %s\n", quoted(name), quoted(models[i]))
		}
	}
	b.WriteString("\nanalyses:                 # which to run; a dataset may have only: or skip:\n")
	for _, c := range commands {
		mark := ""
		if !slices.Contains(initially, c.Name) {
			mark = "# "
		}
		fmt.Fprintf(&b, "  %s- %-16s # %s\n", mark, c.Name, c.Summary)
	}
	b.WriteString("\ndatasets:\n")
	if len(frames) == 0 {
		frames = []string{"frames.npz"}
	}
	for i, c := range contents(frames) {
		c.write(&b, i == 0)
		var lost []string // analyses that the dataset cannot have
		for _, name := range initially {
			command := slices.ContainsFunc(commands, func(c run.Command) bool { return c.Name == name })
			noEncoder := name == "robustness" && len(c.latents) > 0
			noFrames := c.frames == "" && slices.Contains([]string{"smoothness", "robustness", "neighborhood"}, name)
			if command && (noEncoder || noFrames) {
				lost = append(lost, name)
			}
		}
		if len(lost) > 0 {
			fmt.Fprintf(&b, "    skip: [%s]\n", strings.Join(lost, ", "))
		}
	}
	return b.String(), nil
}

// write writes the lines of a dataset; the lines of the first explain the keys.
func (c *content) write(b *strings.Builder, first bool) {
	note := func(text string) string {
		if first {
			return "  # " + text
		}
		return ""
	}
	fmt.Fprintf(b, "  %s:\n", quoted(c.name))
	if c.frames != "" {
		fmt.Fprintf(b, "    frames: %s%s\n", quoted(c.frames), note("FILE or FILE:ARRAY"))
	}
	switch {
	case c.episodes != "":
		fmt.Fprintf(b, "    episodes: %s%s\n", quoted(c.episodes), note("one number per state"))
	case first:
		b.WriteString("    # episodes: FILE:ARRAY\n")
	}
	switch {
	case len(c.latents) > 0:
		fmt.Fprintf(b, "    latents:%s\n", note("arrays [N, D] that an encoder computed before"))
		for _, l := range c.latents {
			fmt.Fprintf(b, "      %s: %s\n", quoted(l.name), quoted(l.value))
		}
	case first:
		b.WriteString("    # latents: {NAME: FILE}\n")
	}
}

// exists finds a file that is not there; an array may be named behind it, and patterns stand for files to come.
func exists(path string) error {
	if strings.ContainsAny(path, "*?{") {
		return nil
	}
	_, err := os.Stat(path)
	if file, _, ok := cutArray(path); ok && errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(file)
	}
	if err != nil {
		return fmt.Errorf("--init: %w", regular.PathError(err))
	}
	return nil
}

// cutArray divides FILE:ARRAY; the colon of a drive is none.
func cutArray(path string) (file, array string, ok bool) {
	if i := strings.LastIndexByte(path, ':'); i > 1 {
		return path[:i], path[i+1:], true
	}
	return path, "", false
}

// names are names for files: without folder and ending, with the folder if two are equal, and numbered if the folder
// is equal too; each can be the name of a folder.
func names(files []string) []string {
	count, list := map[string]int{}, make([]string, len(files))
	for i, f := range files {
		list[i] = stem(f)
		count[list[i]]++
	}
	used := filename.Taken{}
	for i, f := range files {
		name := list[i]
		if folder := filepath.Base(filepath.Dir(f)); count[name] > 1 && folder != "." && folder != string(filepath.Separator) {
			name = filename.Of(unplain.ReplaceAllString(folder, "_") + "_" + name)
		}
		whole := name
		for n := 2; used.Has(name); n++ {
			name = fmt.Sprintf("%s_%d", whole, n)
		}
		list[i] = used.Unique(name, "")
	}
	return list
}

// unplain is what no name of a dataset has, and what a pattern is made of.
var unplain = regexp.MustCompile(`[/\\*?{}:\x00-\x1f]+`)

func stem(path string) string {
	file, _, _ := cutArray(path)
	name := unplain.ReplaceAllString(filename.Stem(file), "_")
	if strings.Trim(name, "._") == "" {
		return "data"
	}
	return filename.Of(name)
}

// bare are texts that YAML takes as they are.
var bare = regexp.MustCompile(`^[\pL_./][\pL\pN_./-]*$`)

// quoted is a text as YAML takes it for one.
func quoted(text string) string {
	if bare.MatchString(text) && !slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(text)) {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // a text of JSON is one of YAML
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return strconv.Quote(text)
	}
	return strings.TrimSpace(b.String())
}
