// Poolings over windows.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var poolRows = []Row{
	{Name: "MaxPool", Since: 1, Types: "fi", Inputs: exactly(1), Outputs: 2,
		Attributes: windowAttributes("ceil_mode", "storage_order"), NoFold: true, infer: inferPool},
	{Name: "AveragePool", Since: 1, Types: "f", Inputs: exactly(1), Outputs: 1,
		Attributes: windowAttributes("ceil_mode", "count_include_pad"), NoFold: true, infer: inferPool},
}

// PoolParams is a pooling over spatial axes.
type PoolParams struct {
	Kernel, Strides, Dilations []int
	Before, After              []int
	CountPadding               bool
	// ColumnMajor says that the indices of maxima count the first spatial axis fastest.
	ColumnMajor bool
	// ChannelsLast: [N, spatial…, C], set by package fuse.
	ChannelsLast bool
}

func inferPool(c *context) {
	x := c.shape(0)
	c.want(0, graph.Float32, graph.Int64)
	if c.In[0].DType == graph.Int64 && c.Node.Op != "MaxPool" {
		c.failf("input 0 has type int64, want float32")
	}
	if len(x) < 3 {
		c.failf("input %v, want [N, C, spatial…]", x)
	}
	kernel, ok := c.integers("kernel_shape")
	if !ok {
		c.failf("kernel_shape is missing")
	}
	p := &PoolParams{Kernel: kernel, CountPadding: c.flag("count_include_pad", false), ColumnMajor: c.flag("storage_order", false)}
	var out []int
	p.Strides, p.Dilations, p.Before, p.After, out = c.window(x[2:], kernel, c.integer("ceil_mode", 0) != 0)
	c.Params = p
	c.emit(c.In[0].DType, append(slices.Clone(x[:2]), out...)...)
	if c.Node.Op == "MaxPool" {
		c.emit(graph.Int64, c.Out[0].Shape...)
	}
}
