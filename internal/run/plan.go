// What a run would do: --dry-run.

package run

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"repscope/internal/memory"
	"repscope/internal/text"
	"repscope/report"
)

// Plan is what a run would do, as far as it is known before anything is computed. The
// command fills it; see [Job.Plan].
type Plan struct {
	States int         // that would be analyzed
	Units  int         // into which the work can be divided for --shard; 0: it is not known, or not divided
	Counts []PlanCount // of other things, such as pairs
	Models []PlanModel
	Files  []string // that would be written, besides the result file
	Held   int64    // bytes that would be held in memory: frames, latents, weights
	// Searched is the most working memory that searches could use, in bytes; they keep
	// to --memory if that is less.
	Searched int64
}

// PlanCount is a number of things that would be looked at.
type PlanCount struct {
	What string
	N    int
}

// PlanModel is what a model would do.
type PlanModel struct {
	Name   string
	Given  string       // what it is given or consists of, for the console
	Output []PlanOutput // of one state
	Cost   PlanCost
}

// PlanOutput is one output of a model for a state, after pooling.
type PlanOutput struct {
	Layer string // empty for the model's own output
	Shape []int
}

// PlanCost is the time that encoding would take, without a cache: measured on a few states,
// or unknown for a reason. Without either there is nothing to encode.
type PlanCost struct {
	Seconds  float64
	Measured int
	Unknown  string
}

// Count adds a number of things that would be looked at.
func (p *Plan) Count(what string, n int) { p.Counts = append(p.Counts, PlanCount{what, n}) }

// Write adds files that would be written.
func (p *Plan) Write(names ...string) { p.Files = append(p.Files, names...) }

// Again says that every model encodes all states n times.
func (p *Plan) Again(n int) {
	for i := range p.Models {
		p.Models[i].Cost.Seconds *= float64(n)
	}
}

// pairBytes is about what a search takes for a pair of points in a space, if all pairs fit
// into the memory.
const pairBytes = 32

// Search says that neighbors are searched among n points in a number of spaces.
func (p *Plan) Search(n, spaces int) { p.Searched = pairBytes * int64(n) * int64(n) * int64(spaces) }

// PlanFigures adds figures that would be written, in every format of --format.
func (e *Env) PlanFigures(figures ...string) {
	for _, figure := range figures {
		for _, format := range e.Options.figures() {
			e.Plan.Write(figure + "." + format)
		}
	}
}

// WorkingMemory is the limit of --memory in bytes.
func (e *Env) WorkingMemory() int64 {
	if e.Options.Memory > 0 {
		return e.Options.Memory
	}
	if available := memory.Available(); available > 0 {
		return available / 4
	}
	return math.MaxInt64 // not known
}

// seconds is the time that all encoding would take, and whose time is unknown.
func (p *Plan) seconds() (sum float64, unknown []string) {
	for _, m := range p.Models {
		sum += m.Cost.Seconds
		if m.Cost.Unknown != "" {
			unknown = append(unknown, m.Name)
		}
	}
	return sum, unknown
}

// planFiles are all that would be written.
func (e *Env) planFiles() []string {
	if e.instead != "" {
		return []string{e.instead}
	}
	if e.Options.Shard.Of > 0 {
		return []string{e.Options.Shard.File(e.Command.Name)}
	}
	files := append(slices.Clone(e.Plan.Files), e.Command.Name+report.SumsEnding, e.Command.Name+".json")
	if e.Options.Methods {
		files = append(files, methodsNames(e.Command)...)
	}
	return files
}

// writePlan prints the plan, as JSON with --json.
func (e *Env) writePlan(w io.Writer) error {
	if e.Options.JSON {
		return report.Encode(w, e.planObject())
	}
	if e.Options.Quiet {
		return nil
	}
	_, err := io.WriteString(w, e.planText())
	return err
}

// planObject is the plan as JSON.
func (e *Env) planObject() *report.Object {
	p := e.withoutUnmeasured()
	var o, counts, size, time, output report.Object
	for _, c := range p.Counts {
		counts.Set(c.What, c.N)
	}
	var models []any
	for _, m := range p.Models {
		var part, cost report.Object
		part.Set("name", m.Name)
		part.Set("given", m.Given)
		var outputs []any
		for _, out := range m.Output {
			var one report.Object
			if out.Layer != "" {
				one.Set("layer", out.Layer)
			}
			one.Set("shape", out.Shape)
			outputs = append(outputs, &one)
		}
		part.Set("outputs", outputs)
		switch {
		case m.Cost.Unknown != "":
			cost.Set("seconds", nil)
			cost.Set("reason", m.Cost.Unknown)
		case m.Cost.Measured > 0:
			cost.Set("seconds", m.Cost.Seconds)
			cost.Set("measured_states", m.Cost.Measured)
		}
		part.Set("encoding", &cost) // empty for latents computed elsewhere
		models = append(models, &part)
	}
	for _, u := range e.unmeasured {
		part := u.Object()
		part.Set("name", u.Name)
		models = append(models, &part)
	}
	size.Set("held_bytes", p.Held)
	size.Set("working_bytes_at_most", min(p.Searched, e.WorkingMemory()))
	sum, unknown := p.seconds()
	time.Set("encoding_s", sum)
	time.Set("encoding_unknown", unknown)
	time.Set("analysis_s", nil)
	time.Set("reason", "the time of the analysis is not estimated")
	output.Set("folder", e.Options.Out)
	output.Set("files", e.planFiles())
	o.Set("schema", "repscope/plan/1")
	o.Set("analysis", e.Command.Name)
	o.Set("version", e.Result.Version)
	o.Set("device", e.Result.Device)
	o.Set("inputs", e.Result.Inputs)
	o.Set("options", e.Result.Options)
	o.Set("states", p.States)
	o.Set("units", p.Units)
	o.Set("counts", &counts)
	o.Set("models", models)
	o.Set("memory", &size)
	o.Set("time", &time)
	o.Set("output", &output)
	o.Set("warnings", e.Result.Warnings)
	return &o
}

