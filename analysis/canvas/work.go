// The work of an analysis in units: the rows of cases, and the statistics of all rows.

package canvas

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/parallel"
	"repscope/report"
	"repscope/shard"
)

// Definition is the version of the definitions of means, intervals and comparisons; the version of the numbers of a
// case is in [Kind.Definition].
const Definition = 1

// Part is the outcome of a range of units: of cases that follow each other.
type Part struct{ Cases []PartOfCase }

// PartOfCase are the rows of a case; Base is nil where there is none.
type PartOfCase struct {
	Row  PartRow
	Base *PartRow
}

// PartRow is a [Row] without reports: Values by key in the order of the kinds, Details as JSON with
// the kinds that they are of, in the order of their names.
type PartRow struct {
	Values   []report.Value
	Details  []byte
	Owners   []string
	Failures []string
}

// plan is the work of one analysis.
type plan struct {
	in         Input
	o          Options
	base       []Kind         // that are computed of the designs that modifications began with
	block      map[string]int // of every sample
	references *source.Cache[*design.View]
	bases      *source.Cache[*Row] // of designs that modifications began with, which the cases of a sample share
	done       sync.Mutex
}

// Work returns the analysis in units of cases; see [Analyze] for the result and the errors.
func Work(in Input, o Options) (shard.Work[*Part, *Result], error) {
	var none shard.Work[*Part, *Result]
	p, err := newPlan(in, o)
	if err != nil {
		return none, err
	}
	return shard.Work[*Part, *Result]{Units: len(in.Cases), Identity: p.identity, Map: p.score, Merge: p.merge}, nil
}

func newPlan(in Input, o Options) (*plan, error) {
	if o.Kinds == nil {
		o.Kinds = Usual()
	}
	switch {
	case len(in.Cases) == 0:
		return nil, errors.New("no cases to score")
	case len(o.Kinds) == 0:
		return nil, errors.New("no metrics to compute")
	}
	for _, k := range o.Kinds {
		for _, key := range k.Keys {
			if !(key.Low < key.High) {
				return nil, fmt.Errorf(
					"metric %s: %s has the range %v to %v, want Low below High", k.Name, key.Name, key.Low, key.High)
			}
		}
	}
	if err := checkCases(in.Cases); err != nil {
		return nil, err
	}
	if err := cmp.Or(checkRatings(in.Ratings), checkPreferences(in.Preferences)); err != nil {
		return nil, err
	}
	return &plan{in: in, o: o, base: BaseKinds(o.Kinds), block: numberSamples(in.Cases, o.Block.Length),
		references: source.NewCache[*design.View](2 * int64(parallel.Workers(o.Workers, len(in.Cases)))),
		bases:      source.NewCache[*Row](math.MaxInt64)}, nil
}

// checkCases finds two cases of one name.
func checkCases(cases []Case) error {
	type place struct {
		id       string
		snapshot int
	}
	seen := map[place]bool{}
	for i := range cases {
		step := place{cases[i].ID, cases[i].Snapshot}
		if seen[step] {
			return fmt.Errorf("two cases are named %s: only snapshots may share a name", cases[i].ID)
		}
		seen[step] = true
	}
	return nil
}

// BaseKinds are those that are computed of the design that a modification began with: all but
// those that read what the design itself does not hold.
func BaseKinds(all []Kind) []Kind {
	if !slices.ContainsFunc(all, func(k Kind) bool { return slices.ContainsFunc(k.Keys, func(key Key) bool { return key.Improved }) }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(k Kind) bool { return k.Needs&(NeedTrace|NeedExpectedTrace) != 0 })
}

// KeysOf are the names of all keys of kinds.
func KeysOf(all []Kind) []string {
	var out []string
	for _, k := range all {
		for _, key := range k.Keys {
			out = append(out, key.Name)
		}
	}
	return out
}

// score computes the rows of a range of cases.
func (p *plan) score(ctx context.Context, r shard.Range) (*Part, error) {
	part := &Part{Cases: make([]PartOfCase, r.Hi-r.Lo)}
	common := sync.OnceValue(p.common)
	contents := source.NewDigests(p.in.Read)
	err := parallel.Try(ctx, p.o.Workers, r.Hi-r.Lo, func(_, i int) (err error) {
		part.Cases[i], err = p.remembered(ctx, r.Lo+i, sync.OnceValue(func() shard.Identity { return p.identityOf(common(), contents, r.Lo+i) }))
		return err
	})
	return part, err
}

