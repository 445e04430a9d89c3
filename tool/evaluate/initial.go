// What helps to write a suite file: a schema for editors, and a first file.

package evaluate

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/run"
)

// writeSchema writes a JSON Schema (draft 2020-12) of suite files.
func writeSchema(w io.Writer, commands []run.Command) error {
	type object = map[string]any
	value := object{"description": "a value, a list, or names with values"}
	names := []string{}
	sections, all := object{}, object{}
	for _, c := range commands {
		names = append(names, c.Name)
		options := object{}
		run.VisitFlags(c, func(f *flag.Flag) {
			if slices.Contains(ownKeys, f.Name) {
				return
			}
			_, usage := flag.UnquoteUsage(f)
			options[f.Name] = object{"description": usage}
			if all[f.Name] == nil {
				all[f.Name] = options[f.Name]
			}
		})
		for _, key := range run.TreeNames(c) {
			options[key], all[key] = value, value
		}
		sections[c.Name] = object{"type": []string{"object", "null"}, "description": c.Summary, "properties": options, "additionalProperties": false}
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
			"out": object{"type": "string", "description": "the folder of the study"}, "analyses": list, "matrix": matrix,
			"defaults": object{"type": "object", "properties": defaults, "additionalProperties": false},
			"datasets": object{"type": "object", "additionalProperties": object{"type": "object", "properties": dataset, "additionalProperties": false}},
		},
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(schema)
}

// initial is a suite file for some files: what looks like frames becomes a dataset, what looks like a model a model.
func initial(files []string, commands []run.Command) (string, error) {
	if len(files) == 0 {
		return "", run.Usage("--init: want the files of the study: frames and models")
	}
	var models, frames []string
	for _, f := range files {
		switch strings.ToLower(filepath.Ext(f)) {
		case ".onnx", ".pth", ".pt", ".safetensors":
			models = append(models, f)
		default:
			frames = append(frames, f)
		}
	}
	var b strings.Builder
	b.WriteString("# A study: run it with \"evaluate FILE\"; the same command goes on where it was.\n\n")
	b.WriteString("# out: results            # by default evaluation_plots/<name of this file>\n\n")
	b.WriteString("# Options of all datasets; a name of an analysis has options for it alone.\ndefaults:\n  seed: 42\n  # neighborhood: {k: [5, 10, 20]}\n")
	if len(models) > 0 {
		b.WriteString("  model:                  # patterns such as runs/*/step_*.onnx stand for all files that match\n")
		for _, m := range models {
			fmt.Fprintf(&b, "    %s: %s\n", quoted(stem(m)), quoted(m))
		}
	}
	b.WriteString("\nanalyses:                 # which to run; a dataset may have only: or skip:\n")
	for _, c := range commands {
		mark := ""
		if !slices.Contains([]string{"smoothness", "robustness", "neighborhood", "manifold", "geometry"}, c.Name) {
			mark = "# "
		}
		fmt.Fprintf(&b, "  %s- %-16s # %s\n", mark, c.Name, c.Summary)
	}
	b.WriteString("\ndatasets:\n")
	if len(frames) == 0 {
		frames = []string{"frames.npz"}
	}
	for _, f := range frames {
		fmt.Fprintf(&b, "  %s:\n    frames: %s         # FILE or FILE:ARRAY\n    # episodes: FILE:ARRAY\n    # latents: {NAME: FILE}\n", quoted(stem(f)), quoted(f))
	}
	return b.String(), nil
}

func stem(path string) string {
	path, _, _ = strings.Cut(path, ":")
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// quoted is a text as YAML takes it.
func quoted(text string) string {
	if strings.ContainsAny(text, ":#{}[],&*?|>'\"%@` ") || text == "" {
		return "\"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"").Replace(text) + "\""
	}
	return text
}