// withoutUnmeasured is the plan without the models that turned out not to be measurable.
func (e *Env) withoutUnmeasured() *Plan {
	p := *e.Plan
	p.Models = slices.DeleteFunc(slices.Clone(p.Models), func(m PlanModel) bool {
		return slices.ContainsFunc(e.unmeasured, func(u report.Unmeasured) bool { return u.Name == m.Name })
	})
	return &p
}

// planText is the plan for the console.
func (e *Env) planText() string {
	p := e.withoutUnmeasured()
	var b strings.Builder
	b.WriteString(e.console.String())
	if p.States > 0 || len(p.Counts) == 0 {
		fmt.Fprintf(&b, "states: %d\n", p.States)
	}
	for _, c := range p.Counts {
		fmt.Fprintf(&b, "%s: %d\n", c.What, c.N)
	}
	b.WriteString("models:\n")
	for _, m := range p.Models {
		fmt.Fprintf(&b, "  %s\n", m.text())
	}
	for _, u := range e.unmeasured {
		fmt.Fprintf(&b, "  %s: not measured: %s\n", u.Name, u.Reason)
	}
	var options []string
	for _, name := range e.Result.Options.Keys() {
		value, _ := e.Result.Options.Get(name)
		if text := optionText(value); text != "" {
			options = append(options, name+" "+text)
		}
	}
	fmt.Fprintf(&b, "options: %s\n", strings.Join(options, ", "))
	fmt.Fprintf(&b, "memory: about %s for the program, inputs, weights and latents", text.Bytes(p.Held))
	if p.Searched > 0 {
		fmt.Fprintf(&b, ", plus up to %s for neighbor searches", text.Bytes(min(p.Searched, e.WorkingMemory())))
		if p.Searched > e.WorkingMemory() {
			b.WriteString(" (--memory)")
		}
	}
	sum, unknown := p.seconds()
	b.WriteString("\ntime: ")
	if sum > 0 || len(unknown) > 0 {
		fmt.Fprintf(&b, "about %s for encoding, unless the latents are cached by an earlier run", seconds(sum))
	}
	if len(unknown) > 0 {
		fmt.Fprintf(&b, ", unknown for %s", strings.Join(unknown, ", "))
	}
	if sum > 0 || len(unknown) > 0 {
		b.WriteString("; ")
	}
	b.WriteString("the time of the analysis is not estimated\nfiles to write")
	if e.instead == "" {
		b.WriteString(" to " + e.Options.Out)
	}
	fmt.Fprintf(&b, ": %s\n", strings.Join(e.planFiles(), ", "))
	return b.String()
}

// optionText is the value of an option on a line; trees of a configuration are as they are written in one.
func optionText(value any) string {
	switch v := value.(type) {
	case report.Object:
		parts := make([]string, 0, v.Len())
		for _, key := range v.Keys() {
			member, _ := v.Get(key)
			parts = append(parts, key+": "+optionText(member))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		if len(v) == 0 {
			return ""
		}
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = optionText(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case nil:
		return "null"
	}
	return strings.Trim(fmt.Sprint(value), "[]")
}

// text describes a model on a line.
func (m *PlanModel) text() string {
	parts := []string{m.Given}
	for _, out := range m.Output {
		text := fmt.Sprintf("output %v", out.Shape)
		if out.Layer != "" {
			text = fmt.Sprintf("layer %s %v", out.Layer, out.Shape)
		}
		parts = append(parts, text)
	}
	switch {
	case m.Cost.Unknown != "":
		parts = append(parts, "time unknown: "+m.Cost.Unknown)
	case m.Cost.Measured > 0:
		parts = append(parts, fmt.Sprintf("about %s, from %d states", seconds(m.Cost.Seconds), m.Cost.Measured))
	}
	return m.Name + ": " + strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// seconds is a time to two digits, in the unit that suits it.
func seconds(s float64) string {
	switch {
	case s < 100:
		return fmt.Sprintf("%.2g s", s)
	case s < 6000:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
