// Tests of values that are kept as bytes, against the steps one by one.

package fuse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// quantizedNetwork is layers of a quantized network in random order: convolutions of integers, with a group for each
// channel and without, activations, gates of channels and sums, each quantized again.
type quantizedNetwork struct {
	*quantizedGraph
	r      *rand.Rand
	shape  []int  // of the images
	x      string // quantized
	zero   int64  // its zero point
	scale  float32
	number int
}

func (n *quantizedNetwork) name(kind string) string {
	n.number++
	return fmt.Sprint(kind, n.number)
}

func (n *quantizedNetwork) node(op string, attributes map[string]graph.Attribute, in ...string) string {
	y := n.name("v")
	n.Nodes = append(n.Nodes, &graph.Node{Op: op, Inputs: in, Outputs: []string{y}, Attributes: attributes})
	return y
}

func (n *quantizedNetwork) floats(scale float64, shape ...int) string {
	name := n.name("c")
	x := make([]float32, graph.Count(shape))
	for i := range x {
		x[i] = float32((n.r.Float64() + 0.1) * scale)
	}
	n.Constants[name] = graph.Floats(x, shape...)
	return name
}

// quantize quantizes with a zero point and a scale of its own.
func (n *quantizedNetwork) quantize(x string, scale float32) string {
	s, z := n.name("s"), n.name("z")
	n.zero, n.scale = int64(n.r.IntN(200)), scale
	if n.element == graph.ElementInt8 {
		n.zero -= 100
	}
	n.Constants[s] = graph.Floats([]float32{scale})
	n.Constants[z] = &graph.Tensor{DType: graph.Int64, I64: []int64{n.zero}}
	return n.node("QuantizeLinear", map[string]graph.Attribute{"output_dtype": graph.IntAttribute(n.element)}, x, s, z)
}

func (n *quantizedNetwork) dequantize(q string, scale float32, zero int64) string {
	s, z := n.name("s"), n.name("z")
	n.Constants[s] = graph.Floats([]float32{scale})
	n.Constants[z] = &graph.Tensor{DType: graph.Int64, I64: []int64{zero}}
	return n.node("DequantizeLinear", nil, q, s, z)
}

// conv is a convolution and, if all is well, the sums of its integers scaled to about one.
func (n *quantizedNetwork) conv(depthwise bool) {
	filters, group, width := []int{16, 33, 64, 70, 96}[n.r.IntN(5)], 1, n.shape[1]
	if depthwise {
		filters, group, width = n.shape[1], n.shape[1], 1
	}
	kernel := []int64{1, 3, 5}[n.r.IntN(3)]
	stride, pad := int64(1+n.r.IntN(2)), int64(n.r.IntN(int(kernel)))
	for _, a := range n.shape[2:] {
		if int64(a)+2*pad < kernel {
			kernel, pad = 1, 0
		}
	}
	zero, weights := n.name("z"), n.name("w")
	n.Constants[zero] = &graph.Tensor{DType: graph.Int64, I64: []int64{n.zero}}
	w := graph.Ints(make([]int64, filters*width*int(kernel*kernel))...)
	for i := range w.I64 {
		w.I64[i] = int64(n.r.IntN(256) - 128)
	}
	w.Shape = []int{filters, width, int(kernel), int(kernel)}
	n.Constants[weights] = w
	n.shape = slices.Clone(n.shape)
	n.shape[1] = filters
	for a := 2; a < 4; a++ {
		n.shape[a] = int((int64(n.shape[a])+2*pad-kernel)/stride) + 1
	}
	attributes := map[string]graph.Attribute{"group": graph.IntAttribute(group), "kernel_shape": graph.IntsAttribute(int(kernel), int(kernel)),
		"strides": graph.IntsAttribute(int(stride), int(stride)), "pads": graph.IntsAttribute(int(pad), int(pad), int(pad), int(pad))}
	if n.r.IntN(3) == 0 {
		n.linearConv(attributes, weights, zero, filters)
		return
	}
	y := n.node("ConvInteger", attributes, n.x, weights, zero)
	y = n.node("Cast", map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}, y)
	y = n.node("Mul", nil, y, n.floats(1e-4, 1, filters, 1, 1))
	y = n.node("Add", nil, y, n.floats(0.5, 1, filters, 1, 1))
	if n.r.IntN(3) == 0 {
		y = n.node("Relu", nil, y)
	}
	n.x = n.quantize(y, 0.03)
	if n.r.IntN(2) == 0 {
		d := n.dequantize(n.x, n.scale, n.zero)
		s := n.quantize(n.node("Sigmoid", nil, d), 1./255)
		n.x = n.quantize(n.node("Mul", nil, d, n.dequantize(s, n.scale, n.zero)), 0.02)
	}
}

// linearConv is a convolution that quantizes its sums itself, with biases up to those that have no float of their own.
func (n *quantizedNetwork) linearConv(attributes map[string]graph.Attribute, weights, zero string, filters int) {
	names := [6]string{}
	for i := range names {
		names[i] = n.name("q")
	}
	bias, limit := graph.Ints(make([]int64, filters)...), int64(1)<<[]int{12, 22, 26}[n.r.IntN(3)]
	for i := range bias.I64 {
		bias.I64[i] = n.r.Int64N(2*limit) - limit
	}
	scale := float32(0.002 * float64(limit) / (1 << 12))
	n.zero = n.zero/2 + 10
	n.Constants[names[0]], n.Constants[names[1]], n.Constants[names[2]] = graph.Floats([]float32{n.scale}), graph.Floats([]float32{2e-5 / n.scale}), graph.Ints(0)
	n.Constants[names[3]], n.Constants[names[4]], n.Constants[names[5]] = graph.Floats([]float32{scale}), graph.Ints(n.zero), bias
	attributes["output_dtype"] = graph.IntAttribute(n.element)
	n.scale = scale
	n.x = n.node("QLinearConv", attributes, n.x, names[0], zero, weights, names[1], names[2], names[3], names[4], names[5])
}

