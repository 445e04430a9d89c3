// The row of a case, made of computed and stored numbers.

package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/report"
)

// computed says what the numbers of a metric follow from: its definition, and the digests of the
// files that it read of the case and of those that all cases share.
type computed struct {
	definition, inputs, shared string
	details, reports           []string
	reported                   bool // reports, if there are any, were written
}

// computedOf is what a row says of a metric.
func computedOf(row report.Object, kind string) (computed, bool) {
	all := objectOf(row, memberComputed)
	entry := objectOf(all, kind)
	var c computed
	var definition, inputs bool
	c.definition, definition = ofText(entry, "definition")
	if c.inputs, inputs = ofText(entry, "inputs"); !definition || !inputs {
		return c, false
	}
	c.shared, _ = ofText(entry, "shared")
	c.details = textsOf(entry, "details")
	c.reports = textsOf(entry, "reports")
	_, c.reported = entry.Get("reports")
	return c, true
}

// object is the member of a row.
func (c *computed) object() report.Object {
	var o report.Object
	o.Set("definition", c.definition)
	o.Set("inputs", c.inputs)
	if c.shared != "" {
		o.Set("shared", c.shared)
	}
	if len(c.details) > 0 {
		o.Set("details", c.details)
	}
	if c.reported {
		o.Set("reports", append([]string{}, c.reports...))
	}
	return o
}

// digestOfOthers is the digest of what a row says of all metrics but some.
func digestOfOthers(row report.Object, but []string) string {
	all := objectOf(row, memberComputed)
	content := sha256.New()
	for _, kind := range slices.Sorted(slices.Values(all.Keys())) {
		if entry, ok := computedOf(row, kind); ok && !slices.Contains(but, kind) {
			fmt.Fprintf(content, "%q %q %s %s\n", kind, entry.definition, entry.inputs, entry.shared)
		}
	}
	return hex.EncodeToString(content.Sum(nil))
}

// builder makes the row of a case.
type builder struct {
	store     *Store
	c         *source.Case
	row, base *canvas.Row
	earlier   report.Object // empty if there is none
	reported  bool          // reports that are asked for are written

	out, reasons, computed report.Object
	values                 map[string]report.Value // that are entered, by key
}

// build makes the row: the metrics of the run, those that the earlier row has of the same inputs
// and definitions, and what other programs have entered into that.
func (b *builder) build() report.Object {
	s := b.store
	b.values = map[string]report.Value{}
	b.out.Set(memberID, b.c.Sample)
	b.out.Set(memberModel, b.c.Model)
	b.out.Set(memberSnapshot, nil)
	if b.c.Snapshot >= 0 {
		b.out.Set(memberSnapshot, b.c.Snapshot)
	}
	for k := range s.All {
		kind := &s.All[k]
		if slices.ContainsFunc(s.Kinds, func(of canvas.Kind) bool { return of.Name == kind.Name }) {
			b.enter(kind)
		} else if kind.Needs != 0 {
			b.keep(kind)
		}
	}
	if s.Settings.Documented() {
		for _, name := range slices.Sorted(maps.Keys(unpublished)) {
			b.value(name, report.Undefined("%s", unpublished[name]))
		}
	}
	b.enterOthers()
	b.improvements()
	b.foreign()
	b.out.Set(memberDefinition, s.Settings.Definition)
	b.out.Set(memberReasons, b.reasons)
	b.out.Set(memberComputed, b.computed)
	return b.out
}

// value enters a number under its name in the row.
func (b *builder) value(name string, v report.Value) {
	if v.Defined() {
		b.out.Set(name, v.V)
		return
	}
	b.out.Set(name, nil)
	b.reasons.Set(name, reasonOfValue(v))
}

// number enters a number of a metric.
func (b *builder) number(key string, v report.Value) {
	b.values[key] = v
	b.value(nameIn(b.store.Settings.Definition, key), v)
}

// reasonOfValue is why a number is null.
func reasonOfValue(v report.Value) string {
	if v.Reason != "" {
		return v.Reason
	}
	return "the value is not defined"
}

// enter enters the numbers of a metric of the run.
func (b *builder) enter(k *canvas.Kind) {
	s := b.store
	if _, computed := b.row.Values[k.Keys[0].Name]; !computed {
		return // it is none of a design that was modified
	}
	if _, skip := s.Skipped[k.Name]; skip && b.keep(k) {
		return
	}
	definition := s.Settings.Definition
	for _, key := range k.Keys {
		b.number(key.Name, b.row.Values[key.Name])
	}
	entry := computed{definition: s.Settings.DefinitionOf(k), reported: b.reported && s.Settings.HasReports(k)}
	for _, detail := range slices.Sorted(maps.Keys(b.row.Owners)) {
		if b.row.Owners[detail] != k.Name {
			continue
		}
		if value, ok := b.row.Details[detail]; ok {
			b.out.Set(nameIn(definition, detail), value)
			entry.details = append(entry.details, detail)
		}
		if _, ok := b.row.Reports[detail]; ok {
			entry.reports = append(entry.reports, detail)
		}
	}
	if _, skip := s.Skipped[k.Name]; skip || b.row.Failed[k.Name] || k.Needs == 0 {
		return // what failed is computed again; for the last see enterOthers
	}
	entry.inputs, entry.shared = k.Inputs(s.Digests, b.c), s.Settings.SharedInputs(k)
	if b.row.Known[k.Name] {
		before, _ := computedOf(b.earlier, k.Name)
		entry.reports, entry.reported = before.reports, before.reported
	}
	b.computed.Set(k.Name, entry.object())
}

