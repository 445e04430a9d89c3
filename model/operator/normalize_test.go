// Normalizations by a batch's own statistics, and of vectors of zeros.

package operator_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

func TestTrainingNormalization(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, opset := range []int{9, 13, 14, 15, 20} {
		for range 10 {
			x := random(r, append([]int{1 + r.IntN(3), 1 + r.IntN(4)}, [][]int{{}, {5}, {3, 4}, {2, 3, 2}}[r.IntN(4)]...)...)
			if x.Shape[0]*graph.Count(x.Shape[2:]) == 1 {
				continue
			}
			n := x.Shape[1]
			inputs := []*graph.Tensor{x, random(r, n), random(r, n), random(r, n), random(r, n)}
			_, _, inner := graph.Around(x.Shape, 1)
			want := [3][]float64{make([]float64, len(x.F32)), make([]float64, n), make([]float64, n)}
			for c := range n {
				var values []float64
				for i, v := range x.F32 {
					if i/inner%n == c {
						values = append(values, float64(v))
					}
				}
				mean, spread := 0.0, 0.0
				for _, v := range values {
					mean += v / float64(len(values))
				}
				for _, v := range values {
					spread += (v - mean) * (v - mean) / float64(len(values))
				}
				for i, v := range x.F32 {
					if i/inner%n == c {
						want[0][i] = (float64(v)-mean)/math.Sqrt(spread+1e-3)*float64(inputs[1].F32[c]) + float64(inputs[2].F32[c])
					}
				}
				want[1][c] = 0.75*float64(inputs[3].F32[c]) + 0.25*mean
				want[2][c] = 0.75*float64(inputs[4].F32[c]) + 0.25*spread
			}
			attributes := map[string]graph.Attribute{"epsilon": {Kind: graph.AttributeFloat, Float: 1e-3},
				"momentum": {Kind: graph.AttributeFloat, Float: 0.75}}
			if opset >= 14 {
				attributes["training_mode"] = integer(1)
			}
			for _, constant := range [][]int{{0}, {0, 1, 2}} {
				y := compute(t, opset, "BatchNormalization", attributes, 3, inputs, constant...)
				what := fmt.Sprint("BatchNormalization of ", x.Shape, " opset ", opset)
				near(t, what, y[0], want[0], 1e-5, x.Shape...)
				near(t, what, y[1], want[1], 1e-6, n)
				near(t, what, y[2], want[2], 1e-6, n)
			}
		}
	}
	// Of samples, of one alone too; before opset 14 the outputs tell.
	for _, c := range []struct{ batch, opset, outputs int }{{2, 17, 1}, {1, 17, 1}, {1, 15, 3}, {4, 13, 5}, {1, 11, 5}} {
		inputs := []*graph.Tensor{floats(c.batch, 3, 4), floats(3), floats(3), floats(3), floats(3)}
		attributes := map[string]graph.Attribute{}
		if c.opset >= 14 {
			attributes["training_mode"] = integer(1)
		}
		_, err := attempt(c.opset, "BatchNormalization", attributes, c.outputs, inputs, 1, 2, 3, 4)
		const want = `input 0 ("x0") must be a constant, as weights are; export the model in evaluation mode`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: a batch's own statistics: error %v", c, err)
		}
	}
}

// Vectors of zeros stay zeros; NaN and infinity stay what they make of their vector.
func TestLpNormalization(t *testing.T) {
	t.Parallel()
	x := floats(3, 4)
	copy(x.F32[4:], []float32{3, 0, -4, 0, float32(math.NaN()), 1, 1, 1})
	for p, norm := range map[int]float64{1: 7, 2: 5} {
		y := compute(t, 22, "LpNormalization", map[string]graph.Attribute{"p": integer(int64(p))}, 1, []*graph.Tensor{x})[0].F32
		for i, want := range []float64{0, 0, 0, 0, 3 / norm, 0, -4 / norm, 0} {
			if math.Abs(float64(y[i])-want) > 1e-7 {
				t.Errorf("p = %d: element %d is %g, want %g", p, i, y[i], want)
			}
		}
		for i, v := range y[8:] {
			if v == v {
				t.Errorf("p = %d: element %d of a vector with NaN is %g", p, i, v)
			}
		}
	}
}

// A convolution whose weights are standardized by a batch normalization in training mode, the way exporters write it,
// is a convolution once it is prepared.
func TestStandardizedConvolution(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	w, scale := random(r, 4, 3, 3, 3), random(r, 4)
	g := &graph.Graph{Opset: 17, Inputs: []graph.Port{{Name: "x", DType: graph.Float32}}, Outputs: []graph.Port{{Name: "y"}},
		Constants: map[string]*graph.Tensor{"w": w, "rows": list(1, 4, 27), "form": list(w.Shape...),
			"scale": scale, "zeros": floats(4), "ones": random(r, 4)},
		Nodes: []*graph.Node{
			{Op: "Reshape", Inputs: []string{"w", "rows"}, Outputs: []string{"r"}},
			{Op: "BatchNormalization", Inputs: []string{"r", "scale", "zeros", "zeros", "ones"}, Outputs: []string{"n", "mean", "variance"},
				Attributes: map[string]graph.Attribute{"training_mode": integer(1)}},
			{Op: "Reshape", Inputs: []string{"n", "form"}, Outputs: []string{"k"}},
			{Op: "Conv", Inputs: []string{"x", "k"}, Outputs: []string{"y"}},
		}}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 1 || g.Nodes[0].Op != "Conv" || g.Constants["k"] == nil {
		t.Fatalf("nodes %v", g.Nodes)
	}
	k := g.Constants["k"].F32
	for c := range 4 {
		mean, square := 0.0, 0.0
		for _, v := range k[c*27:][:27] {
			mean += float64(v) / 27
			square += float64(v) * float64(v) / 27
		}
		if size := float64(scale.F32[c]); math.Abs(mean) > 1e-6 || math.Abs(square-size*size) > 1e-3 {
			t.Errorf("filter %d: mean %g and mean square %g, want 0 and %g", c, mean, square, size*size)
		}
	}
}
