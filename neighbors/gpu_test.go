//go:build cuda

// The pass on a GPU, or on the fake driver, against the pass on the processor.

package neighbors

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"repscope/internal/device"
	"repscope/neighbors/internal/gpu"
	"repscope/points"
)

func openDevice(t *testing.T, name string) *device.Device {
	t.Helper()
	d, _, err := device.Open(name)
	if errors.Is(err, device.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// gpuTestPoints are n points with duplicates and, as small integers, many ties.
func gpuTestPoints(kind string, n, dim int, seed uint64) points.Points {
	r := rand.New(rand.NewPCG(seed, 1))
	p := points.Points{N: n, Dim: dim}
	value := func(i, k int) float64 {
		if i%9 == 8 { // equal to an earlier point
			return -1
		}
		if kind == "ties" {
			return float64(1 + r.IntN(3))
		}
		return 1 + 200*r.Float64()
	}
	for i := range n {
		for k := range dim {
			v := value(i, k)
			switch {
			case kind == "uint8" && v < 0:
				p.U8 = append(p.U8, p.U8[(i-5)*dim+k])
			case kind == "uint8":
				p.U8 = append(p.U8, uint8(v))
			case kind == "float64" && v < 0:
				p.F64 = append(p.F64, p.F64[(i-5)*dim+k])
			case kind == "float64":
				p.F64 = append(p.F64, v)
			case v < 0:
				p.F32 = append(p.F32, p.F32[(i-5)*dim+k])
			default:
				p.F32 = append(p.F32, float32(v))
			}
		}
	}
	return p
}

// sameButMethod compares results and leaves out what names the way, not the numbers.
func sameButMethod(t *testing.T, what string, got, want []Preservation) {
	t.Helper()
	for i := range got {
		for _, c := range []*SpaceCounts{&got[i].Original, &got[i].Embedded, &want[i].Original, &want[i].Embedded} {
			c.Method, c.Redecided = "", 0
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("%s, space %d:\n%+v, want\n%+v", what, i, got[i], want[i])
		}
	}
}

func TestGPUAgreesWithProcessor(t *testing.T) {
	d := openDevice(t, "cuda")
	order := func(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 2)).Perm(n) }
	episodes := func(n int) []int {
		e := make([]int, n)
		for i := range e {
			e[i] = i * 7 / n
		}
		return e
	}
	for _, c := range []struct {
		kind string
		n    int
		dim  int
		o    Options
	}{
		{"uint8", 150, 70, Options{}},
		{"uint8", 130, 64, Options{Metric: Cosine, Ks: []int{3, 60}}},
		{"float32", 140, 17, Options{PerPoint: true}},
		{"float64", 97, 9, Options{Metric: Cosine}},
		{"ties", 120, 4, Options{Ks: []int{1, 7}, ExcludeWindow: 3, Episode: episodes(120), Blocks: episodes(120)}},
		{"uint8", 131, 5, Options{Blocks: episodes(131), PerPoint: true, Permutations: [][]int{order(131, 1), order(131, 2)}}},
		{"ties", 90, 3, Options{Ks: []int{20}, ExcludeWindow: 2, Permutations: [][]int{order(90, 3)}}},
		{"float32", 7, 3, Options{Ks: []int{1}}},
		{"uint8", 131, 5, Options{Blocks: episodes(131), PerPoint: true, Permutations: [][]int{order(131, 1)}, Ties: TiesIndex}},
		{"ties", 90, 3, Options{Ks: []int{20}, ExcludeWindow: 2, Permutations: [][]int{order(90, 3)}, Ties: TiesIndex}},
		{"ties", 300, 1, Options{Ks: []int{2, 30}, Blocks: episodes(300)}},
	} {
		t.Run(fmt.Sprintf("%s n=%d D=%d %v", c.kind, c.n, c.dim, c.o.Metric), func(t *testing.T) {
			original := gpuTestPoints(c.kind, c.n, c.dim, 1)
			embedded := []points.Points{gpuTestPoints("float32", c.n, 4, 2), gpuTestPoints("ties", c.n, 2, 3)}
			o := c.o
			o.CoRanking = CoRankingOff
			want, err := Compare(t.Context(), original, embedded, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Device = d
			for _, rows := range []int{0, 50} {
				got, err := Compare(blocksOf(rows), original, embedded, o)
				if err != nil {
					t.Fatal(err)
				}
				if got[0].Original.Method != gpu.Method(original) {
					t.Errorf("method %q", got[0].Original.Method)
				}
				sameButMethod(t, fmt.Sprintf("blocks of %d rows", rows), got, want)
			}
		})
	}
}

// A window that counts times is the processor's, whatever the device.
func TestGPULeavesWindowsInTime(t *testing.T) {
	d := openDevice(t, "cuda")
	original, embedded := gpuTestPoints("uint8", 60, 6, 1), gpuTestPoints("float32", 60, 4, 2)
	o := Options{Ks: []int{4}, ExcludeWindow: 5, Time: drawnTimes(2, 60), CoRanking: CoRankingOff}
	want, err := Compare(t.Context(), original, []points.Points{embedded}, o)
	if err != nil {
		t.Fatal(err)
	}
	nearest, err := KNearest(t.Context(), original, 4, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Device = d
	got, err := Compare(t.Context(), original, []points.Points{embedded}, o)
	if err != nil {
		t.Fatal(err)
	}
	matches, err := KNearest(t.Context(), original, 4, o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(matches, nearest) {
		t.Errorf("got %+v, %+v, want %+v, %+v", got, matches.Counts, want, nearest.Counts)
	}
}

// Vectors whose products do not fit into 32 bits.
func TestGPULongUint8(t *testing.T) {
	d := openDevice(t, "cuda")
	p := points.Points{N: 12, Dim: 33100}
	r := rand.New(rand.NewPCG(5, 5))
	for range p.N * p.Dim {
		p.U8 = append(p.U8, uint8(255*r.IntN(2)))
	}
	for _, metric := range []Metric{Euclidean, Cosine} {
		o := Options{Metric: metric}
		want, err := KNearest(t.Context(), p, 5, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Device = d
		got, err := KNearest(t.Context(), p, 5, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Index, want.Index) || !reflect.DeepEqual(got.Distance, want.Distance) || got.Counts.Ties != want.Counts.Ties {
			t.Errorf("%v: %v %v, want %v %v", metric, got.Index, got.Distance, want.Index, want.Distance)
		}
	}
}

func TestGPUSearch(t *testing.T) {
	d := openDevice(t, "cuda")
	for _, kind := range []string{"uint8", "float32", "float64", "ties"} {
		pts, queries := gpuTestPoints(kind, 140, 6, 1), gpuTestPoints(kind, 75, 6, 2)
		for _, c := range []struct {
			o       Options
			maxRows int
		}{{}, {o: Options{Metric: Cosine}}, {o: Options{ExcludeWindow: 5}}, {maxRows: 30}} {
			o, on, ctx := c.o, c.o, blocksOf(c.maxRows)
			on.Device = d
			for name, find := range map[string]func(Options) (*Nearest, error){
				"within": func(o Options) (*Nearest, error) { return KNearest(ctx, pts, 12, o) },
				"across": func(o Options) (*Nearest, error) { return Cross(ctx, queries, pts, 140, o) },
			} {
				want, err := find(o)
				if err != nil {
					t.Fatal(err)
				}
				got, err := find(on)
				if err != nil {
					t.Fatal(err)
				}
				want.Counts.Method, got.Counts.Method = "", ""
				want.Counts.Redecided = 0
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s %s %+v: the lists differ", kind, name, o)
				}
			}
		}
	}
}
