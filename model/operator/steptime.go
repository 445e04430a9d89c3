// Time of the steps of a prepared graph.

package operator

import (
	"slices"

	"repscope/model/graph"
)

// StepTime is the time of a step of a prepared graph in the runs with inputs of the same shapes.
type StepTime struct {
	Operator string  // with the domain of fused steps, as in "repscope.Conv"
	Node     string  // the name of the node, as far as the file has one
	Inputs   [][]int // shapes; nil for an input that is left out
	Output   []int   // shape of the first output
	Layout   string  // "NHWC" or "NCHW" of a step that has one, else empty
	Calls    int     // runs
	Total    float64 // seconds of all calls
	Median   float64 // seconds of a call
	Flops    float64 // multiplications and additions of a call; 0 where they are not counted
	Bytes    float64 // of inputs, weights and outputs of a call
}

// Took enters the seconds of the step's runs.
func (t *StepTime) Took(seconds []float64) {
	t.Calls = len(seconds)
	for _, s := range seconds {
		t.Total += s
	}
	sorted := slices.Sorted(slices.Values(seconds))
	n := len(sorted)
	t.Median = (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// DescribeStep is a step of a program without its times.
func DescribeStep(p *graph.Program, s *graph.Step) StepTime {
	t := StepTime{Operator: s.Node.Op, Node: s.Node.Name}
	if s.Node.Domain != "" {
		t.Operator = s.Node.Domain + "." + s.Node.Op
	}
	size := func(id int) float64 {
		v := p.Values[id]
		if v.Levels != nil {
			return float64(graph.Count(v.Shape))
		}
		return float64(graph.Count(v.Shape) * v.DType.Size())
	}
	for _, id := range s.In {
		if id < 0 {
			t.Inputs = append(t.Inputs, nil)
			continue
		}
		t.Inputs = append(t.Inputs, p.Values[id].Shape)
		t.Bytes += size(id)
	}
	for _, id := range s.Out {
		if id < 0 {
			continue
		}
		if t.Output == nil {
			t.Output = p.Values[id].Shape
		}
		t.Bytes += size(id)
	}
	if c, ok := s.Params.(*ConvParams); ok {
		t.Layout = "NCHW"
		if c.ChannelsLast {
			t.Layout = "NHWC"
		}
	}
	t.Flops = flops(s.Node.Op, t.Inputs, t.Output)
	return t
}

// flops are the multiplications and additions of products.
func flops(op string, in [][]int, out []int) float64 {
	if len(in) < 2 || len(in[0]) == 0 || len(in[1]) == 0 {
		return 0
	}
	switch op {
	case "Conv": // weights [out, in/group, kernel…]
		return 2 * float64(graph.Count(out)) * float64(graph.Count(in[1])/max(1, in[1][0]))
	case "ConvTranspose": // weights [in, out/group, kernel…]
		return 2 * float64(graph.Count(in[0])) * float64(graph.Count(in[1])/max(1, in[1][0]))
	case "MatMul", "Linear":
		return 2 * float64(graph.Count(out)) * float64(in[0][len(in[0])-1])
	}
	return 0
}
