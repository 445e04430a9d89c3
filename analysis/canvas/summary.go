// The numbers of models: means over cases with intervals, and comparisons.

package canvas

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/internal/parallel"
	"repscope/internal/text"
	"repscope/report"
	"repscope/stat"
)

// ModelResult is the result of one design model.
type ModelResult struct {
	Name string
	// Cases and Samples count final designs; Failed are cases with some file that could
	// not be read.
	Cases, Samples, Failed int
	Numbers                []Number // by key, in the order of the kinds
	Progress               []Progress
	// Object is the part of the result file.
	Object report.Object

	Rows []int // of [Result.Rows]: final designs
}

// Number is the mean of a key over the cases of a model that have it.
type Number struct {
	Key             Key
	report.Estimate // the mean and the standard deviation over cases, with n in its denominator
	N               int
	Missing         []Missing
	// Improvement is how a modification moved it; nil in tasks where nothing is modified.
	Improvement *Improvement
}

// Missing are cases without a number, for one reason.
type Missing struct {
	Reason string
	Cases  int
}

// Improvement is the mean difference between the generated design and the one that the
// modification began with, both compared with the target.
type Improvement struct {
	Key  Key
	Base report.Value // mean of the designs that it began with, over the same cases
	report.Estimate
	N                      int
	Raised, Lowered, Equal int // samples by the sign of their mean difference
	// P is the two-sided p value of the sign test over samples, PHolm that after Holm's correction
	// over the keys of the model.
	P, PHolm report.Value
}

// summarize adds models and comparisons to the rows of a result.
func (p *plan) summarize(ctx context.Context, r *Result) error {
	r.Models = modelsOf(r.Rows, p.o.Models)
	r.describeInputs()
	for i := range r.Models {
		m := &r.Models[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		m.count(r)
		for _, key := range p.keys() {
			n, err := p.number(r, m, key)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", m.Name, key.Name, err)
			}
			m.Numbers = append(m.Numbers, *n)
		}
		m.correct()
		if err := p.progress(r, m); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		m.enter()
	}
	if p.o.Intervals {
		p.describeBlocks(r)
		if err := p.compare(ctx, r); err != nil {
			return err
		}
	}
	if err := p.agree(ctx, r); err != nil {
		return err
	}
	return p.prefer(ctx, r)
}

// keys are the numbers of all metrics of the run.
func (p *plan) keys() []Key {
	var out []Key
	for _, k := range p.o.Kinds {
		out = append(out, k.Keys...)
	}
	return out
}

// eachKey calls f for all numbers, several at a time; errors name the number and other, which it is compared with.
func (p *plan) eachKey(ctx context.Context, other string, f func(i int, key *Key) error) error {
	keys := p.keys()
	return parallel.Try(ctx, p.o.Workers, len(keys), func(_, i int) error {
		if err := f(i, &keys[i]); err != nil {
			return fmt.Errorf("%s and %s: %w", keys[i].Name, other, err)
		}
		return ctx.Err()
	})
}

// describeBlocks says what intervals rest on, and warns where that is little.
func (p *plan) describeBlocks(r *Result) {
	var samples []string
	for _, row := range r.Rows {
		if row.Case.Snapshot < 0 {
			samples = append(samples, row.Case.Sample)
		}
	}
	blocks, err := p.bySample(samples)
	if err != nil {
		r.Warnings = append(r.Warnings, "intervals are left out: "+stat.Reason(err))
		return
	}
	r.Blocks = p.count(blocks.Count())
	const plenty = 10
	if blocks.Count() < plenty {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"intervals are based on only %s and are therefore wide; use at least %d", r.Blocks, plenty))
	}
}

