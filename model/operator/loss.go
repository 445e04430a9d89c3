// Losses of classification, which a graph may have as outputs next to the encoder's.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var lossRows = []tableRow{
	{Name: "NegativeLogLikelihoodLoss", Since: 12, Types: "f", Inputs: between(2, 3), Outputs: 1,
		Attributes: []string{"ignore_index", "reduction"}, infer: inferLogLikelihood},
	{Name: "SoftmaxCrossEntropyLoss", Since: 12, Types: "f", Inputs: between(2, 3), Outputs: 2,
		Attributes: []string{"ignore_index", "reduction"}, infer: inferCrossEntropy},
}

// checkLoss checks the operands of a loss: numbers [N, C, …], classes [N, …] and weights [C].
func (c *context) checkLoss() {
	c.want(0, graph.Float32)
	c.want(1, graph.Int64)
	c.want(2, graph.Float32)
	x, target := c.shape(0), c.shape(1)
	if len(x) < 2 || !slices.Equal(target, slices.Delete(slices.Clone(x), 1, 2)) {
		c.failf("input %v and classes %v, want [N, C, …] and [N, …]", x, target)
	}
	if x[1] == 0 && graph.Count(target) > 0 {
		c.failf("input %v has no classes", x)
	}
	if c.has(2) && !slices.Equal(c.shape(2), x[1:2]) {
		c.failf("weights %v of %d classes", c.shape(2), x[1])
	}
}

func inferLogLikelihood(c *context) {
	c.checkLoss()
	l := c.lower()
	l.finish(c.logLikelihood(c.Node.Inputs[0]))
}

// inferCrossEntropy is the loss of the logarithms of the scores' softmax over the classes, which are the second output.
func inferCrossEntropy(c *context) {
	c.checkLoss()
	l := c.lower()
	// The classes go last, where the softmax of every opset takes them alone.
	last, back := []int{0}, []int{0, len(c.shape(0)) - 1}
	for i := 2; i < len(c.shape(0)); i++ {
		last, back = append(last, i), append(back, i-1)
	}
	x := l.transpose(c.Node.Inputs[0], append(last, 1))
	x = l.transpose(l.add("LogSoftmax", map[string]graph.Attribute{"axis": graph.IntAttribute(len(last))}, x), back)
	l.finish(c.logLikelihood(x), x)
}

// logLikelihood is minus the element of x of each position's class, times the class's weight, and, by the attribute,
// their sum or their weighted mean. Positions of the ignored class do not count.
func (c *context) logLikelihood(x string) string {
	l, shape, classes := c.lowered, c.shape(1), c.Node.Inputs[1]
	scalar := func(v float32) string { return l.constant(graph.Floats([]float32{v})) }
	ignored := ""
	if class, ok := c.attribute("ignore_index", graph.AttributeInt); ok {
		ignored = l.add("Equal", nil, classes, l.whole(c.In[1].Type, class.Int))
		classes = l.add("Where", nil, ignored, l.whole(c.In[1].Type, 0), classes)
	}
	without := func(v string) string {
		if ignored == "" {
			return v
		}
		return l.add("Where", nil, ignored, scalar(0), v)
	}
	index := l.reshape(classes, slices.Insert(slices.Clone(shape), 1, 1))
	y := l.add("Neg", nil, l.reshape(l.add("GatherElements", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, x, index), shape))
	weights := ""
	switch {
	case c.has(2):
		weights = l.add("Gather", nil, c.Node.Inputs[2], classes)
		y = without(l.add("Mul", nil, y, weights))
		weights = without(weights)
	case ignored != "":
		y, weights = without(y), l.add("Where", nil, ignored, scalar(0), scalar(1))
	}
	all := map[string]graph.Attribute{"keepdims": graph.IntAttribute(0)}
	switch reduction := c.text("reduction", "mean"); {
	case reduction == "none":
		return y
	case reduction == "sum":
		return l.add("ReduceSum", all, y)
	case reduction == "mean" && weights == "":
		return l.add("ReduceMean", all, y)
	case reduction == "mean":
		return l.add("Div", nil, l.add("ReduceSum", all, y), l.add("ReduceSum", all, weights))
	default:
		c.failf("reduction is %q, want none, sum or mean", reduction)
	}
	return ""
}
