// What states, encoders and latents were, in words: for --methods.

package input

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/text"
	"repscope/report"
	"repscope/report/methods"
)

// Methods drafts the section on the data: the frames, how they became states,
// the input of every model and the part of its output that was taken. analyzed is how many
// states are analyzed, 0 where the command says it itself.
func Methods(d *methods.Draft, analyzed int) {
	d.Section("Data and models")
	r := d.Result
	for _, in := range r.Inputs {
		if in.Role == "frames" {
			sayFrames(d, in, analyzed)
		}
	}
	if d.Has("skip-nan") && d.Yes("skip-nan") {
		d.Say("States with NaN or infinity were left out (%d).", skippedOf(d))
	}
	sayModels(d)
	if slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return in.Role == "actions" }) {
		d.Say("Predictors received the recorded actions.")
	}
}

// sayFrames says what the states are.
func sayFrames(d *methods.Draft, in report.Input, analyzed int) {
	window, states := in.Window, in.States
	what := "states"
	if len(in.Shape) > 1 {
		what = "frames of shape " + Shape(in.Shape[1:])
	}
	line := fmt.Sprintf("The data are %s %s", Thousands(firstOf(in.Shape)), what)
	if in.DType != "" {
		line += " (" + in.DType
		if in.PixelRange != nil {
			line += fmt.Sprintf(", values from %g to %g, range taken %s",
				in.PixelRange.Low, in.PixelRange.High, in.PixelRange.Source)
		}
		line += ")"
	}
	if in.Episodes > 1 {
		line += fmt.Sprintf(" in %d episodes", in.Episodes)
	} else if in.Episodes == 1 {
		line += " of one episode"
	}
	d.Say("%s.", line)
	if kind := optional(d, "episodes-kind"); kind == "ends" || kind == "starts" {
		d.Say("Episodes are given by flags of their %s frames.", map[string]string{"ends": "last", "starts": "first"}[kind])
	}
	if window > 1 {
		d.Say("A state is a window of %d consecutive frames of one episode; there are %s.", window, Thousands(states))
	}
	if layout := optional(d, "layout"); layout != "" && layout != "auto" {
		d.Say("The axes of a frame are %s.", layout)
	}
	if analyzed > 0 && analyzed < states-skippedOf(d) {
		d.Say("A random sample of %s was drawn without replacement, the same for all models.", Thousands(analyzed))
	}
}

// SayHeadPool says how the inputs of decoders, predictors or other heads were pooled, where --decoder-pool says so.
func SayHeadPool(d *methods.Draft, heads string) {
	if pool := d.Text("decoder-pool"); pool != "" {
		d.Say("%s used latents pooled by %s.", heads, pool)
	}
}

// skippedOf is the number of states that were left out.
func skippedOf(d *methods.Draft) int {
	skipped := 0
	for _, in := range d.Result.Inputs {
		skipped += in.Skipped
	}
	return skipped
}

// Analyzed is the number of states that the models of a result say they were measured on, at
// a path; 0 where they do not say it.
func Analyzed(d *methods.Draft, path ...string) int {
	n := 0
	for _, text := range d.Models(path...) {
		if v, err := strconv.Atoi(text); err == nil {
			n = max(n, v)
		}
	}
	return n
}

// optional is the value of an option that not every command has.
func optional(d *methods.Draft, name string) string {
	if !d.Has(name) {
		return ""
	}
	return d.Text(name)
}

func firstOf(shape []int) int {
	if len(shape) == 0 {
		return 0
	}
	return shape[0]
}

// sayModels says of models with one treatment together what they are given.
func sayModels(d *methods.Draft) {
	var treatments []string
	names := map[string][]string{}
	var reasons []string
	for _, in := range d.Result.Inputs {
		treatment := treatment(in)
		if reason := d.Result.Unmeasured(in.Name); reason != "" && in.Name != "" {
			reason, _, _ = strings.Cut(reason, "; ") // hints are for the console
			reasons = append(reasons, fmt.Sprintf("%s could not be measured: %s.", in.Name, reason))
			continue
		}
		if treatment == "" {
			continue
		}
		if names[treatment] == nil {
			treatments = append(treatments, treatment)
		}
		names[treatment] = append(names[treatment], in.Name)
	}
	for _, t := range treatments {
		kind, rest, _ := strings.Cut(t, "|")
		if len(names[t]) > 1 && kind != "Latents" {
			kind += "s"
		}
		d.Say("%s %s: %s.", kind, methods.Join(names[t]), rest)
	}
	for _, why := range reasons {
		d.Say("%s", why)
	}
}

// architecture is a model's, if its file tells it. Results that were written before have the name of an ONNX file's
// graph there.
func architecture(in report.Input, details report.Object) []string {
	if in.Kind == "" || detail(details, "format") == "onnx" {
		return nil
	}
	return []string{in.Kind}
}

