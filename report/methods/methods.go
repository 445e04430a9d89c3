// Package methods says in words how the numbers of a result were computed, with
// references: a draft of a paper's section on methods, for the options of that run.
//
//	text, err := methods.Of(result, func(d *methods.Draft) {
//		d.Section("Measures")
//		d.Say("Neighborhoods have k = %s states [@venna2001].", d.List("k"))
//	})
//	fmt.Print(text.Markdown())
//
// A text is written from a result as it is read from its file, so that the run and
// a reader of the file write the same. Citations are [@key] or
// [@key; @other]; the keys stand in references.bib, the one bibliography.
package methods

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/report"
)

// Text is the methods text of one result.
type Text struct {
	Analysis string
	Sections []Section
}

// Section is one paragraph and its heading. Text has citations as [@key; @other].
type Section struct{ Title, Text string }

// Draft collects the sentences about a result. What they ask the result for and it does
// not have is an error of [Of].
type Draft struct {
	Result *report.Result

	sections []Section
	problems []error
}

// Of lets describe draft the text about a result that was read, ends it with the software,
// and checks the citations. Errors: an option that the result does not hold, or of another
// kind; a citation that is not in the bibliography; a result without models or numbers is
// none.
func Of(r *report.Result, describe func(*Draft)) (*Text, error) {
	d := &Draft{Result: r}
	describe(d)
	d.software()
	t := &Text{Analysis: r.Analysis}
	for _, s := range d.sections {
		if s.Text != "" {
			t.Sections = append(t.Sections, s)
		}
	}
	for _, key := range t.Keys() {
		if _, ok := Lookup(key); !ok {
			d.problems = append(d.problems, fmt.Errorf("the text cites %q, which is not in the bibliography", key))
		}
	}
	if err := errors.Join(d.problems...); err != nil {
		return nil, fmt.Errorf("methods of a result of %s: %w", r.Analysis, err)
	}
	return t, nil
}

// Section begins a section, or goes on with the one of this title.
func (d *Draft) Section(title string) {
	if i := slices.IndexFunc(d.sections, func(s Section) bool { return s.Title == title }); i >= 0 {
		s := d.sections[i]
		d.sections = append(slices.Delete(d.sections, i, i+1), s)
		return
	}
	d.sections = append(d.sections, Section{Title: title})
}

// Say adds sentences to the section, formatted as by fmt.Sprintf.
func (d *Draft) Say(format string, args ...any) {
	if len(d.sections) == 0 {
		d.Section("Methods")
	}
	text := fmt.Sprintf(format, args...)
	s := &d.sections[len(d.sections)-1]
	if s.Text != "" {
		s.Text += " "
	}
	s.Text += text
}

// option is a value as in the file; a missing one is a problem.
func (d *Draft) option(name string) any {
	v, ok := d.Result.Options.Get(name)
	if !ok {
		d.problems = append(d.problems, fmt.Errorf("the result has no option %q; it may come from another version (%s)", name, d.Result.Version))
	}
	return v
}

// Has reports whether the result has an option, whatever its value.
func (d *Draft) Has(name string) bool {
	_, ok := d.Result.Options.Get(name)
	return ok
}

// Text is the value of an option as text; lists are joined by commas.
func (d *Draft) Text(name string) string { return strings.Join(texts(d.option(name)), ",") }

// List is the value of an option that is a list, for a sentence: "5, 10 and 20".
func (d *Draft) List(name string) string { return Join(texts(d.option(name))) }

// Values are the values of an option that is a list.
func (d *Draft) Values(name string) []string { return texts(d.option(name)) }

// Yes is the value of an option that is set or not.
func (d *Draft) Yes(name string) bool {
	v, ok := d.option(name).(bool)
	if !ok && d.Has(name) {
		d.problems = append(d.problems, fmt.Errorf("option %q is %v, want true or false", name, d.Text(name)))
	}
	return v
}

// Number is the value of an option that is a number.
func (d *Draft) Number(name string) float64 {
	text := d.Text(name)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && d.Has(name) {
		d.problems = append(d.problems, fmt.Errorf("option %q is %q, want a number", name, text))
	}
	return v
}