// enterOthers says of metrics that read the numbers of others what they follow from, as the last;
// it takes them over from the earlier row where that is the same.
func (b *builder) enterOthers() {
	s := b.store
	inputs := digestOfOthers(rowWith(b.computed), s.derived())
	for k := range s.All {
		kind := &s.All[k]
		if kind.Needs != 0 {
			continue
		}
		if _, present := b.row.Values[kind.Keys[0].Name]; present {
			entry := computed{definition: s.Settings.DefinitionOf(kind), inputs: inputs}
			b.computed.Set(kind.Name, entry.object())
		} else if entry, ok := computedOf(b.earlier, kind.Name); ok && entry.inputs == inputs {
			b.keep(kind)
		}
	}
}

// keep takes a metric that is not computed over from the earlier row, with all that it says of it,
// if it is of the same files of the case. What another program has entered, which says no inputs,
// is kept as it is.
func (b *builder) keep(k *canvas.Kind) bool {
	s, definition := b.store, b.store.Settings.Definition
	if _, ours := b.earlier.Get(memberComputed); !ours {
		return b.keepForeign(k)
	}
	entry, ok := computedOf(b.earlier, k.Name)
	if !ok || k.Needs != 0 && entry.inputs != k.Inputs(s.Digests, b.c) {
		return false
	}
	row := s.held(k, &entry, b.earlier)
	if row == nil {
		return false
	}
	for _, key := range k.Keys {
		b.number(key.Name, row.Values[key.Name])
	}
	for _, detail := range slices.Sorted(maps.Keys(row.Details)) {
		b.out.Set(nameIn(definition, detail), row.Details[detail])
	}
	b.computed.Set(k.Name, entry.object())
	return true
}

// keepForeign takes over what another program has entered under the names of a metric.
func (b *builder) keepForeign(k *canvas.Kind) bool {
	present := false
	for _, key := range k.Keys {
		name := nameIn(b.store.Settings.Definition, key.Name)
		if value, ok := b.earlier.Get(name); ok {
			b.out.Set(name, value)
			present = true
			if value == nil {
				b.reasons.Set(name, "null in a row written by another program")
			}
		}
	}
	return present
}

// improvements enters the differences to the design that a modification began with.
func (b *builder) improvements() {
	if b.c.Base == (source.Side{}) {
		return
	}
	for k := range b.store.All {
		kind := &b.store.All[k]
		base := b.ofBase(kind)
		for _, key := range kind.Keys {
			if v, entered := b.values[key.Name]; entered && base != nil && key.Improved {
				of := canvas.CaseRow{Case: b.c, Row: &canvas.Row{Values: map[string]report.Value{key.Name: v}}, Base: base}
				b.value(nameIn(b.store.Settings.Definition, key.Name)+improvementSuffix, of.Improvement(key.Name))
			}
		}
	}
}

// ofBase are the numbers of a metric of the design that the modification began with: of the
// run, else the stored ones; nil if there are none.
func (b *builder) ofBase(k *canvas.Kind) *canvas.Row {
	if b.base != nil {
		if _, computed := b.base.Values[k.Keys[0].Name]; computed {
			return b.base
		}
	}
	c := b.c.BaseCase()
	row, _ := b.store.row(b.store.keyOf(&c), true)
	entry, ok := computedOf(row, k.Name)
	if !ok || k.Needs != 0 && entry.inputs != k.Inputs(b.store.Digests, &c) {
		return nil
	}
	return b.store.held(k, &entry, row)
}

// improvementSuffix ends the names of differences to the base.
const improvementSuffix = "_improvement"

// foreign keeps the members of the earlier row that no metric and no definition knows.
func (b *builder) foreign() {
	members := map[string]bool{memberID: true, memberModel: true, memberSnapshot: true, memberDefinition: true,
		memberReasons: true, memberComputed: true}
	for _, k := range b.store.All {
		for _, key := range k.Keys {
			members[key.Name] = true
			members[nameIn(canvas.DefinitionPublished, key.Name)] = true
		}
		entry, _ := computedOf(b.earlier, k.Name)
		for _, detail := range entry.details {
			members[nameIn(b.store.Settings.Definition, detail)] = true
		}
	}
	for name := range unpublished {
		members[name] = true
	}
	for _, key := range b.earlier.Keys() {
		if members[key] || members[strings.TrimSuffix(key, improvementSuffix)] {
			continue
		}
		if _, own := b.out.Get(key); !own {
			value, _ := b.earlier.Get(key)
			b.out.Set(key, value)
		}
	}
}

// reported reports whether the reports of a metric that is known are where they were written.
func (s *Store) reported(c *source.Case, k *canvas.Kind, earlier report.Object) bool {
	entry, ok := computedOf(earlier, k.Name)
	if !ok || !entry.reported {
		return false
	}
	for _, name := range entry.reports {
		path := filepath.Join(s.Dir, ReportPath(c, name))
		if !IsFile(path) && !IsFile(path+Partial) {
			return false
		}
	}
	return true
}

// rowWith is a row of nothing but what it says of metrics.
func rowWith(computed report.Object) report.Object {
	var row report.Object
	row.Set(memberComputed, computed)
	return row
}
