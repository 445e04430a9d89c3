// The measures of similarity in one list, and the scores of two spaces by any of them: as the points
// are, with the points of one space in other orders, and without each block.

package similarity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/parallel"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// Measure is one way to say how alike two spaces of the same points are.
type Measure struct {
	Name string
	// Title is the name for tables and figures.
	Title string
	// About says in a line what it is, Invariant what changes of a space leave it as it is. Cite is the key of its
	// reference.
	About, Invariant, Cite string
	// Directed measures have two scores, from the first space to the second and back, with the suffixes _ab and _ba.
	Directed bool
	// Sized measures have a score for each of Options.K, with the suffix @k.
	Sized bool
	// Falls says that a smaller score is more alike.
	Falls bool
	// Low and High are the ends of the range, Same the score of a space with itself.
	Low, High, Same float64
	family          family
}

// family computes the scores of measures that share their work.
type family func(ctx context.Context, c *comparison) error

const (
	rotationAndScale = "rotation, reflection, shift, common scale"
	whatKeepsOrder   = "whatever keeps the order of distances from each point"
)

// measures are all of them, in the order of results.
var measures = []Measure{
	{
		Name: "cka", Title: "CKA",
		Low: 0, High: 1, Same: 1, Cite: "kornblith2019", Invariant: rotationAndScale,
		About:  "linear centered kernel alignment",
		family: crossProducts,
	},
	{
		Name: "cka_debiased", Title: "CKA debiased",
		Low: -1, High: 1, Same: 1, Cite: "song2012", Invariant: rotationAndScale,
		About:  "linear centered kernel alignment with the unbiased HSIC",
		family: crossProducts,
	},
	{
		Name: "cka_rbf", Title: "CKA, Gaussian kernel",
		Low: -1, High: 1, Same: 1, Cite: "kornblith2019", Invariant: rotationAndScale,
		About:  "kernel alignment with Gaussian kernels and the unbiased HSIC",
		family: pairMatrices,
	},
	{
		Name: "mutual_knn", Title: "Mutual kNN", Sized: true,
		Low: 0, High: 1, Same: 1, Cite: "huh2024", Invariant: whatKeepsOrder,
		About:  "mean share of common nearest neighbors",
		family: neighborhoods,
	},
	{
		Name: "cknna", Title: "CKNNA", Sized: true,
		Low: -1, High: 1, Same: 1, Cite: "huh2024", Invariant: "rotation, reflection, scale",
		About:  "kernel alignment over pairs that are neighbors in both spaces",
		family: neighborAlignment,
	},
	{
		Name: "svcca", Title: "SVCCA",
		Low: 0, High: 1, Same: 1, Cite: "raghu2017", Invariant: rotationAndScale,
		About:  "mean canonical correlation of the principal components with 99 % of the variance",
		family: crossProducts,
	},
	{
		Name: "pwcca", Title: "PWCCA",
		Low: 0, High: 1, Same: 1, Cite: "morcos2018",
		Invariant: "shift, common scale, order of units; rotation of the space with more components",
		About:     "canonical correlations of these components, weighted by projection",
		family:    crossProducts,
	},
	{
		Name: "procrustes", Title: "Procrustes",
		Low: 0, High: 1, Same: 1, Cite: "schonemann1966", Invariant: rotationAndScale,
		About:  "nuclear norm of the cross product of centered spaces of Frobenius norm 1",
		family: crossProducts,
	},
	{
		Name: "shape_angle", Title: "Shape angle", Falls: true,
		Low: 0, High: math.Pi / 2, Same: 0, Cite: "williams2021", Invariant: rotationAndScale,
		About:  "arc cosine of procrustes, a distance of shapes",
		family: crossProducts,
	},
	{
		Name: "rsa_spearman", Title: "RSA, Spearman",
		Low: -1, High: 1, Same: 1, Cite: "kriegeskorte2008", Invariant: "isometries, common scale",
		About:  "rank correlation of the distances between points",
		family: pairDistances,
	},
	{
		Name: "rsa_pearson", Title: "RSA, Pearson",
		Low: -1, High: 1, Same: 1, Cite: "kriegeskorte2008", Invariant: "isometries, common scale",
		About:  "correlation of the distances between points",
		family: pairDistances,
	},
	{
		Name: "distance_correlation", Title: "Distance correlation",
		Low: -1, High: 1, Same: 1, Cite: "rizzo2013", Invariant: "isometries, common scale",
		About:  "bias-corrected squared distance correlation",
		family: pairMatrices,
	},
	{
		Name: "unit_match", Title: "Unit match",
		Low: 0, High: 1, Same: 1, Cite: "li2016", Invariant: "order, sign, shift and scale of single units",
		About:  "mean absolute correlation of units under their best one-to-one assignment",
		family: crossProducts,
	},
	{
		Name: "predictivity", Title: "Predictivity", Directed: true,
		Low: math.Inf(-1), High: 1, Same: 1, Cite: "schrimpf2018", Invariant: "rotation, reflection, shift and scale of either space",
		About:  "R² of a ridge regression from one space to the other, in folds of episodes",
		family: crossProducts,
	},
	{
		Name: "information_imbalance", Title: "Information imbalance", Directed: true, Falls: true,
		Low: 0, High: 2, Same: math.NaN(), Cite: "glielmo2022", Invariant: whatKeepsOrder,
		About:  "mean rank in one space of the nearest neighbor in the other, times 2/n",
		family: neighborhoods,
	},
}

