// What a flag is in Python.

package main

import (
	"fmt"
	"strings"

	"repscope/internal/run"
)

// A parameter is a keyword of a function: kind is one of those that _client.py knows, hint its
// type, separator what joins the parts of a text.
type parameter struct {
	run.FlagInfo
	keyword, kind, separator, hint string
}

// left are the flags that are no keywords: results are always read, progress has a keyword of
// its own, and the version is the package's.
var left = map[string]bool{"json": true, "quiet": true, "verbose": true, "version": true}

// first are the parameters that may be given without their names, in the order of a call; every
// other is by name alone, so that flags may come and go.
var first = map[string][]string{
	"smoothness":     {"frames", "latents"},
	"robustness":     {"frames", "model"},
	"neighborhood":   {"frames", "latents"},
	"manifold":       {"latents"},
	"geometry":       {"latents"},
	"similarity":     {"latents"},
	"reconstruction": {"frames", "predictions"},
	"reward":         {"latents", "rewards"},
	"surprise":       {"frames", "model"},
	"generation":     {"generated", "real"},
	"forecast":       {"target", "forecast"},
	"sequence":       {"model", "sequences"},
	"audit":          {"frames", "split"},
	"encode":         {"model", "frames"},
}

// arguments are the names of arguments that are no flags.
var arguments = map[string]string{
	"compare": "files", "validate": "table", "evaluate": "suite", "scale merge": "files", "scale plan": "suite",
	"scale slurm": "suite",
	"scale k8s":   "suite", "scale status": "suite", "scale task": "folder", "scale finish": "folder",
}

func keywordOf(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// parameterOf says what a flag is in Python: by its type, its choices and what the help calls
// its value.
func parameterOf(f run.FlagInfo) (parameter, error) {
	p := parameter{FlagInfo: f, keyword: keywordOf(f.Name), separator: ","}
	what := f.Placeholder
	named := strings.Contains(what, "=FILE")
	switch {
	case f.Type == "bool":
		p.kind, p.hint = "bool", "bool"
	case f.Type == "int":
		p.kind, p.hint = "int", "Int"
	case f.Type == "float":
		p.kind, p.hint = "float", "Float"
	case f.Type == "size":
		p.kind, p.hint = "size", "Union[Int, str]"
	case f.Type == "ints":
		p.kind, p.hint = "ints", "Ints"
	case f.Type == "floats":
		p.kind, p.hint = "floats", "Floats"
	case f.Type == "texts":
		p.kind, p.hint = "texts", several(f.Choices)
	case what == "FILE.yaml":
		p.kind, p.hint = "config", "Union[Path, Mapping[str, Any]]"
	case f.Type == "path" && (what == "FILE.csv" || what == "table" || takesTable[f.Name]):
		p.kind, p.hint = "table", "File"
	case f.Type == "path" && (strings.HasPrefix(what, "FILE[:key]") || what == "array" || strings.HasSuffix(what, ".npz") || what == "FILE" && takesArray[f.Name]):
		p.kind, p.hint = "file", "File"
	case f.Type == "path" && strings.HasPrefix(what, "FILE|"):
		p.kind, p.hint = "file", "File"
	case f.Type == "path":
		p.kind, p.hint = "path", "Path"
	case named && (f.Name == "model" || strings.HasSuffix(what, ".onnx")):
		p.kind, p.hint = "model", "Models"
	case named && (strings.Contains(what, "=FILE.csv") || takesTable[f.Name]):
		p.kind, p.hint = "tables", "Files"
	case named:
		p.kind, p.hint = "named", "Files"
	case f.Repeats && strings.HasPrefix(what, "[NAME=]"):
		p.kind, p.hint = "each", "Each"
		if what == "[NAME=]HxW" {
			p.separator = "x"
		}
	case f.Repeats:
		p.kind, p.hint = "many", "Many"
		if strings.Contains(what, ">") {
			p.separator = ">"
		} else if what != "LIST" || f.Name == "names" || f.Name == "columns" {
			p.separator = "="
		}
	case len(f.Choices) > 0:
		p.kind, p.hint = "text", literal(f.Choices)
	default:
		p.kind, p.hint = "text", "Text"
		switch what {
		case "HxW":
			p.separator = "x"
		case "I/N":
			p.separator = "/"
		}
	}
	if strings.Contains(f.Name, "_") {
		return p, fmt.Errorf("--%s: a flag name with an underscore cannot be recovered from its keyword", f.Name)
	}
	return p, nil
}

// takesArray are the flags whose FILE, of whatever format, may be an array.
var takesArray = map[string]bool{"saliency-reference": true, "saliency-generated": true}

// takesTable are the flags whose FILE may be a table with names of columns, and an array.
var takesTable = map[string]bool{"real": true, "holdout": true, "generated": true, "targets": true, "sequences": true}

func literal(choices []string) string {
	quoted := make([]string, len(choices))
	for i, c := range choices {
		quoted[i] = fmt.Sprintf("%q", c)
	}
	return "Literal[" + strings.Join(quoted, ", ") + "]"
}

func several(choices []string) string {
	if len(choices) == 0 {
		return "Texts"
	}
	one := literal(choices)
	return "Union[" + one + ", Sequence[" + one + "], str]"
}