// treatment is the part of a model's description after its kind and a bar; empty where there is none.
func treatment(in report.Input) string {
	details := report.Object{}
	if in.Details != nil {
		details = *in.Details
	}
	var parts []string
	switch in.Role {
	case "latents":
		parts = append(parts, fmt.Sprintf("%s of shape %s, precomputed", cmp.Or(in.DType, "arrays"), Shape(in.Shape)))
		if in.Pool != "" {
			parts = append(parts, pooled(in.Pool))
		}
		return "Latents|" + strings.Join(parts, ", ")
	case "model", "baseline":
		parts = append(parts, architecture(in, details)...)
		if n := whole(details, "parameters"); n > 0 && detail(details, "format") != "pca" {
			parts = append(parts, Thousands(n)+" parameters")
		}
		if n := whole(details, "dimension"); n > 0 {
			parts = append(parts, text.Count(n, "dimension"))
		}
		parts = append(parts, given(details)...)
		if layers := detail(details, "layers"); layers != "" {
			parts = append(parts, "of the layers "+layers)
		}
		if in.Pool != "" {
			parts = append(parts, pooled(in.Pool))
		}
		kind := "Encoder"
		if in.Role == "baseline" {
			kind = "Baseline"
		}
		return kind + "|" + strings.Join(parts, ", ")
	case "decoder", "predictor", "head":
		parts = append(parts, architecture(in, details)...)
		if n := whole(details, "parameters"); n > 0 {
			parts = append(parts, Thousands(n)+" parameters")
		}
		if in.Pool != "" {
			parts = append(parts, "applied to unchanged latents, or "+pooled(in.Pool))
		}
		if len(parts) == 0 {
			parts = []string{"unchanged"}
		}
		return strings.ToUpper(in.Role[:1]) + in.Role[1:] + "|" + strings.Join(parts, ", ")
	}
	return ""
}

// given is what frames go through before an encoder sees them.
func given(details report.Object) []string {
	var parts []string
	if n := whole(details, "window"); n > 0 {
		parts = append(parts, "on windows of "+text.Count(n, "frame"))
	}
	if size := values(details, "resize"); len(size) == 2 {
		parts = append(parts, fmt.Sprintf("frames resized to %s × %s (%s)", size[0], size[1], detail(details, "interpolation")))
	}
	if part := values(details, "crop"); len(part) == 4 {
		parts = append(parts, fmt.Sprintf("the middle of %s × %s taken", part[2], part[3]))
	}
	if n := whole(details, "channels"); n > 0 {
		parts = append(parts, fmt.Sprintf("one channel repeated to %d", n))
	}
	if last, _ := details.Get("channels_last"); last == true {
		parts = append(parts, "channels moved behind rows and columns")
	}
	switch detail(details, "input_scale") {
	case "raw":
		parts = append(parts, "pixel values as stored")
	case "unit":
		parts = append(parts, "pixel values scaled to 0–1")
	}
	if mean := values(details, "mean"); len(mean) > 0 {
		parts = append(parts, "minus the mean "+strings.Join(mean, ", "))
	}
	if std := values(details, "std"); len(std) > 0 {
		parts = append(parts, "divided by the standard deviation "+strings.Join(std, ", "))
	}
	for _, fixed := range values(details, "inputs") {
		name, value, _ := strings.Cut(strings.TrimPrefix(fixed, "input "), "=")
		if sum, array := strings.CutPrefix(value, "sha256:"); array {
			value = "an array (SHA-256 " + sum[:min(len(sum), 12)] + "…)"
		}
		parts = append(parts, "the input "+name+" fixed at "+value)
	}
	return parts
}

// pooled says which vector stands for an output of several.
func pooled(pool string) string {
	if index, ok := strings.CutPrefix(pool, "index:"); ok {
		return "from an output of several vectors, the vector at index " + index
	}
	switch pool {
	case "last":
		return "the last vector of an output of several vectors"
	case "mean":
		return "the mean of an output of several vectors"
	case "cls":
		return "the first vector (class token) of an output of several vectors"
	case "flatten":
		return "all values of the output as one vector"
	}
	return "pooled by " + pool
}

// detail is a text of the details of an input, a list joined by commas.
func detail(o report.Object, key string) string { return strings.Join(values(o, key), ", ") }

// values are the values of a list, or one of a scalar.
func values(o report.Object, key string) []string {
	v, _ := o.Get(key)
	switch v := v.(type) {
	case string:
		return []string{v}
	case json.Number:
		return []string{string(v)}
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, fmt.Sprint(item))
		}
		return out
	}
	return nil
}

func whole(o report.Object, key string) int {
	n, _ := strconv.Atoi(detail(o, key))
	return n
}

// Shape is a shape for a sentence: "64 × 64".
func Shape(shape []int) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, " × ")
}

// Thousands is a number with a comma between thousands.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