// Measures returns all measures, in the order of results.
func Measures() []Measure { return slices.Clone(measures) }

// Names returns the names of all measures.
func Names() []string {
	names := make([]string, len(measures))
	for i, m := range measures {
		names[i] = m.Name
	}
	return names
}

// Find returns the measure of the name of a score, which may end in @k, _ab or _ba.
func Find(score string) (Measure, bool) {
	name, _, _ := strings.Cut(score, "@")
	for _, m := range measures {
		if name == m.Name || m.Directed && (name == m.Name+"_ab" || name == m.Name+"_ba") {
			return m, true
		}
	}
	return Measure{}, false
}

// TitleOf is the name of a score for tables and figures: "Mutual kNN, k = 10", "Predictivity, A to B".
func TitleOf(score string) string {
	m, ok := Find(score)
	if !ok {
		return score
	}
	if _, k, ok := strings.Cut(score, "@"); ok {
		return m.Title + ", k = " + k
	}
	if m.Directed {
		if strings.HasSuffix(score, "_ab") {
			return m.Title + ", A to B"
		}
		return m.Title + ", B to A"
	}
	return m.Title
}

// scores are the names of the scores of a measure.
func (m *Measure) scores(o *Options) []string {
	switch {
	case m.Directed:
		return []string{m.Name + "_ab", m.Name + "_ba"}
	case m.Sized:
		var out []string
		for _, k := range o.K {
			out = append(out, sized(m.Name, k))
		}
		return out
	}
	return []string{m.Name}
}

// ScoreNames are the names of the scores that [Score] returns, in order.
func ScoreNames(o Options) []string {
	o = o.withDefaults()
	var out []string
	for _, m := range measures {
		if slices.Contains(o.Measures, m.Name) {
			out = append(out, m.scores(&o)...)
		}
	}
	return out
}

func sized(name string, k int) string { return name + "@" + strconv.Itoa(k) }

// SameScore is what n points have with themselves: Same, or for the information imbalance 2/n.
func (m *Measure) SameScore(n int) float64 {
	if math.IsNaN(m.Same) {
		return 2 / float64(n)
	}
	return m.Same
}