// Models are the different values that the models of a result have at a path of scalars,
// such as "space", in their order.
func (d *Draft) Models(path ...string) []string {
	var out []string
	for v := range d.found(path) {
		if _, nested := v.(report.Object); nested {
			continue
		}
		if s := strings.Join(texts(v), ","); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Holds reports whether any model has a non-null value at a path. Values that were not computed are not described.
func (d *Draft) Holds(path ...string) bool {
	for v := range d.found(path) {
		if list, ok := v.([]any); !ok || len(list) > 0 {
			return true
		}
	}
	return false
}

// HoldsAny is Holds for any of several members of the parts of models.
func (d *Draft) HoldsAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return d.Holds(name) })
}

// Rows are the texts under a key in all rows of a list of the models, each once.
func (d *Draft) Rows(list, key string) []string {
	var out []string
	for v := range d.found([]string{list}) {
		rows, _ := v.([]any)
		for _, row := range rows {
			o, _ := row.(report.Object)
			value, _ := o.Get(key)
			for _, text := range texts(value) {
				if !slices.Contains(out, text) {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

// found are the values of all models at a path, but nulls; of a list a step takes the first row.
func (d *Draft) found(path []string) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, name := range d.Result.Models.Keys() {
			v, _ := d.Result.Models.Get(name)
			for _, step := range path {
				if rows, ok := v.([]any); ok && len(rows) > 0 {
					v = rows[0]
				}
				o, _ := v.(report.Object)
				v, _ = o.Get(step)
			}
			if v != nil && !yield(v) {
				return
			}
		}
	}
}

// Extra returns the entry next to the models with the given name.
func (d *Draft) Extra(name string) (report.Object, bool) {
	v, _ := d.Result.Extra.Get(name)
	o, ok := v.(report.Object)
	return o, ok
}

// texts are a scalar or the members of a list as text.
func texts(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return []string{v}
	case bool:
		return []string{strconv.FormatBool(v)}
	case json.Number:
		return []string{string(v)}
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, texts(item)...)
		}
		return out
	}
	return []string{fmt.Sprint(v)}
}

// Join lists words: "a", "a and b", "a, b and c".
func Join(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// networks are the roles of inputs that are run.
var networks = []string{"model", "baseline", "decoder", "predictor", "head", "encoder", "classifier", "perceptual model", "saliency model"}

// software ends a text: what else another needs for the same numbers.
func (d *Draft) software() {
	r := d.Result
	d.Section("Software")
	version := r.Version
	if r.Revision != "" {
		version += ", revision " + r.Revision
	}
	name := r.Analysis
	if r.Definition > 0 {
		name += fmt.Sprintf(" (definition %d of its numbers)", r.Definition)
	}
	d.Say("Everything was computed with %s of repscope %s (%s).", name, version, r.Go)
	switch {
	case r.Device != "cpu" && r.Device != "":
		d.Say("Networks ran on %s; their matrix products used %s operands and float32 sums.", r.Device, r.Precision)
	case slices.ContainsFunc(r.Inputs, func(in report.Input) bool { return slices.Contains(networks, in.Role) }):
		d.Say("Networks ran on the CPU in float32.")
	}
	if r.Kernel.Name != "" && len(r.Inputs) > 0 {
		d.Say("Matrix products on the CPU used the kernel %s, with sums in blocks of %d terms.", r.Kernel.Name, r.Kernel.KC)
	}
	draws := fmt.Sprintf("All random draws come from the seed %d", r.Seed)
	if r.Models.Len() == 0 { // a study: each task has its own
		draws = "All random draws of a task come from the seed in its result"
	}
	d.Say("Statistics were accumulated in float64. %s, and the same inputs, options and seed give the same numbers for any number of threads.", draws)
}

// citation is one pair of brackets with keys.
var citation = regexp.MustCompile(` ?\[@[^\]]+\]`)

// keysOf are the keys of one citation.
func keysOf(text string) []string {
	var keys []string
	for key := range strings.SplitSeq(strings.Trim(text, " []"), ";") {
		keys = append(keys, strings.TrimPrefix(strings.TrimSpace(key), "@"))
	}
	return keys
}

// Keys returns the keys of all cited works, each once, in the order of the text.
func (t *Text) Keys() []string {
	var keys []string
	for _, s := range t.Sections {
		for _, mark := range citation.FindAllString(s.Text, -1) {
			for _, key := range keysOf(mark) {
				if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
	}
	return keys
}

// References are the works that are cited, by their labels.
func (t *Text) References() []Reference {
	var out []Reference
	for _, key := range t.Keys() {
		if r, ok := Lookup(key); ok {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b Reference) int { return strings.Compare(a.label()+a.Key, b.label()+b.Key) })
	return out
}