// remembered are the rows of a case, from the memory of a study if they are there. Reports and pictures are made each
// time, and so are rows of cases that failed.
func (p *plan) remembered(ctx context.Context, i int, identity func() shard.Identity) (PartOfCase, error) {
	remembers := !p.o.Setting.Reports && p.o.Setting.Picture == nil
	if remembers {
		if part, ok := shard.Recall[PartOfCase](ctx, identity); ok {
			row, err := p.rowsOf(i, &part)
			if err != nil {
				return part, err
			}
			return part, p.finish(i, row)
		}
	}
	row, err := p.scoreCase(ctx, i)
	if err != nil {
		return PartOfCase{}, err
	}
	var part PartOfCase
	if part.Row, err = partOf(row.Row, p.o.Kinds); err != nil {
		return part, fmt.Errorf("%s: %w", row.Case.ID, err)
	}
	if row.Base != nil {
		base, err := partOf(row.Base, p.base)
		if err != nil {
			return part, fmt.Errorf("%s: %w", row.Case.ID, err)
		}
		part.Base = &base
	}
	if remembers && len(part.Row.Failures) == 0 {
		shard.Keep(ctx, identity, part)
	}
	return part, nil
}

// rowsOf are the rows of case i that a part holds.
func (p *plan) rowsOf(i int, part *PartOfCase) (*CaseRow, error) {
	out := &CaseRow{Case: &p.in.Cases[i]}
	var err error
	if out.Row, err = part.Row.row(p.o.Kinds); err == nil && part.Base != nil {
		out.Base, err = part.Base.row(p.base)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", out.Case.ID, err)
	}
	return out, nil
}

// finish tells that the rows of a case are there.
func (p *plan) finish(i int, row *CaseRow) error {
	if p.o.Done == nil {
		return nil
	}
	p.done.Lock()
	defer p.done.Unlock()
	return p.o.Done(i, row)
}

// scoreCase computes the rows of a case.
func (p *plan) scoreCase(ctx context.Context, i int) (*CaseRow, error) {
	c := &p.in.Cases[i]
	pair := NewPair(ctx, c, p.o.Setting, p.in.Read, p.reference(c))
	row := &CaseRow{Case: c}
	var err error
	if row.Row, err = p.rowOf(ctx, pair, p.o.Kinds, i, false); err != nil {
		return nil, err
	}
	if c.Base != (Side{}) && len(p.base) > 0 {
		row.Base, err = p.bases.Get(BaseKey(c), func() (*Row, error) { return p.scoreBase(ctx, i, pair.Reference) }, nil)
		if err != nil {
			return nil, err
		}
		for _, text := range row.Base.Failures { // the case lacks its improvements
			row.Row.fail(errors.New(text))
		}
	}
	return row, p.finish(i, row)
}

// scoreBase computes the row of the design that a modification began with.
func (p *plan) scoreBase(ctx context.Context, i int, reference *design.View) (*Row, error) {
	c := p.in.Cases[i].BaseCase()
	o := *p.o.Setting
	o.Reports, o.Picture = false, nil
	pair := NewPair(ctx, &c, &o, p.in.Read, reference)
	pair.Generated = design.NewView(c.Generated, "design that was modified",
		p.in.Read).With(o.layoutOf(o.Layout.ReferenceNode))
	return p.rowOf(ctx, pair, p.base, i, true)
}

// rowOf computes kinds of a pair but for those that are known.
func (p *plan) rowOf(ctx context.Context, pair *Pair, kinds []Kind, i int, base bool) (*Row, error) {
	var earlier map[string]*Row
	if p.o.Known != nil {
		earlier = p.o.Known(i, base)
	}
	row := NewRow()
	for k := range kinds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if from := earlier[kinds[k].Name]; from != nil {
			row.take(from)
			row.Known[kinds[k].Name] = true
		} else {
			scoreKind(&kinds[k], pair, row)
		}
	}
	return row, ctx.Err()
}

// take enters what another row holds.
func (r *Row) take(from *Row) {
	for key, v := range from.Values {
		r.Values[key] = v
	}
	for key, v := range from.Details {
		r.Details[key], r.Owners[key] = v, from.Owners[key]
	}
	for key, v := range from.Reports {
		r.Reports[key], r.Owners[key] = v, from.Owners[key]
	}
	for _, text := range from.Failures {
		r.fail(errors.New(text))
	}
}

// partOf is a row as a part holds it.
func partOf(row *Row, kinds []Kind) (PartRow, error) {
	part := PartRow{Failures: row.Failures}
	for _, k := range kinds {
		for _, key := range k.Keys {
			v, ok := row.Values[key.Name]
			if !ok {
				return part, fmt.Errorf("metric %s does not report %s", k.Name, key.Name)
			}
			part.Values = append(part.Values, v)
		}
	}
	if len(row.Values) > len(part.Values) {
		keys := KeysOf(kinds)
		for key := range row.Values {
			if !slices.Contains(keys, key) {
				return part, fmt.Errorf("no metric describes %s", key)
			}
		}
	}
	if len(row.Details) > 0 {
		var text bytes.Buffer
		if err := report.Encode(&text, row.Details); err != nil {
			return part, err
		}
		part.Details = text.Bytes()
		for _, key := range slices.Sorted(maps.Keys(row.Details)) {
			part.Owners = append(part.Owners, row.Owners[key])
		}
	}
	return part, nil
}