// Options are the choices of the measures; the zero value is the default.
type Options struct {
	// Measures are the names of the measures; nil means all.
	Measures []string
	// K are the numbers of neighbors of mutual_knn and cknna; nil means 10. Each is at most n − 2.
	K []int
	// Metric of the neighbors of mutual_knn and information_imbalance; cknna always uses the angle.
	Metric neighbors.Metric
	// Bandwidth of the Gaussian kernels in median distances of each space; 0 means 0.5.
	Bandwidth float64
	// Pairs is the number of pairs of points for the correlations of distances; 0 means 50,000, negative all.
	Pairs int
	// Episode of each point, by which predictivity forms at most five folds; nil or one episode: five runs of points.
	Episode []int
	// Orders are permutations of the points: score p of the null has point Orders[p][i] of the second space
	// with point i of the first.
	Orders [][]int
	// Blocks are deleted in turn; nil: none. Deleted names the measures that have values without blocks, nil: all.
	Blocks  *stat.Blocks
	Deleted []string
	Seed    uint64 // of the draw of pairs
	Memory  int64  // bytes for matrices of pairs of points; 0: 1 GiB
	Threads int    // ≤ 0: all processors; results do not depend on it
}

func (o Options) withDefaults() Options {
	if o.Measures == nil {
		o.Measures = Names()
	}
	if o.K == nil {
		o.K = []int{10}
	}
	if o.Bandwidth == 0 {
		o.Bandwidth = 0.5
	}
	if o.Pairs == 0 {
		o.Pairs = 50_000
	}
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	return o
}

// Series is a score: as the points are, in every order of Options.Orders, and without each block.
type Series struct {
	Name    string // of the measure, with @k, _ab or _ba
	Measure Measure
	// Value is NaN where the score is undefined, for the reason Reason.
	Value  float64
	Reason string
	// Null holds the score in each order, Without the score without each block; nil where Value is NaN.
	Null, Without []float64
}

// Score computes the scores of two prepared spaces, measure by measure. Errors: spaces of other numbers of points,
// an unknown measure, an order that is no permutation, the error of ctx. What a measure does not define (constant
// points, fewer than 4, too little memory) is a score without a value.
func Score(ctx context.Context, a, b *Prepared, o Options) ([]Series, error) {
	o = o.withDefaults()
	if err := o.check(a.n(), b.n()); err != nil {
		return nil, err
	}
	c := &comparison{a: a, b: b, o: &o, series: map[string]*Series{}}
	var order []string
	var families []family
	var named []string // of families, by their first measure
	for _, m := range measures {
		if !slices.Contains(o.Measures, m.Name) {
			continue
		}
		for _, name := range m.scores(&o) {
			order = append(order, name)
			c.series[name] = &Series{Name: name, Measure: m, Value: math.NaN()}
		}
		if key := fmt.Sprintf("%p", m.family); !slices.Contains(named, key) {
			named, families = append(named, key), append(families, m.family)
		}
	}
	if reason := c.undefined(); reason != "" {
		for _, s := range c.series {
			s.Reason = reason
		}
	} else {
		for _, compute := range families {
			if err := compute(ctx, c); err != nil {
				return nil, err
			}
		}
	}
	out := make([]Series, len(order))
	for i, name := range order {
		out[i] = c.series[name].settled()
	}
	return out, nil
}

// settled is the series as a result: without a value it has a reason and nothing else.
func (s *Series) settled() Series {
	out := *s
	if math.IsNaN(out.Value) {
		out.Null, out.Without = nil, nil
		if out.Reason == "" {
			out.Reason = "not defined for these points"
		}
	}
	return out
}

func (o *Options) check(n, other int) error {
	if n != other {
		return fmt.Errorf("similarity: spaces of %d and %d points, want equal numbers", n, other)
	}
	for _, name := range o.Measures {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("similarity: no measure is named %q; there are %s", name, strings.Join(Names(), ", "))
		}
	}
	for _, k := range o.K {
		if k < 1 {
			return fmt.Errorf("similarity: %d neighbors, want at least 1", k)
		}
	}
	if o.Episode != nil && len(o.Episode) != n {
		return fmt.Errorf("similarity: %d episodes for %d points", len(o.Episode), n)
	}
	if o.Blocks != nil && len(o.Blocks.Labels()) != n {
		return fmt.Errorf("similarity: blocks of %d points for %d", len(o.Blocks.Labels()), n)
	}
	seen := make([]int, n)
	for p, order := range o.Orders {
		if len(order) != n {
			return fmt.Errorf("similarity: order %d has %d entries for %d points", p, len(order), n)
		}
		for i, j := range order {
			if j < 0 || j >= n || seen[j] == p+1 {
				return fmt.Errorf("similarity: order %d: entry %d is %d, want each of 0 to %d once", p, i, j, n-1)
			}
			seen[j] = p + 1
		}
	}
	return nil
}

