// Whether files may be compared: the same data, definitions and options.

package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"repscope/report"
)

// ofModels are options that belong to single models: how they see the states, and the
// files of what they predict. They may differ, as models do.
var ofModels = []string{"preprocess", "resize", "interpolation", "input-scale", "mean", "std", "layer", "pool", "activation", "final-activation", "heads", "state",
	"predictions", "predictions-range", "decoder", "decoder-pool", "predictor", "predicted", "predicted-rewards", "head", "rollouts"}

// ofInputs are options that name files which stand among the inputs: their contents are
// compared there, and the path does not matter.
var ofInputs = []string{"actions", "labels", "rewards", "rollout-starts", "targets"}

// noNumbers are options that change no estimate.
var noNumbers = []string{"bootstrap", "family"}

// ofRuns are parts of the names of configuration keys of published layouts that say what
// was evaluated and where, not how: also how many members a forecast has, and by which
// estimators its scores allow for that, and what spreads are of.
var ofRuns = []string{"path", "checkpoint", "model", "name", "dir", "file", "time", "date", "device", "batch", "worker", "out", "run", "seed",
	"num_samples", "n_samples", "member", "ensemble", "estimator", "std_over"}

// differences are what keeps the numbers of two files of one task and analysis from
// being compared, in words; none if they may be.
func differences(a, b *File) []string {
	var list []string
	if a.Definition != b.Definition && a.Definition != 0 && b.Definition != 0 {
		list = append(list, fmt.Sprintf("the definition of %s is number %d in %s and %d in %s", a.Analysis, a.Definition,
			a.Path, b.Definition, b.Path))
	}
	if a.Meaning != b.Meaning && a.Meaning != "" && b.Meaning != "" {
		list = append(list, fmt.Sprintf("rows follow the definition %s in %s and %s in %s", a.Meaning, a.Path, b.Meaning,
			b.Path))
	}
	list = append(list, inputDifferences(a, b)...)
	if a.Layout != layoutLogged && b.Layout != layoutLogged { // which say nothing of options
		list = append(list, optionDifferences(a, b)...)
	}
	if other := otherDocuments(a, b); other != "" {
		list = append(list, other)
	}
	if a.result != nil && b.result != nil {
		for _, name := range a.result.Metrics.Keys() {
			x, _ := a.result.MetricOf(name)
			if y, ok := b.result.MetricOf(name); ok && (x.Direction != y.Direction || x.Unit != y.Unit) {
				list = append(list, fmt.Sprintf("%s is %s in %s and %s in %s", name, described(x), a.Path, described(y), b.Path))
			}
		}
	}
	return list
}

func described(m report.Metric) string {
	text := "better " + string(m.Direction)
	if m.Direction == report.Neither {
		text = "without direction"
	}
	if m.Unit != "" {
		text += " (" + m.Unit + ")"
	}
	return text
}

// inputDifferences compares what both files were measured on: inputs that belong to no
// model.
func inputDifferences(a, b *File) []string {
	var list []string
	for _, x := range dataInputs(a) {
		i := slices.IndexFunc(b.Inputs, func(y report.Input) bool { return y.Role == x.Role && y.Name == x.Name })
		if i < 0 {
			if x.Role == "frames" || len(dataInputs(b)) > 0 {
				list = append(list, fmt.Sprintf("%s has %s %s, %s has none", a.Path, x.Role, x.Path, b.Path))
			}
			continue
		}
		y := b.Inputs[i]
		switch {
		case x.SHA256 != "" && y.SHA256 != "" && x.SHA256 != y.SHA256:
			list = append(list, fmt.Sprintf("the %s are other ones: %s with sha256 %.12s… in %s, %s with %.12s… in %s", x.Role,
				x.Path, x.SHA256, a.Path, y.Path, y.SHA256, b.Path))
		case x.States != y.States || x.Episodes != y.Episodes:
			list = append(list, fmt.Sprintf("the %s make %d states in %d episodes in %s, %d in %d in %s", x.Role, x.States,
				x.Episodes, a.Path, y.States, y.Episodes, b.Path))
		case !slices.Equal(x.Shape, y.Shape) && (x.SHA256 == "" || y.SHA256 == ""):
			list = append(list, fmt.Sprintf("the %s have the shape %v in %s and %v in %s", x.Role, x.Shape, a.Path, y.Shape,
				b.Path))
		}
	}
	return list
}

// dataInputs are the inputs of a file that no model owns.
func dataInputs(f *File) []report.Input {
	var out []report.Input
	for _, in := range f.Inputs {
		owned := in.Role == "model" || in.Role == "latents" || in.Role == "baseline" || slices.Contains(f.given(), in.Name)
		if !owned {
			out = append(out, in)
		}
	}
	return out
}

// optionDifferences compares the options that change numbers.
func optionDifferences(a, b *File) []string {
	var list []string
	keys := a.Options.Keys()
	for _, key := range b.Options.Keys() {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if slices.Contains(noNumbers, key) || slices.Contains(ofModels, key) || a.result != nil && slices.Contains(ofInputs, key) || a.result == nil && ofRun(key) {
			continue
		}
		x, inA := a.Options.Get(key)
		y, inB := b.Options.Get(key)
		if one, other := valueText(x, inA), valueText(y, inB); one != other {
			name := key
			if a.result != nil {
				name = "--" + key
			}
			list = append(list, fmt.Sprintf("%s is %s in %s and %s in %s", name, one, a.Path, other, b.Path))
		}
	}
	return list
}

// ofRun reports whether a key of another program's configuration names the evaluated model or data,
// not a setting.
func ofRun(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(ofRuns, func(part string) bool { return strings.Contains(key, part) })
}

// valueText is an option's value for a message.
func valueText(v any, set bool) string {
	switch v := v.(type) {
	case nil:
		if !set {
			return "not given"
		}
		return "null"
	case string:
		return fmt.Sprintf("%q", v)
	case json.Number:
		return v.String()
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = valueText(item, true)
		}
		return strings.Join(parts, ",")
	case report.Object:
		var parts []string
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			parts = append(parts, key+": "+valueText(item, true))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}