// row is the row that a part holds.
func (p *PartRow) row(kinds []Kind) (*Row, error) {
	row := NewRow()
	keys := KeysOf(kinds)
	if len(keys) != len(p.Values) {
		return nil, fmt.Errorf("a row has %d numbers, want %d", len(p.Values), len(keys))
	}
	for i, key := range keys {
		row.Values[key] = p.Values[i]
	}
	row.Failures = p.Failures
	if p.Details == nil {
		return row, nil
	}
	details, err := report.Parse("details of a case", p.Details)
	if err != nil {
		return nil, err
	}
	object, ok := details.(report.Object)
	if !ok {
		return nil, errors.New("the details of a case are not an object")
	}
	names := object.Keys()
	if slices.Sort(names); len(names) != len(p.Owners) {
		return nil, fmt.Errorf("a row has %d details for %d metrics", len(names), len(p.Owners))
	}
	for i, key := range names {
		row.Details[key], _ = object.Get(key)
		row.Owners[key] = p.Owners[i]
	}
	return row, nil
}

// merge puts the rows together and summarizes them.
func (p *plan) merge(ctx context.Context, parts []*Part) (*Result, error) {
	r := &Result{}
	for _, part := range parts {
		for i := range part.Cases {
			next := len(r.Rows)
			if next == len(p.in.Cases) {
				return nil, errors.New("the parts have more cases than the run")
			}
			row, err := p.rowsOf(next, &part.Cases[i])
			if err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, *row)
		}
	}
	return r, p.summarize(ctx, r)
}

// identity identifies everything that determines the numbers.
func (p *plan) identity() shard.Identity {
	id := p.common()
	id.Inputs = append([]shard.Field{{Name: "cases", Value: digestOf(p.in.Cases, source.NewDigests(p.in.Read))}}, id.Inputs...)
	if p.in.Ratings != nil {
		sum := sha256.Sum256(fmt.Appendf(nil, "%#v", p.in.Ratings))
		id.Inputs = append(id.Inputs, shard.Field{Name: "ratings", Value: hex.EncodeToString(sum[:])})
	}
	if p.in.Preferences != nil {
		sum := sha256.New()
		for i := range p.in.Preferences {
			fmt.Fprintf(sum, "%#v\n", p.in.Preferences[i])
		}
		id.Inputs = append(id.Inputs, shard.Field{Name: "preferences", Value: hex.EncodeToString(sum.Sum(nil))})
	}
	for _, option := range []struct {
		name  string
		value any
	}{{"intervals", p.o.Intervals}, {"family", p.o.Family}, {"block", p.o.Block.Length}} {
		id.Options = append(id.Options, shard.Option(option.name, option.value))
	}
	return id
}

// common is the identity without cases and without options of the summary.
func (p *plan) common() shard.Identity {
	id, o := shard.Identity{Analysis: "canvas", Definition: Definition}, p.o.Setting
	for _, text := range slices.Concat(o.Images.Perceptual.Identity(), o.Saliency.Identity(), o.Semantic.Identity()) {
		id.Inputs = append(id.Inputs, shard.Field{Name: "shared", Value: text})
	}
	for _, k := range p.o.Kinds {
		id.Options = append(id.Options, shard.Option("metric "+k.Name, p.o.Setting.DefinitionOf(&k)))
	}
	id.Options = append(id.Options, shard.Option("definition", o.Definition), shard.Option("seed", o.Seed))
	return id
}

// identityOf identifies the rows of a case: the content of its files, and its names, as captions go by them and
// details may hold paths.
func (p *plan) identityOf(common shard.Identity, contents *source.Digests, i int) shard.Identity {
	return common.OfModel(digestOf(p.in.Cases[i:i+1], contents))
}

// digestOf is the digest of cases and of the content of their files.
func digestOf(cases []Case, contents *source.Digests) string {
	all := sha256.New()
	for i := range cases {
		fmt.Fprintf(all, "%#v\n", cases[i])
		for _, path := range cases[i].Files() {
			fmt.Fprintf(all, "%s\n", contents.Of(path))
		}
	}
	return hex.EncodeToString(all.Sum(nil))
}

// reference returns the view of the reference of a case; those that were looked at last are kept, so that cases of one
// sample read theirs once.
func (p *plan) reference(c *Case) *design.View {
	view, _ := p.references.Get(fmt.Sprintf("%q", c.Reference), func() (*design.View, error) {
		return design.NewView(c.Reference, "reference",
			p.in.Read).With(p.o.Setting.layoutOf(p.o.Setting.Layout.ReferenceNode)), nil
	}, nil)
	return view
}

// BaseKey tells apart the designs that modifications began with.
func BaseKey(c *Case) string { return fmt.Sprintf("%#v", c.BaseCase()) }
