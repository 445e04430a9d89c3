// Shapes that are computed from the input's shape, in the ways in which exporters write them.

package operator_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/model"
	"repscope/model/graph"
	"repscope/model/internal/onnxtest"
)

// drawing is a graph under construction: every node's output is a value of its own.
type drawing struct {
	onnxtest.Message
	count int
}

func (d *drawing) node(op string, attributes []onnxtest.Message, in ...string) string {
	d.count++
	out := fmt.Sprint("v", d.count)
	d.Message = d.Bytes(1, onnxtest.Node(op, in, []string{out}, attributes...))
	return out
}

func (d *drawing) ints(values ...int64) string {
	d.count++
	name := fmt.Sprint("c", d.count)
	d.Message = d.Bytes(5, onnxtest.Ints(name, values, int64(len(values))))
	return name
}

// integer is a constant without axes.
func (d *drawing) integer(value int64) string {
	d.count++
	name := fmt.Sprint("c", d.count)
	d.Message = d.Bytes(5, onnxtest.Ints(name, []int64{value}))
	return name
}

func (d *drawing) floats(values ...float32) string {
	d.count++
	name := fmt.Sprint("c", d.count)
	d.Message = d.Bytes(5, onnxtest.Floats(name, values, int64(len(values))))
	return name
}

// size is an axis of the input x, without axes.
func (d *drawing) size(axis int64) string {
	return d.node("Gather", nil, d.node("Shape", nil, "x"), d.integer(axis))
}

// vector gives a number an axis.
func (d *drawing) vector(v string) string { return d.node("Unsqueeze", nil, v, d.ints(0)) }

func (d *drawing) concat(v ...string) string {
	return d.node("Concat", []onnxtest.Message{onnxtest.Int("axis", 0)}, v...)
}

func (d *drawing) cast(v string, to int64) string {
	return d.node("Cast", []onnxtest.Message{onnxtest.Int("to", to)}, v)
}