// modelsOf are the models with the rows of their final designs: in the given order, then in that
// in which they begin.
func modelsOf(rows []CaseRow, order []string) []ModelResult {
	var out []ModelResult
	for i, row := range rows {
		k := slices.IndexFunc(out, func(m ModelResult) bool { return m.Name == row.Case.Model })
		if k < 0 {
			k = len(out)
			out = append(out, ModelResult{Name: row.Case.Model})
		}
		if row.Case.Snapshot < 0 {
			out[k].Rows = append(out[k].Rows, i)
		}
	}
	place := func(m ModelResult) int {
		if at := slices.Index(order, m.Name); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortStableFunc(out, func(a, b ModelResult) int { return place(a) - place(b) })
	return out
}

// count fills in how many cases there are.
func (m *ModelResult) count(r *Result) {
	seen := map[string]bool{}
	for _, i := range m.Rows {
		seen[r.Rows[i].Case.Sample] = true
		if len(r.Rows[i].Row.Failures) > 0 {
			m.Failed++
		}
	}
	m.Cases, m.Samples = len(m.Rows), len(seen)
}

// number is the mean of a key.
func (p *plan) number(r *Result, m *ModelResult, key Key) (*Number, error) {
	n := &Number{Key: key}
	var samples []string
	var values []float64
	modified := false
	for _, i := range m.Rows {
		row := r.Rows[i]
		modified = modified || row.Base != nil
		v := row.Row.Values[key.Name]
		if v.Defined() {
			samples, values = append(samples, row.Case.Sample), append(values, v.V)
			continue
		}
		n.missing(v.Reason)
	}
	n.N = len(values)
	var err error
	if n.Estimate, err = p.mean(&key, samples, values, n.Why()); err != nil {
		return nil, err
	}
	if modified && key.Improved {
		n.Improvement, err = p.improvement(r, m, key)
	}
	return n, err
}

// missing counts a case without a number.
func (n *Number) missing(reason string) {
	if reason == "" {
		reason = "not a number"
	}
	i := slices.IndexFunc(n.Missing, func(m Missing) bool { return m.Reason == reason })
	if i < 0 {
		i = len(n.Missing)
		n.Missing = append(n.Missing, Missing{Reason: reason})
	}
	n.Missing[i].Cases++
}

// Why returns the reason of a number that no case has: the most frequent one, the first of equals.
func (n *Number) Why() string {
	reason, cases := "no final design", 0
	for _, m := range n.Missing {
		if m.Cases > cases {
			reason, cases = m.Reason, m.Cases
		}
	}
	return reason
}

// mean averages values of cases, with their spread and its interval; the reason says why there is no
// values.
func (p *plan) mean(key *Key, samples []string, values []float64, reason string) (report.Estimate, error) {
	e := report.NoEstimate("%s", reason)
	if len(values) == 0 {
		e.SD = &e.Value
		return e, nil
	}
	middle := stat.Mean(values)
	e.Value, e.SD = report.NumberOr(middle, "the mean is undefined"), new(report.NumberOr(deviation(values, middle),
		"the spread is undefined"))
	if !p.o.Intervals {
		e.CI = results.IntervalOf(nil)
		return e, nil
	}
	j, err := p.jackknifeMean(samples, values)
	if err != nil {
		e.CI = report.NoInterval("%s", stat.Reason(err))
		return e, nil
	}
	e.CI = results.IntervalOf(key.within(j))
	return e, nil
}

// deviation is the standard deviation of values with their number in the denominator.
func deviation(values []float64, mean float64) float64 {
	squares := 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(squares / float64(len(values)))
}

// improvement is how modifications moved a key.
func (p *plan) improvement(r *Result, m *ModelResult, key Key) (*Improvement, error) {
	out := &Improvement{Key: key.difference(key.Name + "_improvement")}
	var samples []string
	var bases, differences []float64
	var none Number
	for _, i := range m.Rows {
		row := r.Rows[i]
		d := row.Improvement(key.Name)
		if !d.Defined() {
			none.missing(d.Reason)
			continue
		}
		samples, bases, differences = append(samples, row.Case.Sample), append(bases, row.Base.Values[key.Name].V), append(differences, d.V)
	}
	out.N = len(differences)
	var err error
	if out.Estimate, err = p.mean(&out.Key, samples, differences, none.Why()); err != nil {
		return nil, err
	}
	out.Base, out.P, out.PHolm = out.Value, out.Value, out.Value
	if out.N == 0 {
		return out, nil
	}
	out.Base = report.Number(stat.Mean(bases))
	return out, out.signs(samples, differences)
}

// Improvement is the difference of a key between the generated design and the one that the
// modification began with.
func (c *CaseRow) Improvement(key string) report.Value {
	v := c.Row.Values[key]
	switch {
	case c.Base == nil:
		return report.Undefined("the base design of the modification is missing")
	case !v.Defined():
		return v
	case !c.Base.Values[key].Defined():
		return report.Undefined("base design of the modification: %s", c.Base.Values[key].Reason)
	}
	return report.Number(v.V - c.Base.Values[key].V)
}

// signs adds the sign test over samples.
func (m *Improvement) signs(samples []string, differences []float64) error {
	var order []string
	sums := map[string]float64{}
	for i, sample := range samples {
		if _, ok := sums[sample]; !ok {
			order = append(order, sample)
		}
		sums[sample] += differences[i]
	}
	signs := make([]float64, len(order))
	for i, sample := range order {
		switch sum := sums[sample]; {
		case sum > 0:
			m.Raised++
			signs[i] = 1
		case sum < 0:
			m.Lowered++
			signs[i] = -1
		default:
			m.Equal++
		}
	}
	if rho := stat.Alike(signs); rho > 0 {
		m.P = report.Undefined("improvements of neighboring samples are alike (correlation %.2f), and the sign test "+
			"takes samples as independent", rho)
		m.PHolm = m.P
		return nil
	}
	probability, err := stat.McNemar(m.Raised, m.Lowered)
	m.P = report.Number(probability)
	return err
}

// correct applies Holm's correction to the sign tests of a model.
func (m *ModelResult) correct() {
	var all []*Improvement
	var p []float64
	for _, n := range m.Numbers {
		if n.Improvement != nil && n.Improvement.P.Defined() && n.Improvement.N > 0 {
			all, p = append(all, n.Improvement), append(p, n.Improvement.P.V)
		}
	}
	for i, v := range stat.Holm(p) {
		all[i].PHolm = report.Number(v)
	}
}

// compare compares all models on the cases that both have, matched by sample and variant.
func (p *plan) compare(ctx context.Context, r *Result) error {
	type task struct {
		key    *Key
		a, b   int
		rows   []report.Comparison
		models []*stat.Jackknifed // a and b
		reason string
	}
	var tasks []task
	for _, key := range ComparedKeys(p.o.Kinds) {
		for a := range r.Models {
			for b := a + 1; b < len(r.Models); b++ {
				tasks = append(tasks, task{key: &key, a: a, b: b})
			}
		}
	}
	err := parallel.Try(ctx, p.o.Workers, len(tasks), func(_, i int) (err error) {
		t := &tasks[i]
		if t.rows, t.models, t.reason, err = p.comparePair(r, t.key, t.a, t.b); err != nil {
			return fmt.Errorf("comparing %s: %w", t.key.Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	neighbors := &results.Neighbors{Unit: "sample",
		Fix: "give samples that belong together one name, or use longer blocks (--block)"}
	for _, t := range tasks {
		for i, j := range t.models {
			neighbors.Add(r.Models[[]int{t.a, t.b}[i]].Name, j)
		}
	}
	warned, withdrawn := map[[2]int]bool{}, 0
	for _, t := range tasks {
		withdrawn += neighbors.Withdraw(t.rows, func(name string) *stat.Jackknifed {
			if name == r.Models[t.a].Name {
				return t.models[0]
			}
			return t.models[1]
		})
		r.Comparisons = append(r.Comparisons, t.rows...)
		if pair := [2]int{t.a, t.b}; t.reason != "" && !warned[pair] {
			warned[pair] = true
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s and %s are not compared on %s: %s", r.Models[t.a].Name, r.Models[t.b].Name, t.key.Name, t.reason))
		}
	}
	names := make([]string, len(r.Models))
	for m := range r.Models {
		names[m] = r.Models[m].Name
	}
	r.Warnings = append(r.Warnings, neighbors.Warnings(names, withdrawn)...)
	results.Correct(r.Comparisons, p.o.Family)
	return nil
}

// comparePair compares two models on a key; the reason is why they cannot be.
func (p *plan) comparePair(r *Result, key *Key, a, b int) (
	rows []report.Comparison, estimates []*stat.Jackknifed, reason string, err error,
) {
	samples, first, second := r.paired(key.Name, a, b)
	if len(samples) == 0 {
		return nil, nil, "", nil // no case of both has it, which its counts say
	}
	blocks, err := p.bySample(samples)
	if err != nil {
		return nil, nil, stat.Reason(err), nil
	}
	for _, values := range [][]float64{first, second} {
		j, err := stat.JackknifeMean(blocks, values)
		if err != nil {
			return nil, nil, stat.Reason(err), nil
		}
		estimates = append(estimates, ofSamples(j))
	}
	// Where no deletion changes either model nothing shows the error of their difference.
	if estimates[0].StdError == 0 && estimates[1].StdError == 0 {
		return nil, nil, "", nil
	}
	names := []string{r.Models[a].Name, r.Models[b].Name}
	rows, err = results.Pairwise(results.Metric{Name: key.Name, Family: key.Name}, names, estimates, p.o.Setting.Seed)
	return rows, estimates, "", err
}

// matched names what a case of one model is paired with a case of another by.
type matched struct {
	sample, variant string
	number          int // of several cases of one model
}

// paired are the values of the cases that two models both have, in the order of the first.
func (r *Result) paired(key string, a, b int) (samples []string, first, second []float64) {
	other := map[matched]float64{}
	for at, v := range r.valuesOf(key, b) {
		other[at] = v
	}
	for match, v := range r.valuesOf(key, a) {
		if w, ok := other[match]; ok {
			samples, first, second = append(samples, match.sample), append(first, v), append(second, w)
		}
	}
	return samples, first, second
}

// valuesOf walks over the cases of a model that have a key, in their order.
func (r *Result) valuesOf(key string, model int) func(yield func(matched, float64) bool) {
	return func(yield func(matched, float64) bool) {
		seen := map[matched]int{}
		for _, i := range r.Models[model].Rows {
			c := r.Rows[i].Case
			match := matched{sample: c.Sample, variant: c.Variant}
			seen[match]++
			match.number = seen[matched{sample: c.Sample, variant: c.Variant}]
			if v := r.Rows[i].Row.Values[key]; v.Defined() && !yield(match, v.V) {
				return
			}
		}
	}
}

// enter fills the part of the result file.
func (m *ModelResult) enter() {
	o := &m.Object
	o.Set("cases", m.Cases)
	o.Set("samples", m.Samples)
	o.Set("failed", m.Failed)
	var skipped, counts, improvements report.Object
	counts.Set("not_compared", "number of cases in the means")
	improvements.Set("not_compared", "sign tests over samples")
	for i := range m.Numbers {
		n := &m.Numbers[i]
		o.Set(n.Key.Name, n.Estimate)
		if n.N == 0 {
			skipped.Set(n.Key.Name, n.Why())
		}
		counts.Set(n.Key.Name, n.counted())
		if g := n.Improvement; g != nil {
			o.Set(g.Key.Name, g.Estimate)
			improvements.Set(n.Key.Name, g.entry())
		}
	}
	o.Set("counts", counts)
	if improvements.Len() > 1 {
		o.Set("improvements", improvements)
	}
	if len(m.Progress) > 0 {
		o.Set("snapshots", m.progressEntry())
	}
	o.Set("skipped", skipped)
}

// counted says how many cases have a number, and why others do not.
func (n *Number) counted() report.Object {
	var o report.Object
	o.Set("n", n.N)
	if len(n.Missing) > 0 {
		var why []string
		for _, m := range n.Missing {
			why = append(why, fmt.Sprintf("%s: %s", text.Count(m.Cases, "case"), m.Reason))
		}
		o.Set("missing", why)
	}
	return o
}

// entry is an improvement as the result file holds it.
func (m *Improvement) entry() report.Object {
	var o report.Object
	o.Set("n", m.N)
	o.Set("base", m.Base)
	o.Set("raised", m.Raised)
	o.Set("lowered", m.Lowered)
	o.Set("equal", m.Equal)
	o.Set("p_sign", m.P)
	o.Set("p_sign_holm", m.PHolm)
	return o
}

// Number is the number of a key; nil where the model has none.
func (m *ModelResult) Number(key string) *Number {
	if i := slices.IndexFunc(m.Numbers, func(n Number) bool { return n.Key.Name == key }); i >= 0 {
		return &m.Numbers[i]
	}
	return nil
}

// ComparedKeys are those that models are compared by.
func ComparedKeys(kinds []Kind) []Key {
	var out []Key
	for _, k := range kinds {
		for _, key := range k.Keys {
			if key.Compared {
				out = append(out, key)
			}
		}
	}
	return out
}

// describeInputs warns of such designs and images.
func (r *Result) describeInputs() {
	count := func(detail string) (n int) {
		for _, row := range r.Rows {
			if _, ok := row.Row.Details[detail]; ok {
				n++
			}
		}
		return n
	}
	warn := func(n int, format string) {
		if n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("of %s "+format, text.Count(n, "case")))
		}
	}
	warn(count(canvasDetail), "a design has several frames; its canvas is the first frame, or otherwise the "+
		"largest node. Choose another with --reference-node and --generated-node")
	warn(count(turnedDetail),
		"elements are rotated: layout and alignment use their bounding boxes, fill uses the covered area")
	warn(count(orientationDetail), "an image is stored rotated or mirrored; it is compared in its Exif orientation")
}
