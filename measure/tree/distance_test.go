// Distances beside the recursion that defines them, and beside the best of all mappings.

package tree

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// drawn is a random tree: how parents are chosen makes it wide, deep or between.
func drawn(rng *rand.Rand, n, labels, shape int) ([]int, []int) {
	label, parent := make([]int, n), make([]int, n)
	for i := range n {
		label[i], parent[i] = rng.IntN(labels), -1
		switch {
		case i == 0:
		case shape == 0:
			parent[i] = rng.IntN(i)
		case shape == 1:
			parent[i] = max(0, i-1-rng.IntN(2)) // deep
		default:
			parent[i] = rng.IntN(min(i, 2)) // wide
		}
	}
	return label, parent
}

func build(t testing.TB, label, parent []int) *Tree[int] {
	t.Helper()
	tree, err := New(label, parent)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// nested is a tree as the definition has it.
type nested struct {
	label    int
	children []nested
}

func nest(label, parent []int, at int) nested {
	out := nested{label: label[at]}
	for i, p := range parent {
		if p == at {
			out.children = append(out.children, nest(label, parent, i))
		}
	}
	return out
}

// recursion is the definition of the distance of forests (Zhang & Shasha 1989, lemma 3):
// the rightmost root of one is deleted or inserted, or those of both are matched.
type recursion struct {
	costs costs
	known map[string]float64
}

func (r *recursion) distance(f, g []nested) float64 {
	if len(f)+len(g) == 0 {
		return 0
	}
	key := fmt.Sprint(f, "|", g)
	if d, ok := r.known[key]; ok {
		return d
	}
	least := math.Inf(1)
	split := func(f []nested) (rest []nested, root nested, without []nested) {
		rest, root = f[:len(f)-1], f[len(f)-1]
		return rest, root, append(append([]nested{}, rest...), root.children...)
	}
	if len(f) > 0 {
		_, v, without := split(f)
		least = min(least, r.distance(without, g)+r.costs.Delete(v.label))
	}
	if len(g) > 0 {
		_, w, without := split(g)
		least = min(least, r.distance(f, without)+r.costs.Insert(w.label))
	}
	if len(f) > 0 && len(g) > 0 {
		restF, v, _ := split(f)
		restG, w, _ := split(g)
		least = min(least, r.distance(v.children, w.children)+r.distance(restF, restG)+r.costs.Rename(v.label, w.label))
	}
	r.known[key] = least
	return least
}

func literal(a, aParent, b, bParent []int, costs costs) float64 {
	r := recursion{costs, map[string]float64{}}
	var f, g []nested
	if len(a) > 0 {
		f = []nested{nest(a, aParent, 0)}
	}
	if len(b) > 0 {
		g = []nested{nest(b, bParent, 0)}
	}
	return r.distance(f, g)
}

func abs(x, y int) float64 { return math.Abs(float64(x - y)) }

// unit, linear and skewed are costs: of a metric the first two, the third of none.
var (
	unit = costs{
		Delete: func(int) float64 { return 1 }, Insert: func(int) float64 { return 1 },
		Rename: func(x, y int) float64 { return min(1, abs(x, y)) },
	}
	linear = costs{
		Delete: func(x int) float64 { return 0.7 + float64(x) }, Insert: func(x int) float64 { return 0.7 + float64(x) },
		Rename: abs,
	}
	skewed = costs{
		Delete: func(x int) float64 { return float64(x) * 0.3 }, Insert: func(x int) float64 { return 1.1 },
		Rename: func(x, y int) float64 { return 0.2 + 2*abs(x, 2*y) },
	}
)

// costs are what the edits of a tree cost.
type costs struct {
	Delete func(label int) float64    // of a node of the first tree; its children take its place
	Insert func(label int) float64    // of a node of the second
	Rename func(from, to int) float64 // of a node that is kept, also where the labels are equal
}

// weighted is the distance of other costs than 1.
func weighted(t testing.TB, a, b *Tree[int], costs costs) Result {
	t.Helper()
	remove, insert, bound := make([]float64, a.Len()), make([]float64, b.Len()), 0.0
	for i, label := range a.labels {
		remove[i] = costs.Delete(label)
		bound += remove[i]
	}
	for j, label := range b.labels {
		insert[j] = costs.Insert(label)
		bound += insert[j]
	}
	x, y := views(a, b)
	d, err := compare(context.Background(), x, y, remove, insert, func(i, j int) float64 {
		return costs.Rename(a.labels[i], b.labels[j])
	})
	if err != nil {
		t.Fatal(err)
	}
	return Result{min(d, bound), bound}
}

func distance(t testing.TB, a, b *Tree[int]) Result {
	t.Helper()
	r, err := Distance(context.Background(), a, b, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDistance(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 360 {
		a, aParent := drawn(rng, rng.IntN(10), 3, n%3)
		b, bParent := drawn(rng, rng.IntN(10), 3, n/3%3)
		x, y := build(t, a, aParent), build(t, b, bParent)
		if got, want := distance(t, x, y).Distance, literal(a, aParent, b, bParent, unit); got != want {
			t.Fatalf("%v %v and %v %v: %v, want %v", a, aParent, b, bParent, got, want)
		}
		for _, costs := range []costs{unit, linear, skewed} {
			got, want := weighted(t, x, y, costs).Distance, literal(a, aParent, b, bParent, costs)
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("%v %v and %v %v, weighted: %v, want %v", a, aParent, b, bParent, got, want)
			}
		}
	}
}

// mapped is the least cost of all mappings of the nodes of two trees in preorder that keep
// who is above whom, and the order of the others.
func mapped(a, aParent, b, bParent []int, costs costs) float64 {
	above := func(parent []int, i, j int) bool {
		for j > i {
			j = parent[j]
		}
		return j == i
	}
	to := make([]int, len(a))
	var from func(i int) float64
	from = func(i int) float64 {
		if i == len(a) {
			cost, kept := 0.0, map[int]bool{}
			for i, j := range to {
				if j < 0 {
					cost += costs.Delete(a[i])
				} else {
					cost += costs.Rename(a[i], b[j])
					kept[j] = true
				}
			}
			for j, label := range b {
				if !kept[j] {
					cost += costs.Insert(label)
				}
			}
			return cost
		}
		to[i] = -1
		least := from(i + 1)
	next:
		for j := range b {
			for k := range i {
				// In preorder, nodes that are not above each other are in the order of siblings.
				if to[k] >= 0 && (to[k] >= j || above(aParent, k, i) != above(bParent, to[k], j)) {
					continue next
				}
			}
			to[i] = j
			least = min(least, from(i+1))
		}
		return least
	}
	return from(0)
}

// preorder renames the nodes of a tree so that each is followed by its subtree.
func preorder(label, parent []int) ([]int, []int) {
	var labels, parents []int
	var visit func(at, under int)
	visit = func(at, under int) {
		labels, parents = append(labels, label[at]), append(parents, under)
		under = len(labels) - 1
		for i, p := range parent {
			if p == at {
				visit(i, under)
			}
		}
	}
	visit(0, -1)
	return labels, parents
}

func TestMappings(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for n := range 200 {
		a, aParent := drawn(rng, 1+rng.IntN(6), 2, n%3)
		b, bParent := drawn(rng, 1+rng.IntN(6), 2, n/3%3)
		x, y := build(t, a, aParent), build(t, b, bParent)
		a, aParent = preorder(a, aParent)
		b, bParent = preorder(b, bParent)
		if d := distance(t, build(t, a, aParent), x).Distance; d != 0 {
			t.Fatalf("%v %v: %v from itself in preorder", a, aParent, d)
		}
		for _, costs := range []costs{unit, linear, skewed} {
			got, want := weighted(t, x, y, costs).Distance, mapped(a, aParent, b, bParent, costs)
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("%v %v and %v %v: %v, want %v", a, aParent, b, bParent, got, want)
			}
		}
	}
}

// TestPublished is the example of Zhang & Shasha (1989), figure 4: f(d(a c(b)) e) and
// f(c(d(a b)) e) differ by the place of c.
func TestPublished(t *testing.T) {
	t.Parallel()
	a, err := New([]string{"f", "d", "a", "c", "b", "e"}, []int{-1, 0, 1, 1, 3, 0})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New([]string{"f", "c", "d", "a", "b", "e"}, []int{-1, 0, 1, 2, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Distance(context.Background(), a, b, Limits{})
	if err != nil || r != (Result{2, 12}) || r.Ratio() != 2./12 || math.Abs(r.Normalized()-4./14) > 1e-15 {
		t.Errorf("%+v, %v, ratio %v, normalized %v", r, err, r.Ratio(), r.Normalized())
	}
}

// TestMetric: the distance and its normalized form are metrics, in their ranges, on trees
// larger than the reference can do; a tree is at most as far as its sizes allow, and as
// near as they demand.
func TestMetric(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	measure := func(costs *costs) func(a, b *Tree[int]) Result {
		if costs == nil {
			return func(a, b *Tree[int]) Result { return distance(t, a, b) }
		}
		return func(a, b *Tree[int]) Result { return weighted(t, a, b, *costs) }
	}
	for n := range 150 {
		var trees [3]*Tree[int]
		for i := range trees {
			trees[i] = random(t, rng, rng.IntN(40), 3, rng.IntN(3))
		}
		of := measure([]*costs{nil, &linear}[n%2])
		a, b, c := trees[0], trees[1], trees[2]
		ab, ba, bc, ac := of(a, b), of(b, a), of(b, c), of(a, c)
		if math.Abs(ab.Distance-ba.Distance) > 1e-12 || of(a, a).Distance != 0 || of(a, a).Normalized() != 0 {
			t.Fatalf("%v, %v the other way, %v from itself", ab, ba, of(a, a))
		}
		if ac.Distance > ab.Distance+bc.Distance+1e-12 || ac.Normalized() > ab.Normalized()+bc.Normalized()+1e-12 {
			t.Fatalf("triangle: %v > %v + %v", ac, ab, bc)
		}
		for _, r := range []Result{ab, bc, ac} {
			if !(r.Ratio() >= 0 && r.Ratio() <= 1 && r.Normalized() >= r.Ratio() && r.Normalized() <= 1) {
				t.Fatalf("%+v: ratio %v, normalized %v", r, r.Ratio(), r.Normalized())
			}
		}
		if least := abs(a.Len(), b.Len()); n%2 == 0 && ab.Distance < least {
			t.Fatalf("trees of %d and %d nodes: %v", a.Len(), b.Len(), ab)
		}
	}
}

func random(t testing.TB, rng *rand.Rand, n, labels, shape int) *Tree[int] {
	label, parent := drawn(rng, n, labels, shape)
	return build(t, label, parent)
}

// mirror has the children of all nodes in the opposite order: breadth first, from the last
// to the first.
func mirror(label, parent []int) ([]int, []int) {
	var labels, parents []int
	type entry struct{ node, under int }
	for queue := []entry{{0, -1}}; len(queue) > 0; queue = queue[1:] {
		e := queue[0]
		labels, parents = append(labels, label[e.node]), append(parents, e.under)
		at := len(labels) - 1
		for i := len(parent) - 1; i > 0; i-- {
			if parent[i] == e.node {
				queue = append(queue, entry{i, at})
			}
		}
	}
	return labels, parents
}

// TestDirections: both sides give the same distance, and mirrored trees too.
func TestDirections(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	for n := range 100 {
		a, aParent := drawn(rng, 1+rng.IntN(60), 3, n%3)
		b, bParent := drawn(rng, 1+rng.IntN(60), 3, n/3%3)
		x, y := build(t, a, aParent), build(t, b, bParent)
		want := distance(t, x, y)
		if got := distance(t, mirrored(t, a, aParent), mirrored(t, b, bParent)); got != want {
			t.Fatalf("mirrored: %v, want %v", got, want)
		}
		ones := make([]int32, 60)
		for i := range ones {
			ones[i] = 1
		}
		for _, v := range [][2]*view{{&x.left, &y.left}, {&x.right, &y.right}} {
			got, err := compare(context.Background(), v[0], v[1], ones[:x.Len()], ones[:y.Len()], func(i, j int) int32 {
				return int32(min(1, abs(a[i], b[j])))
			})
			if err != nil || float64(got) != want.Distance {
				t.Fatalf("from one side: %v, %v, want %v", got, err, want)
			}
		}
	}
}

func mirrored(t testing.TB, label, parent []int) *Tree[int] {
	label, parent = mirror(label, parent)
	return build(t, label, parent)
}

// TestEdits: k edits change a large tree by at most k.
func TestEdits(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	label, parent := drawn(rng, 400, 5, 0)
	a := build(t, label, parent)
	label[7], label[200] = 9, 9
	label, parent = append(label, 3), append(parent, 31) // a further leaf
	if r := distance(t, a, build(t, label, parent)); r.Distance != 3 || r.Bound != 801 {
		t.Errorf("%+v, want 3 of 801", r)
	}
}

// TestDeep compares chains of 10,000 nodes and combs of as many, which lean to either side.
func TestDeep(t *testing.T) {
	t.Parallel()
	const n = 10000
	label, parent := make([]int, n), make([]int, n)
	for i := range n {
		parent[i] = i - 1
	}
	chain := build(t, label, parent)
	short := build(t, label[:n/5], parent[:n/5])
	if r := distance(t, chain, short); r.Distance != n-n/5 {
		t.Errorf("chains of %d and %d nodes: %+v", n, n/5, r)
	}
	if _, bytes := need(chain, chain, true); bytes > 1e6 {
		t.Errorf("two chains want %v bytes", bytes)
	}
	for i := 1; i < n; i++ {
		parent[i] = max(0, i-1-(i+1)%2) // odd nodes go on, even ones are leaves
	}
	comb := build(t, label, parent)
	if cells, _ := need(comb, short, true); cells > n*n {
		t.Errorf("comb and chain want %v steps", cells)
	}
	if r := distance(t, comb, short); r.Distance != n-n/5 {
		t.Errorf("comb and chain: %+v", r)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	a := random(t, rand.New(rand.NewPCG(6, 6)), 2000, 3, 0)
	huge := random(t, rand.New(rand.NewPCG(6, 7)), 100000, 3, 0)
	cells, bytes := need(a, a, true)
	for _, c := range []struct {
		a, b *Tree[int]
		l    Limits
		want string
	}{
		{a, a, Limits{Cells: cells - 1}, "trees of 2000 and 2000 nodes: too large to compare: "},
		{a, a, Limits{Bytes: bytes - 1}, "bytes, limit"},
		{huge, huge, Limits{}, "trees of 100000 and 100000 nodes: too large to compare: "},
	} {
		if _, err := Distance(context.Background(), c.a, c.b, c.l); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Distance: %v, want %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Distance(ctx, a, a, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestFreeEdits(t *testing.T) {
	t.Parallel()
	a, b := build(t, []int{5, 6}, []int{-1, 0}), build(t, []int{8}, []int{-1})
	free := costs{Delete: func(int) float64 { return 0 }, Insert: func(int) float64 { return 0 }, Rename: abs}
	if r := weighted(t, a, b, free); r != (Result{}) || r.Ratio() != 0 || r.Normalized() != 0 {
		t.Errorf("free edits: %+v", r)
	}
}

// BenchmarkDistance compares designs of 1,000 nodes: random trees as deep as designs are,
// and random trees without more.
func BenchmarkDistance(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		name     string
		n, shape int
	}{{"random/1000", 1000, 0}, {"wide/1000", 1000, 2}, {"deep/1000", 1000, 1}, {"random/5000", 5000, 0}} {
		x, y := random(b, rng, c.n, 6, c.shape), random(b, rng, c.n, 6, c.shape)
		cells, bytes := need(x, y, true)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				distance(b, x, y)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/cells, "ns/step")
			b.ReportMetric(bytes/1e6, "MB")
		})
	}
}

func BenchmarkWeighted(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	x, y := random(b, rng, 1000, 6, 0), random(b, rng, 1000, 6, 0)
	for b.Loop() {
		weighted(b, x, y, linear)
	}
}