// run runs the graph, whose result is the value z, on x.
func (d *drawing) run(t *testing.T, z string, x []float32, shape ...int) *model.Tensor {
	t.Helper()
	d.Message = d.Bytes(1, onnxtest.Node("Identity", []string{z}, []string{"z"})).
		Bytes(11, onnxtest.Port("x", onnxtest.Float, "b", "c", "h", "w")).Bytes(12, onnxtest.Port("z", onnxtest.Float))
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, onnxtest.Model(17, d.Message), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(path, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	in, err := model.TensorOf(x, shape...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Run(context.Background(), map[string]*model.Tensor{"x": in})
	if err != nil {
		t.Fatal(err)
	}
	return out["z"]
}

// Each way to compute the vector [2 H W] from the shape of x serves Tile, Expand, Reshape and Slice.
func TestComputedShapes(t *testing.T) {
	t.Parallel()
	two := func(d *drawing) string { return d.ints(2) }
	ways := map[string]func(d *drawing) string{
		"Gather and Concat": func(d *drawing) string { return d.concat(two(d), d.vector(d.size(2)), d.vector(d.size(3))) },
		"Slice": func(d *drawing) string {
			return d.concat(two(d), d.node("Slice", nil, d.node("Shape", nil, "x"), d.ints(2), d.ints(4)))
		},
		"Shape of a part": func(d *drawing) string {
			return d.concat(two(d), d.node("Shape", []onnxtest.Message{onnxtest.Int("start", 2)}, "x"))
		},
		"through floats": func(d *drawing) string {
			h := d.cast(d.node("Floor", nil, d.node("Mul", nil, d.cast(d.size(2), onnxtest.Float), d.floats(1))), onnxtest.Int64)
			return d.concat(two(d), h, d.vector(d.size(3)))
		},
		"arithmetic": func(d *drawing) string {
			h := d.node("Div", nil, d.node("Mul", nil, d.size(2), d.size(3)), d.size(3))
			w := d.node("Sub", nil, d.node("Add", nil, d.size(3), d.integer(7)), d.integer(7))
			return d.concat(two(d), d.vector(h), d.vector(w))
		},
		"Where, as of expand": func(d *drawing) string {
			wanted := d.concat(two(d), d.ints(-1), d.vector(d.size(3)))
			ones := d.node("ConstantOfShape", []onnxtest.Message{onnxtest.Message{}.Text(1, "value").
				Bytes(5, onnxtest.Ints("", []int64{1}, 1)).Varint(20, 4)}, d.node("Shape", nil, wanted))
			minus := d.node("Mul", nil, ones, d.ints(-1))
			shape := d.concat(two(d), d.vector(d.size(2)), d.vector(d.size(3)))
			return d.node("Where", nil, d.node("Equal", nil, wanted, minus), shape, wanted)
		},
		"OneHot, as of repeat_interleave": func(d *drawing) string {
			hot := d.node("OneHot", nil, d.ints(1), d.ints(3), d.concat(d.ints(1), d.vector(d.size(2))))
			rows := d.node("Reshape", nil, hot, d.ints(-1))
			return d.node("Mul", nil, rows, d.concat(two(d), d.ints(1), d.vector(d.size(3))))
		},
		"Scatter": func(d *drawing) string {
			return d.node("ScatterElements", nil, d.ints(2, 0, 0), d.ints(1, 2), d.concat(d.vector(d.size(2)), d.vector(d.size(3))))
		},
		"ReduceProd": func(d *drawing) string {
			n := d.node("ReduceProd", []onnxtest.Message{onnxtest.Int("keepdims", 1)}, d.node("Shape", nil, "x"))
			h := d.node("Div", nil, d.node("Div", nil, n, d.node("Mul", nil, d.size(0), d.size(1))), d.size(3))
			return d.concat(two(d), h, d.vector(d.size(3)))
		},
		"Min, Max and Mod": func(d *drawing) string {
			h := d.node("Mod", nil, d.node("Max", nil, d.size(2), d.integer(0)), d.integer(100))
			return d.concat(two(d), d.vector(h), d.vector(d.node("Min", nil, d.size(3), d.integer(100))))
		},
		"Split": func(d *drawing) string {
			d.count++
			parts := []string{fmt.Sprint("p", d.count), fmt.Sprint("q", d.count)}
			shape := d.node("Shape", nil, "x")
			d.Message = d.Bytes(1, onnxtest.Node("Split", []string{shape, d.ints(2, 2)}, parts))
			return d.concat(two(d), parts[1])
		},
		"CumSum and Range": func(d *drawing) string {
			sum := d.node("CumSum", nil, d.node("Shape", nil, d.node("Range", nil, d.integer(0), d.size(2), d.integer(1))), d.integer(0))
			return d.concat(two(d), sum, d.vector(d.node("Size", nil, d.node("Range", nil, d.integer(0), d.size(3), d.integer(1)))))
		},
		"TopK": func(d *drawing) string {
			d.count++
			out := []string{fmt.Sprint("top", d.count), fmt.Sprint("at", d.count)}
			at := d.node("Concat", []onnxtest.Message{onnxtest.Int("axis", 0)}, d.ints(-2), d.node("Neg", nil, d.node("Slice", nil, d.node("Shape", nil, "x"), d.ints(2), d.ints(4))))
			d.Message = d.Bytes(1, onnxtest.Node("TopK", []string{at, d.ints(3)}, out))
			return d.node("Neg", nil, out[0])
		},
	}
	const h, w = 3, 5
	for name, way := range ways {
		for _, use := range []string{"Tile", "Expand", "Reshape", "Slice"} {
			d := &drawing{}
			shape := way(d)
			want := []int{2, h, w}
			var z string
			switch use {
			case "Tile":
				z = d.node("Tile", nil, d.node("Reshape", nil, d.floats(1), d.ints(1, 1, 1)), shape)
			case "Expand":
				z = d.node("Expand", nil, d.floats(1), shape)
			case "Reshape":
				z = d.node("Reshape", nil, "x", shape)
			case "Slice":
				many := d.node("Expand", nil, d.floats(1), d.ints(9, 9, 9))
				z = d.node("Slice", nil, many, d.ints(0, 0, 0), shape)
			}
			x := make([]float32, 2*h*w)
			if got := d.run(t, z, x, 1, 2, h, w); !slices.Equal(got.Shape, want) {
				t.Errorf("%s, %s: shape %v, want %v", name, use, got.Shape, want)
			}
		}
	}
}

// A spatial softmax whose coordinates follow the size of the input: repeat becomes a Tile of
// computed repeats, repeat_interleave one whose repeats come from OneHot.
func TestSpatialSoftmax(t *testing.T) {
	t.Parallel()
	for _, shape := range [][4]int{{1, 1, 2, 2}, {2, 3, 4, 6}} {
		d := &drawing{}
		// linspace(−1, 1, n)
		line := func(n string) string {
			count := d.cast(n, onnxtest.Float)
			step := d.node("Div", nil, d.floats(2), d.node("Sub", nil, count, d.floats(1)))
			r := d.cast(d.node("Range", nil, d.integer(0), n, d.integer(1)), onnxtest.Float)
			return d.node("Add", nil, d.node("Mul", nil, r, step), d.floats(-1))
		}
		b, c, h, w := d.size(0), d.size(1), d.size(2), d.size(3)
		px := d.node("Tile", nil, line(w), d.vector(h))
		hot := d.node("OneHot", nil, d.ints(1), d.integer(2), d.concat(d.ints(1), d.vector(w)))
		py := d.node("Tile", nil, d.node("Unsqueeze", nil, line(h), d.ints(1)), d.node("Reshape", nil, hot, d.ints(-1)))
		py = d.node("Reshape", nil, py, d.ints(-1))
		flat := d.node("Reshape", nil, "x", d.concat(d.vector(d.node("Mul", nil, b, c)), d.vector(d.node("Mul", nil, h, w))))
		soft := d.node("Softmax", []onnxtest.Message{onnxtest.Int("axis", 1)}, flat)
		mean := func(p string) string {
			return d.node("ReduceSum", nil, d.node("Mul", nil, soft, p), d.ints(1))
		}
		z := d.node("Concat", []onnxtest.Message{onnxtest.Int("axis", 1)}, mean(px), mean(py))
		z = d.node("Reshape", nil, z, d.concat(d.vector(b), d.ints(-1)))
		planes, area := shape[0]*shape[1], shape[2]*shape[3]
		x := make([]float32, planes*area)
		for i := range x {
			x[i] = float32(math.Sin(float64(3 * i)))
		}
		got := d.run(t, z, x, shape[:]...)
		if !slices.Equal(got.Shape, []int{shape[0], 2 * shape[1]}) {
			t.Fatalf("shape %v", got.Shape)
		}
		for p := range planes {
			var sum, ex, ey float64
			for i := range area {
				e := math.Exp(float64(x[p*area+i]))
				sum += e
				ex += e * (2*float64(i%shape[3])/float64(shape[3]-1) - 1)
				ey += e * (2*float64(i/shape[3])/float64(shape[2]-1) - 1)
			}
			if math.Abs(float64(got.F32[2*p])-ex/sum) > 1e-6 || math.Abs(float64(got.F32[2*p+1])-ey/sum) > 1e-6 {
				t.Errorf("%v, plane %d: %v, want %v %v", shape, p, got.F32[2*p:2*p+2], ex/sum, ey/sum)
			}
		}
	}
}

// The same number is cut off or added at both ends, or one more at the end.
func TestCenterCropPad(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		x := random(r, 1+r.IntN(7), 1+r.IntN(7), 2)
		shape := []int{r.IntN(9), r.IntN(9), 2}
		want := make([]float64, graph.Count(shape))
		for i := range want {
			position, from, inside := graph.Position(shape, i), 0, true
			for a, k := range position {
				if d := x.Shape[a] - shape[a]; d > 0 {
					k += d / 2
				} else {
					k -= -d / 2
				}
				inside = inside && k >= 0 && k < x.Shape[a]
				from = from*x.Shape[a] + k
			}
			if inside {
				want[i] = float64(x.F32[from])
			}
		}
		y := compute(t, 18, "CenterCropPad", nil, 1, []*graph.Tensor{x, list(shape...)}, 1)
		near(t, fmt.Sprint(x.Shape, " to ", shape), y[0], want, 0, shape...)
		axes := map[string]graph.Attribute{"axes": graph.IntsAttribute(-2, 0)}
		near(t, "axes", compute(t, 18, "CenterCropPad", axes, 1, []*graph.Tensor{x, list(shape[1], shape[0])}, 1)[0], want, 0, shape...)
	}
}

// A training mode that drops nothing is the identity; one that does, or may, is refused.
func TestDropout(t *testing.T) {
	t.Parallel()
	x, yes := graph.Floats([]float32{1, 2, 3}, 3), &graph.Tensor{DType: graph.Bool, Shape: []int{}, Bool: []bool{true}}
	ratio := func(v float32) *graph.Tensor {
		return &graph.Tensor{DType: graph.Float32, Shape: []int{}, F32: []float32{v}}
	}
	y := compute(t, 13, "Dropout", nil, 2, []*graph.Tensor{x, ratio(0), yes}, 1, 2)
	if !slices.Equal(y[0].F32, x.F32) || !slices.Equal(y[1].Bool, []bool{true, true, true}) {
		t.Errorf("ratio 0: %v, %v", y[0].F32, y[1].Bool)
	}
	for what, inputs := range map[string][]*graph.Tensor{"ratio 0.1": {x, ratio(0.1), yes}, "no ratio": {x, nil, yes}} {
		_, err := attempt(13, "Dropout", nil, 1, inputs, 1, 2)
		if err == nil || !strings.Contains(err.Error(), "export the model in evaluation mode") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	_, err := attempt(13, "Dropout", nil, 1, []*graph.Tensor{x, ratio(0.1), yes}, 1)
	if err == nil || !strings.Contains(err.Error(), "training_mode") {
		t.Errorf("a mode that is unknown: error %v", err)
	}
}
