// What SciPy says.

package box

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

//go:embed testdata/golden.json
var goldenJSON []byte

// golden is testdata/golden.json.
type golden struct {
	Assignments, Tied []struct {
		Rows, Columns int
		Match         []int
		Total         float64
		Cost          []*float64 // nil for a forbidden pair
	}
	Overlaps []struct {
		A, B  [][4]float64
		Total float64
	}
	Masks []struct {
		Height, Width int
		Mask          string
		Four, Eight   struct {
			Labels   []int32
			Area     []int
			Box      [][4]float64
			Centroid [][2]float64
		}
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	if err := json.Unmarshal(goldenJSON, &g); err != nil || len(g.Assignments) == 0 || len(g.Tied) == 0 || len(g.Overlaps) == 0 || len(g.Masks) == 0 {
		t.Fatal(len(g.Assignments), len(g.Masks), err)
	}
	return g
}

func TestGoldenAssign(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Assignments {
		cost := make([]float64, len(g.Cost))
		for i, c := range g.Cost {
			if cost[i] = math.Inf(1); c != nil {
				cost[i] = *c
			}
		}
		match, total, err := Assign(cost, g.Rows, g.Columns)
		if err != nil || !slices.Equal(match, g.Match) || math.Abs(total-g.Total) > 1e-12 {
			t.Errorf("%d × %d: %v, %v, %v, want %v, %v", g.Rows, g.Columns, match, total, err, g.Match, g.Total)
		}
	}
}

// TestGoldenTies: of several best assignments that in order is SciPy's.
func TestGoldenTies(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	for _, c := range append(g.Tied, g.Assignments...) {
		cost := make([]float64, len(c.Cost))
		for i, v := range c.Cost {
			if cost[i] = math.Inf(1); v != nil {
				cost[i] = *v
			}
		}
		match, total, err := AssignInOrder(cost, c.Rows, c.Columns)
		if err != nil || !slices.Equal(match, c.Match) || math.Abs(total-c.Total) > 1e-12 {
			t.Errorf("%d × %d: %v, %v, %v, want %v, %v", c.Rows, c.Columns, match, total, err, c.Match, c.Total)
		}
		if _, total, err = Assign(cost, c.Rows, c.Columns); err != nil || math.Abs(total-c.Total) > 1e-12 {
			t.Errorf("%d × %d: cost %v, %v, want %v", c.Rows, c.Columns, total, err, c.Total)
		}
	}
}

// TestGoldenOverlaps: the sum of IoUs is that of SciPy's assignment of all pairs.
func TestGoldenOverlaps(t *testing.T) {
	t.Parallel()
	for _, c := range readGolden(t).Overlaps {
		var lists [2][]Box
		for k, from := range [][][4]float64{c.A, c.B} {
			for _, b := range from {
				lists[k] = append(lists[k], Box{b[0], b[1], b[2], b[3]})
			}
		}
		a, b := lists[0], lists[1]
		w, err := OverlapWeights(a, b, 0, len(a)*len(b), func(i, j int) float64 { return IoU(a[i], b[j]) })
		if err != nil {
			t.Fatal(err)
		}
		if _, total, err := Match(w); err != nil || math.Abs(total-c.Total) > 1e-10 {
			t.Errorf("%d × %d: %v, %v, want %v", len(a), len(b), total, err, c.Total)
		}
		if _, cost, err := Assign(w.costs(), len(a), len(b)); err != nil || math.Abs(float64(min(len(a), len(b)))-cost-c.Total) > 1e-10 {
			t.Errorf("%d × %d: cost %v, %v, want %v less", len(a), len(b), cost, err, c.Total)
		}
	}
}

func TestGoldenComponents(t *testing.T) {
	t.Parallel()
	for i, g := range readGolden(t).Masks {
		mask := make([]bool, len(g.Mask))
		for k := range mask {
			mask[k] = g.Mask[k] == '#'
		}
		for neighbors, want := range map[Connectivity]struct {
			Labels   []int32
			Area     []int
			Box      [][4]float64
			Centroid [][2]float64
		}{Four: g.Four, Eight: g.Eight} {
			labels, found, err := Components(mask, g.Height, g.Width, neighbors)
			if err != nil || len(found) != len(want.Area) || !slices.Equal(labels, want.Labels) {
				t.Fatalf("mask %d, %d neighbors: %d components, %v, want %d", i, neighbors, len(found), err, len(want.Area))
			}
			for k, c := range found {
				b := want.Box[k]
				if c.Area != want.Area[k] || c.Box != (Box{b[0], b[1], b[2], b[3]}) ||
					math.Abs(c.X-want.Centroid[k][0]) > 1e-12 || math.Abs(c.Y-want.Centroid[k][1]) > 1e-12 {
					t.Errorf("mask %d, %d neighbors, component %d: %+v, want %v %v %v", i, neighbors, k, c, want.Area[k], b, want.Centroid[k])
				}
			}
		}
	}
}
