// Where the numbers of a page come from: commands, options, programs, and the digests of inputs.

package page

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// provenance is the provenance of one result.
type provenance struct {
	Command string
	Program string
	Options []option
	Inputs  []int // numbers of rows of the table of inputs
}

// option is an option of a run; Set if it is not the default.
type option struct {
	Name, Value string
	Set         bool
}

// inputRow is a row of the table of inputs.
type inputRow struct {
	Number                          int
	Role, Name, Path, Shape, SHA256 string
}

func (b *builder) provenance(s *Section) provenance {
	r := s.Result
	p := provenance{Program: program(r)}
	defaults := b.defaults(s.Analysis)
	for _, key := range r.Options.Keys() {
		v, _ := r.Options.Get(key)
		value := textOf(v)
		standard, known := defaults[key]
		p.Options = append(p.Options, option{key, value, known && standard != value || !known && value != ""})
	}
	p.Command = command(r, p.Options, defaults)
	for _, in := range r.Inputs {
		p.Inputs = append(p.Inputs, b.inputNumber(in))
	}
	return p
}

// defaults are the values of an analysis's options when nothing is given, by name; nil of an unknown one.
func (b *builder) defaults(analysis string) map[string]string {
	i := slices.IndexFunc(b.Commands, func(c run.Command) bool { return c.Name == analysis })
	if i < 0 {
		return nil
	}
	all := map[string]string{}
	run.VisitFlags(b.Commands[i], func(f *flag.Flag) {
		all[f.Name] = f.Value.String()
		if g, ok := f.Value.(flag.Getter); ok {
			all[f.Name] = textOf(g.Get())
		}
	})
	return all
}

// textOf is the value of an option as a command line has it.
func textOf(v any) string {
	var b strings.Builder
	if err := report.Encode(&b, v); err != nil {
		return fmt.Sprint(v)
	}
	value, err := report.Parse("option", []byte(b.String()))
	if err != nil {
		return fmt.Sprint(v)
	}
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		var items []string
		for _, item := range value {
			items = append(items, textOf(item))
		}
		return strings.Join(items, ",")
	case report.Object:
		return strings.Join(strings.Fields(b.String()), " ")
	default:
		return fmt.Sprint(value)
	}
}

// command is a command line that computes a result again: its inputs under the flags of their roles, and options that
// are not the default.
func command(r *report.Result, options []option, defaults map[string]string) string {
	words := []string{r.Analysis}
	if slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return strings.HasPrefix(in.Path, "example:") }) {
		words = append(words, "--example")
	}
	roles := map[string]bool{}
	for _, in := range r.Inputs {
		if _, ok := defaults[in.Role]; !ok || strings.Contains(in.Path, ":") && strings.HasPrefix(in.Path, "example:") || in.Path == "" {
			continue
		}
		value := relative(in.Path)
		if in.Name != "" {
			value = run.JoinName(in.Name, value)
		}
		roles[in.Role] = true
		words = append(words, "--"+in.Role, escape.Shell(value))
	}
	for _, o := range options {
		if o.Set && !roles[o.Name] && (defaults == nil || defaults[o.Name] != o.Value) {
			words = append(words, "--"+o.Name+"="+escape.Shell(o.Value))
		}
	}
	return strings.Join(words, " ")
}

// program names the program that wrote a result.
func program(r *report.Result) string {
	parts := []string{"repscope " + r.Version}
	if r.Revision != "" {
		parts = append(parts, "revision "+r.Revision)
	}
	if r.Definition != 0 {
		parts = append(parts, fmt.Sprintf("definition %d", r.Definition))
	}
	if r.Kernel.Name != "" {
		parts = append(parts, fmt.Sprintf("kernel %s, KC %d", r.Kernel.Name, r.Kernel.KC))
	}
	if r.Go != "" {
		parts = append(parts, r.Go)
	}
	return strings.Join(append(parts, "device "+r.Device, "precision "+r.Precision), "; ")
}

// programs are the programs of all results.
func (b *builder) programs() []string {
	var list []string
	for _, s := range b.Sections {
		if p := program(s.Result); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

func (b *builder) inputs() []inputRow {
	for _, s := range b.Sections {
		for _, in := range s.Result.Inputs {
			b.inputNumber(in)
		}
	}
	return b.view.Inputs
}

// inputNumber is the row of an input, which is added if it is new.
func (b *builder) inputNumber(in report.Input) int {
	row := inputRow{Role: in.Role, Name: in.Name, Path: relative(in.Path), SHA256: in.SHA256}
	if len(in.Shape) > 0 {
		row.Shape = in.DType + " " + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(in.Shape), "[]")), "×")
	} else if in.Kind != "" {
		row.Shape = in.Kind
	}
	i := slices.IndexFunc(b.view.Inputs, func(have inputRow) bool {
		have.Number = 0
		return have == row
	})
	if i >= 0 {
		return i + 1
	}
	row.Number = len(b.view.Inputs) + 1
	b.view.Inputs = append(b.view.Inputs, row)
	return row.Number
}

// disagreements are warnings about results that should not be compared.
func (b *builder) disagreements() []warning {
	var list []warning
	versions := map[string][]string{}
	var order []string
	digests := map[[3]string]map[string]bool{}
	var inputs [][3]string
	for _, s := range b.Sections {
		v := strings.TrimSpace(s.Result.Version + " " + s.Result.Revision)
		if versions[v] == nil {
			order = append(order, v)
		}
		versions[v] = append(versions[v], s.Name())
		for _, in := range s.Result.Inputs {
			if in.SHA256 == "" || in.Role != "frames" && in.Role != "model" && in.Role != "latents" {
				continue
			}
			key := [3]string{s.Dataset, in.Role, in.Name}
			if digests[key] == nil {
				digests[key] = map[string]bool{}
				inputs = append(inputs, key)
			}
			digests[key][in.SHA256] = true
		}
	}
	if len(order) > 1 {
		w := warning{Text: fmt.Sprintf("The results are of %s of the program.", text.Count(len(order), "version"))}
		for _, v := range order {
			w.Where = append(w.Where, v+" ("+strings.Join(versions[v], ", ")+")")
		}
		list = append(list, w)
	}
	for _, key := range inputs {
		if len(digests[key]) > 1 {
			what := key[1]
			if key[2] != "" {
				what += " " + key[2]
			}
			list = append(list, warning{Text: fmt.Sprintf("The analyses read different files as %s: the digests differ.", what), Where: []string{called(key[0])}})
		}
	}
	return list
}
