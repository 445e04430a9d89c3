// How a report arranges models: order, labels and groups of the suite, and the number by which they are sorted.

package evaluate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/tool/evaluate/page"
)

// arranged is a model of the key models, or all models below it: run/a is run/a/100 and run/a/200 too.
type arranged struct {
	Model string `json:"model"`
	Label string `json:"label,omitempty"` // its name in the report; empty: its own
	Group string `json:"group,omitempty"`
}

// names reports whether a model is the one of the entry, or below it.
func (m arranged) names(name string) bool {
	return name == m.Model || strings.HasPrefix(name, m.Model+"/")
}

// arrangement is the order and the names of models in the report.
type arrangement struct {
	Models []arranged `json:"models"`
	Sort   string     `json:"sort,omitempty"` // ANALYSIS.METRIC: the best first, in each group
}

// arrangedKeys are the keys of a model.
var arrangedKeys = []string{"label", "group"}

// arrangement reads the key models: a list of names, or names with a label or {label, group}.
func (r *reader) arrangement(e *entry) ([]arranged, error) {
	if e == nil {
		return nil, nil
	}
	var list []arranged
	if e.value.Kind == yaml.SequenceNode {
		values, err := r.texts(e)
		if err != nil {
			return nil, err
		}
		for _, n := range values {
			if slices.ContainsFunc(list, func(m arranged) bool { return m.Model == n.Value }) {
				return nil, r.errorf(n, "models: %q is there twice", n.Value)
			}
			list = append(list, arranged{Model: n.Value})
		}
		return list, nil
	}
	keys, err := r.mapping(e.value, e.name)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		m := arranged{Model: k.key.Value}
		switch {
		case k.value.Kind == yaml.MappingNode:
			err = r.arrangedAs(&m, &k)
		case k.value.Tag != "!!null":
			m.Label, err = r.text(&k)
		}
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(list, func(o arranged) bool { return m.Label != "" && o.Label == m.Label }); i >= 0 {
			return nil, r.errorf(k.value, "models: %q and %q have the label %q; want different ones",
				list[i].Model, m.Model, m.Label)
		}
		list = append(list, m)
	}
	return list, nil
}

// arrangedAs reads {label: …, group: …}.
func (r *reader) arrangedAs(m *arranged, e *entry) error {
	keys, err := r.mapping(e.value, "model "+m.Model)
	if err != nil {
		return err
	}
	for _, k := range keys {
		value := &m.Label
		switch k.name {
		case "label":
		case "group":
			value = &m.Group
		default:
			return r.unknown(k, "model "+m.Model, arrangedKeys)
		}
		if *value, err = r.text(&k); err != nil {
			return err
		}
	}
	return nil
}

