// Losses against a literal loop in float64.

package operator_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/graph"
)

// TestLosses takes the logarithm of each position's class and adds the positions up, without the ignored class.
func TestLosses(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(41, 43))
	for range 100 {
		n, classes, inner := 1+random.IntN(3), 1+random.IntN(4), 1+random.IntN(3)
		shape, places := []int{n, classes, inner}, []int{n, inner}
		x, target := noise(random, 2, shape...), integers(places...)
		ignored := int64([]int{-1, 0, 1000}[random.IntN(3)])
		attributes := map[string]graph.Attribute{}
		if random.IntN(2) == 0 {
			attributes["ignore_index"] = integer(ignored)
		} else {
			ignored = 1 << 40
		}
		for i := range target.I64 {
			target.I64[i] = int64(random.IntN(classes))
			if random.IntN(4) == 0 && ignored != 1<<40 {
				target.I64[i] = ignored
			}
		}
		var weights *graph.Tensor
		if random.IntN(2) == 0 {
			weights = noise(random, 1, classes)
			for i, v := range weights.F32 {
				weights.F32[i] = v*v + 0.1
			}
		}
		reduction := []string{"none", "sum", "mean"}[random.IntN(3)]
		attributes["reduction"] = graph.Attribute{Kind: graph.AttributeString, String: reduction}
		op := []string{"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}[random.IntN(2)]
		var each []float64
		sum, total := 0.0, 0.0
		for i, class := range target.I64 {
			if class == ignored {
				each = append(each, 0)
				continue
			}
			value := func(k int) float64 { return float64(x.F32[(i/inner*classes+k)*inner+i%inner]) }
			v, weight := -value(int(class)), 1.0
			if op == "SoftmaxCrossEntropyLoss" {
				all := 0.0
				for k := range classes {
					all += math.Exp(value(k))
				}
				v += math.Log(all)
			}
			if weights != nil {
				weight = float64(weights.F32[class])
			}
			each = append(each, weight*v)
			sum, total = sum+weight*v, total+weight
		}
		switch reduction {
		case "sum":
			each = []float64{sum}
		case "mean":
			each = []float64{sum / total}
			if total == 0 {
				continue // undefined
			}
		}
		if got := evaluate(t, random.IntN(2) == 0, op, attributes, x, target, weights); !nearly(got.F32, each) {
			t.Fatalf("%s, %s of %v: got %v, want %v", op, reduction, shape, got.F32, each)
		}
	}
}

func TestLossErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x          *graph.Tensor
		attributes map[string]graph.Attribute
		constants  []*graph.Tensor
		want       string
	}{
		{floats(2, 3), nil, []*graph.Tensor{integers(2), floats(3)}, ""},
		{floats(2, 3), nil, []*graph.Tensor{integers(3)}, "input [2 3] and classes [3], want [N, C, …] and [N, …]"},
		{floats(2, 3), nil, []*graph.Tensor{integers(2), floats(2)}, "weights [2] of 3 classes"},
		{floats(2, 3), nil, []*graph.Tensor{floats(2)}, "input 1 has type float32, want int64"},
		{floats(2, 3), map[string]graph.Attribute{"reduction": {Kind: graph.AttributeString, String: "all"}}, []*graph.Tensor{integers(2)}, `reduction is "all"`},
	} {
		_, err := bind("SoftmaxCrossEntropyLoss", "", c.x, c.attributes, c.constants...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