// comparison is two spaces and their scores.
type comparison struct {
	a, b   *Prepared
	o      *Options
	series map[string]*Series
}

// undefined says why the spaces have no scores.
func (c *comparison) undefined() string {
	switch {
	case c.a.n() < 4:
		return fmt.Sprintf("%d points, want at least 4", c.a.n())
	case !c.a.Varies() || !c.b.Varies():
		return c.because(constantPoints, !c.a.Varies(), !c.b.Varies())
	}
	return ""
}

const constantPoints = "the points are constant"

// wants says whether a score is asked for.
func (c *comparison) wants(name string) bool { return c.series[name] != nil }

// refuse leaves a score without a value.
func (c *comparison) refuse(name, reason string) {
	if s := c.series[name]; s != nil {
		s.Value, s.Reason = math.NaN(), reason
	}
}

// because is a reason after the names of the spaces that it is about; neither named ones nor such: the reason alone.
func (c *comparison) because(reason string, first, second bool) string {
	var names []string
	if first && c.a.name != "" {
		names = append(names, c.a.name)
	}
	if second && c.b.name != "" {
		names = append(names, c.b.name)
	}
	if len(names) == 0 {
		return reason
	}
	return strings.Join(names, " and ") + ": " + reason
}

// order is the order of row 0, as the points are, or of null p at row p + 1.
func (c *comparison) order(row int) []int {
	if row == 0 {
		return nil
	}
	return c.o.Orders[row-1]
}

// enter takes over rows of scores: the value, and the null.
func (c *comparison) enter(name string, rows []float64) {
	if s := c.series[name]; s != nil {
		s.Value, s.Null = rows[0], rows[1:]
	}
}

// deleting are the names that have values without blocks.
func (c *comparison) deleting(names ...string) []string {
	if c.o.Blocks == nil {
		return nil
	}
	var out []string
	for _, name := range names {
		if s := c.series[name]; s != nil && (c.o.Deleted == nil || slices.Contains(c.o.Deleted, s.Measure.Name)) {
			out = append(out, name)
		}
	}
	return out
}

// withoutBlocks computes scores without each block from the points that remain. compute enters the values of the names
// it is asked for. need is the memory of one deletion; they run side by side as memory allows.
func (c *comparison) withoutBlocks(ctx context.Context, names []string, need int64, compute family) error {
	if len(names) == 0 {
		return nil
	}
	blocks := c.o.Blocks
	for _, name := range names {
		c.series[name].Without = make([]float64, blocks.Count())
	}
	side, inner := parallel.Workers(c.o.Threads, blocks.Count()), 1
	if int64(side) > c.o.Memory/max(need, 1) {
		side, inner = 1, c.o.Threads
	}
	return parallel.Try(ctx, side, blocks.Count(), func(_, j int) error {
		return c.without(ctx, j, inner, names, compute)
	})
}

// without computes scores without one block.
func (c *comparison) without(ctx context.Context, j, threads int, names []string, compute family) error {
	var kept []int
	for i, block := range c.o.Blocks.Labels() {
		if block != j {
			kept = append(kept, i)
		}
	}
	o := *c.o
	o.Orders, o.Blocks, o.Episode, o.Threads = nil, nil, points.Pick(o.Episode, kept), threads
	rest := &comparison{a: c.a.rest(kept, threads), b: c.b.rest(kept, threads), o: &o, series: map[string]*Series{}}
	for _, name := range names {
		rest.series[name] = &Series{Name: name, Measure: c.series[name].Measure, Value: math.NaN()}
	}
	if rest.undefined() == "" {
		if err := compute(ctx, rest); err != nil {
			return err
		}
	}
	for _, name := range names {
		c.series[name].Without[j] = rest.series[name].Value
	}
	return nil
}