// find returns the entry of a model: its own, or the first one above it; -1 if there is none.
func (a *arrangement) find(name string) int {
	if i := slices.IndexFunc(a.Models, func(m arranged) bool { return m.Model == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(a.Models, func(m arranged) bool { return m.names(name) })
}

// label is the name of a model in the report.
func (a *arrangement) label(name string) string {
	if i := a.find(name); i >= 0 && a.Models[i].Label != "" {
		return a.Models[i].Label + name[len(a.Models[i].Model):]
	}
	return name
}

// group is the group of a model, empty if it has none.
func (a *arrangement) group(name string) string {
	if i := a.find(name); i >= 0 {
		return a.Models[i].Group
	}
	return ""
}

// order compares models: models of a group are together where its first one is, and models that are not named come
// last. With values, models of a group are sorted by them, and models without a group come last.
func (a *arrangement) order(values map[string]float64) func(x, y string) int {
	key := func(name string) [3]float64 {
		i := a.find(name)
		k := [3]float64{float64(len(a.Models)), float64(i), math.Inf(1)}
		if i < 0 {
			k[1] = k[0]
		} else if g := a.Models[i].Group; g != "" {
			k[0] = float64(slices.IndexFunc(a.Models, func(m arranged) bool { return m.Group == g }))
		} else if values == nil {
			k[0] = k[1]
		}
		if v, ok := values[name]; ok {
			k[2] = v
		}
		if values != nil {
			k[1] = 0
		}
		return k
	}
	return func(x, y string) int {
		a, b := key(x), key(y)
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
	}
}

// view is the sections of a report, after its arrangement.
type view struct {
	sections []page.Section
	tables   []page.Table
	groups   map[string]string // by the names that are shown
	warnings []string
}

// arrange puts the models of results into their order, under their labels. checkpointsOf returns the checkpoints of a
// table before. Errors: a number to sort by that no result has.
func (a *arrangement) arrange(sections []page.Section, checkpointsOf func(*page.Table) []page.Checkpoint,
) (*view, error) {
	tables, err := page.Tables(sections)
	if err != nil {
		return nil, err
	}
	for i := range tables {
		tables[i].Checkpoints = checkpointsOf(&tables[i])
	}
	if len(a.Models) == 0 && a.Sort == "" || len(tables) == 0 {
		return &view{sections: sections, tables: tables}, nil
	}
	v := &view{sections: slices.Clone(sections), groups: map[string]string{}}
	sorted, present := a.Sort == "", map[string]bool{}
	for i := range tables {
		values := a.values(&tables[i])
		sorted = sorted || values != nil
		a.dataset(&tables[i], v, values, present)
	}
	if !sorted {
		return nil, a.unsorted(tables)
	}
	a.warn(v, slices.Sorted(maps.Keys(present)))
	arranged, err := page.Tables(v.sections)
	for i := range arranged {
		arranged[i].Checkpoints = tables[i].Checkpoints
	}
	v.tables = arranged
	return v, err
}

// dataset puts the models of a table and its results into their order, under their labels, and enters them as present.
func (a *arrangement) dataset(t *page.Table, v *view, values map[string]float64, present map[string]bool) {
	names := a.names(t, v)
	for from, to := range names {
		present[from] = true
		if g := a.group(from); g != "" {
			v.groups[to] = g
		}
	}
	t.Checkpoints = slices.Clone(t.Checkpoints)
	for i, c := range t.Checkpoints {
		t.Checkpoints[i].Model, t.Checkpoints[i].Series = cmp.Or(names[c.Model], c.Model), a.label(c.Series)
		if g := a.group(c.Series); g != "" {
			v.groups[a.label(c.Series)] = g
		}
	}
	for k := range v.sections {
		if s := &v.sections[k]; s.Dataset == t.Dataset {
			order := slices.SortedStableFunc(slices.Values(s.Result.Models.Keys()), a.order(values))
			s.Result = arrangedResult(s.Result, order, names)
		}
	}
}

// warn warns of models that no result has.
func (a *arrangement) warn(v *view, present []string) {
	for _, m := range a.Models {
		if slices.ContainsFunc(present, m.names) {
			continue
		}
		warning := fmt.Sprintf("models: no result has a model %q", m.Model)
		if near := text.Nearest(m.Model, present); near != "" {
			warning += fmt.Sprintf("; did you mean %q?", near)
		}
		v.warnings = append(v.warnings, warning)
	}
}

// names are the names under which the models of a table are shown. A label that is the name of another model is not
// used.
func (a *arrangement) names(t *page.Table, v *view) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for _, name := range t.Models {
		if a.label(name) == name {
			names[name], taken[name] = name, true
		}
	}
	for _, name := range t.Models {
		label := a.label(name)
		if label == name {
			continue
		}
		if taken[label] {
			v.warnings = append(v.warnings,
				fmt.Sprintf("models: the label %q of %s is the name of another model; %s keeps its name", label, name,
					name))
			label = name
		}
		names[name], taken[label] = label, true
	}
	return names
}

// values are the numbers by which the models of a table are sorted, the best first; nil if it does not have them. Of a
// metric with a parameter they are the middle column.
func (a *arrangement) values(t *page.Table) map[string]float64 {
	var columns []int
	for i, c := range t.Columns {
		if name := c.Analysis + "."; a.Sort == name+c.Path || a.Sort == name+report.Family(c.Path) {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	column, sign := columns[len(columns)/2], -1.0
	if t.Columns[column].Direction == report.Lower {
		sign = 1
	}
	values := map[string]float64{}
	for r, name := range t.Models {
		if c := t.Rows[r][column]; c.Value.Defined() {
			values[name] = sign * c.Value.V
		}
	}
	return values
}

// unsorted is the error of a number that no table has.
func (a *arrangement) unsorted(tables []page.Table) error {
	var names []string
	for _, t := range tables {
		for _, c := range t.Columns {
			names = append(names, c.Analysis+"."+report.Family(c.Path))
		}
	}
	slices.Sort(names)
	err := run.Usage("--sort %s: no result has this number", a.Sort)
	return run.Hint(err, text.DidYouMean("", a.Sort, slices.Compact(names)), "want ANALYSIS.METRIC of the summary")
}

// arrangedResult is a copy of a result with its models in an order and under other names.
func arrangedResult(r *report.Result, order []string, names map[string]string) *report.Result {
	named := func(o report.Object) report.Object {
		var out report.Object
		for _, name := range order {
			if part, ok := o.Get(name); ok {
				out.Set(names[name], part)
			}
		}
		return out
	}
	rename := func(name *string) { *name = cmp.Or(names[*name], *name) }
	c := *r
	c.Models = named(r.Models)
	c.Inputs, c.Comparisons, c.Extremes = slices.Clone(r.Inputs), slices.Clone(r.Comparisons), slices.Clone(r.Extremes)
	for i := range c.Inputs {
		rename(&c.Inputs[i].Name)
	}
	for i := range c.Comparisons {
		rename(&c.Comparisons[i].A)
		rename(&c.Comparisons[i].B)
	}
	for i := range c.Extremes {
		c.Extremes[i].Highest, c.Extremes[i].Lowest = named(r.Extremes[i].Highest), named(r.Extremes[i].Lowest)
	}
	return &c
}

// saved is the arrangement of a study in a folder, by the names in its results; nothing where there is none.
func saved(folder string) (list []arranged) {
	r, err := report.Read(filepath.Join(folder, "evaluate.json"))
	if err != nil {
		return nil
	}
	models, _ := r.Extra.Get("arrangement")
	items, _ := models.([]any)
	for _, item := range items {
		o, _ := item.(report.Object)
		field := func(key string) string {
			value, _ := o.Get(key)
			name, _ := value.(string)
			return name
		}
		if m := (arranged{field("model"), field("label"), field("group")}); m.Model != "" {
			list = append(list, m)
		}
	}
	return list
}