// gate multiplies the channels by a function of their means.
func (n *quantizedNetwork) gate() {
	d := n.dequantize(n.x, n.scale, n.zero)
	g := n.node("Sigmoid", nil, n.node("GlobalAveragePool", nil, d))
	n.x = n.quantize(n.node("Mul", nil, g, d), 0.015)
}

// residual adds a convolution to its input.
func (n *quantizedNetwork) residual() {
	x, scale, zero, shape := n.x, n.scale, n.zero, n.shape
	n.conv(true)
	if !slices.Equal(shape, n.shape) {
		return
	}
	a, b := n.dequantize(x, scale, zero), n.dequantize(n.x, n.scale, n.zero)
	n.x = n.quantize(n.node("Add", nil, a, b), 0.04)
}

// pool takes the greatest elements of windows, before or after the values are integers again.
func (n *quantizedNetwork) pool() {
	kernel, stride := 1+n.r.IntN(3), 1+n.r.IntN(2)
	if min(n.shape[2], n.shape[3]) < kernel {
		return
	}
	pad := n.r.IntN(kernel/2 + 1)
	attributes := map[string]graph.Attribute{"kernel_shape": graph.IntsAttribute(kernel, kernel), "strides": graph.IntsAttribute(stride, stride),
		"pads": graph.IntsAttribute(pad, pad, pad, pad)}
	n.shape = slices.Clone(n.shape)
	for a := 2; a < 4; a++ {
		n.shape[a] = (n.shape[a]+2*pad-kernel)/stride + 1
	}
	if n.r.IntN(2) == 0 {
		n.x = n.node("MaxPool", attributes, n.x)
		return
	}
	n.x = n.quantize(n.node("MaxPool", attributes, n.dequantize(n.x, n.scale, n.zero)), n.scale)
}

// join concatenates two convolutions.
func (n *quantizedNetwork) join() {
	x, scale, zero, shape := n.x, n.scale, n.zero, n.shape
	n.conv(true)
	a, first := n.dequantize(n.x, n.scale, n.zero), n.shape
	n.x, n.scale, n.zero, n.shape = x, scale, zero, shape
	n.conv(true)
	if !slices.Equal(first, n.shape) {
		return
	}
	b := n.dequantize(n.x, n.scale, n.zero)
	n.shape = slices.Clone(n.shape)
	n.shape[1] *= 2
	n.x = n.quantize(n.node("Concat", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, a, b), 0.035)
}

// TestBytes: networks whose values are kept as bytes have the bits of the same steps on floats, for any number of
// threads and any batch.
func TestBytes(t *testing.T) {
	t.Parallel()
	kept := 0
	for trial := range 60 {
		element := []int{graph.ElementUint8, graph.ElementInt8}[trial%2]
		shape := []int{3, 0, 0, 0}
		build := func() *graph.Graph {
			n := &quantizedNetwork{quantizedGraph: newQuantizedGraph(element), r: rand.New(rand.NewPCG(uint64(trial), 9))}
			shape = []int{3, []int{1, 3, 32, 40}[n.r.IntN(4)], 1 + n.r.IntN(19), 1 + n.r.IntN(19)}
			n.shape = shape
			n.x = n.quantize("x", 0.05)
			for range 2 + n.r.IntN(4) {
				switch n.r.IntN(6) {
				case 0, 1:
					n.conv(false)
				case 2:
					n.gate()
				case 3:
					n.pool()
				case 4:
					n.join()
				default:
					n.residual()
				}
			}
			n.Nodes = append(n.Nodes, &graph.Node{Op: "Identity", Inputs: []string{n.dequantize(n.x, n.scale, n.zero)}, Outputs: []string{"y"}})
			return n.Graph
		}
		build()
		x := graph.Floats(make([]float32, graph.Count(shape)), shape...)
		r := rand.New(rand.NewPCG(1, uint64(trial)))
		for i := range x.F32 {
			x.F32[i] = float32(r.NormFloat64() * 3)
		}
		_, want := computed(t, build(), fuse.Rules(cpu.Evaluate), x)
		p, got := computed(t, build(), fuse.ProcessorRules(cpu.Evaluate), x)
		same(t, fmt.Sprint("trial ", trial, " of ", shape), got, want)
		for _, v := range p.Values {
			if v.Levels != nil {
				kept++
			}
		}
		one := graph.Floats(x.F32[len(x.F32)/3:len(x.F32)/3*2], append([]int{1}, shape[1:]...)...)
		_, alone := computed(t, build(), fuse.ProcessorRules(cpu.Evaluate), one)
		same(t, fmt.Sprint("trial ", trial, ", a state alone"), alone, got[len(got)/3:len(got)/3*2])
	}
	if kept < 60 {
		t.Errorf("%d values were kept as bytes, want 60 at least", kept)
	}
}
