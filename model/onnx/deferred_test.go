// Weights that stay in their files until they are packed.

package onnx

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repscope/internal/dtype"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/onnxtest"
)

// deferredModel takes its large weights in every way that the executor knows: packed for
// a convolution with several groups, one with batch normalization, linear steps of both
// orientations and one behind a flattened image, added as they are, transposed, converted
// from float16 and shared. Store makes the message of a tensor.
func deferredModel(store func(name string, element int64, raw []byte, dims ...int64) message) []byte {
	g := message{}.Text(2, "g").Bytes(11, portMessage("x", -1, 32, 6, 6)).Bytes(12, portMessage("z", -1, 600))
	g = g.Bytes(12, portMessage("tied", 160, 640))
	seed := uint32(1)
	weights := func(name string, element int64, dims ...int64) string {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		var raw []byte
		for range n {
			seed = seed*1664525 + 1013904223
			if element == graph.ElementFloat16 {
				raw = binary.LittleEndian.AppendUint16(raw, uint16(seed>>31<<15|0x2800|seed>>8&0x3ff))
			} else {
				raw = append(raw, onnxtest.FloatBytes(float32(int32(seed)>>16)/(1<<20))...)
			}
		}
		g = g.Bytes(5, store(name, element, raw, dims...))
		return name
	}
	apply := func(op, out string, in []string, attributes ...message) string {
		g = g.Bytes(1, onnxtest.Node(op, in, []string{out}, attributes...))
		return out
	}
	integer := func(name string, v int64) message { return message{}.Text(1, name).Varint(3, v).Varint(20, 2) }
	x := apply("Conv", "c1", []string{"x", weights("w1", graph.ElementFloat, 64, 32, 3, 3), weights("b1", graph.ElementFloat, 64)})
	x = apply("BatchNormalization", "n1", []string{x, weights("s", graph.ElementFloat, 64), weights("b", graph.ElementFloat, 64),
		weights("m", graph.ElementFloat, 64), "v"})
	g = g.Bytes(5, store("v", graph.ElementFloat, onnxtest.FloatBytes(slices.Repeat([]float32{0.5}, 64)...), 64))
	x = apply("Relu", "r1", []string{x})
	x = apply("Conv", "c2", []string{x, weights("w2", graph.ElementFloat, 640, 16, 2, 2)}, integer("group", 4))
	x = apply("Flatten", "f", []string{x})
	x = apply("Gemm", "g", []string{x, weights("w3", graph.ElementFloat, 160, 640*9), weights("b3", graph.ElementFloat, 160)}, integer("transB", 1))
	// 160 → 640 by a transposed, negated matrix, back by the same one as it is, half precision after it.
	y := apply("MatMul", "m1", []string{x, apply("Transpose", "t", []string{apply("Neg", "n", []string{weights("w4", graph.ElementFloat, 640, 160)})})})
	y = apply("MatMul", "m2", []string{y, "w4"})
	x = apply("Add", "a", []string{x, y})
	x = apply("MatMul", "m3", []string{x, weights("w5", graph.ElementFloat16, 160, 600)})
	// Added as they are: as a bias, and by broadcasting.
	x = apply("Add", "a1", []string{x, weights("b5", graph.ElementFloat, 600)})
	big := apply("Mul", "big", []string{apply("ReduceSum", "sum", []string{x}, integer("keepdims", 0)), weights("w6", graph.ElementFloat, 30, 600)})
	apply("Add", "z", []string{x, apply("ReduceMax", "max", []string{big}, integer("keepdims", 0))})
	apply("Transpose", "tied", []string{"w4"})
	return onnxtest.Model(17, g)
}

func inline(name string, element int64, raw []byte, dims ...int64) message {
	return onnxtest.Tensor(name, element, dims...).Bytes(9, raw)
}

// run encodes batches of the given sizes and returns the outputs one after the other.
func run(t *testing.T, g *graph.Graph, sizes ...int) []float32 {
	t.Helper()
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	x := cpu.New(g, 2)
	defer x.Close()
	return runOn(t, x, sizes...)
}

func runOn(t *testing.T, x *cpu.Executor, sizes ...int) []float32 {
	t.Helper()
	var all []float32
	for _, n := range sizes {
		in := make([]float32, n*32*6*6)
		for i := range in {
			in[i] = float32(i*40503%1000)/1000 - 0.5
		}
		out, err := x.Run(context.Background(), []*graph.Tensor{graph.Floats(in, n, 32, 6, 6)})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range out {
			all = append(all, o.F32...)
		}
	}
	return all
}

// More shapes than an executor remembers.
var deferredSizes = []int{3, 1, 3, 2, 4, 5, 6, 3}

// Deferred weights give the bits of those in memory, inline or external, aligned or
// not, for all shapes; and the files are free after Close.
func TestDeferredWeights(t *testing.T) {
	data := deferredModel(inline)
	m, err := Decode(data, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	deferred := 0
	for name, c := range m.Graph.Constants {
		if !c.Deferred() {
			continue
		}
		deferred++
		values, err := c.Load(nil)
		if err != nil {
			t.Fatal(err)
		}
		m.Graph.Constants[name] = graph.Floats(slices.Clone(values), c.Shape...)
	}
	if deferred != 6 {
		t.Errorf("%d weights are deferred, want 6", deferred)
	}
	want := run(t, m.Graph, deferredSizes...)

	if m, err = Decode(data, "", Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(run(t, m.Graph, deferredSizes...), want) {
		t.Error("deferred weights give other bits")
	}

	for shift := range 4 { // of the external weights, which are then not aligned
		dir := t.TempDir()
		external := make([]byte, shift)
		data := deferredModel(func(name string, element int64, raw []byte, dims ...int64) message {
			w := onnxtest.Tensor(name, element, dims...).Varint(14, 1)
			for _, kv := range [][2]string{{"location", "w.bin"}, {"offset", strconv.Itoa(len(external))}, {"length", strconv.Itoa(len(raw))}} {
				w = w.Bytes(13, message{}.Text(1, kv[0]).Text(2, kv[1]))
			}
			external = append(external, raw...)
			return w
		})
		if err := os.WriteFile(filepath.Join(dir, "w.bin"), external, 0o644); err != nil {
			t.Fatal(err)
		}
		m := openBytes(t, dir, data)
		if !slices.Equal(run(t, m.Graph, deferredSizes...), want) {
			t.Errorf("external weights shifted by %d give other bits", shift)
		}
	}

	m = openBytes(t, t.TempDir(), data)
	if err := m.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	x := cpu.New(m.Graph, 2)
	defer x.Close()
	got := runOn(t, x, 3)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// Everything is packed or held by now.
	if got = append(got, runOn(t, x, deferredSizes[1:]...)...); !slices.Equal(got, want) {
		t.Error("a file gives other bits")
	}
}

func openBytes(t *testing.T, dir string, data []byte) *File {
	t.Helper()
	path := filepath.Join(dir, "model.onnx")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// Weights of a closed file, or of one that was cut or written to, are an error.
func TestLostFile(t *testing.T) {
	data := deferredModel(inline)
	for name, lose := range map[string]func(m *File, path string) error{
		"closed":  func(m *File, _ string) error { return m.Close() },
		"changed": func(_ *File, path string) error { return os.Truncate(path, int64(len(data)/2)) },
	} {
		if name == "changed" && runtime.GOOS == "windows" {
			t.Skip("a mapped file cannot be cut")
		}
		dir := t.TempDir()
		m := openBytes(t, dir, data)
		if err := lose(m, filepath.Join(dir, "model.onnx")); err != nil {
			t.Fatal(err)
		}
		if err := m.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
			t.Fatal(err)
		}
		x := cpu.New(m.Graph, 1)
		_, err := x.Run(context.Background(), []*graph.Tensor{graph.Floats(make([]float32, 32*6*6), 1, 32, 6, 6)})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		x.Close()
	}
}

// A packed list of numbers is read like raw data.
func TestDeferredFloatData(t *testing.T) {
	values := make([]float32, graph.Resident+1)
	for i := range values {
		values[i] = float32(i)
	}
	data := onnxtest.Model(17, message{}.Bytes(11, portMessage("x", -1, 1)).Bytes(12, portMessage("z", -1, int64(len(values)))).
		Bytes(5, onnxtest.Tensor("w", graph.ElementFloat, int64(len(values))).Bytes(4, dtype.Bytes(values))).
		Bytes(1, onnxtest.Node("Mul", []string{"x", "w"}, []string{"z"})))
	m, err := Decode(data, "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := m.Graph.Constants["w"]
	if got, err := w.Load(nil); err != nil || !w.Deferred() || !slices.Equal(got, values) {
		t.Errorf("deferred %v, error %v, or other values", w.Deferred(), err)
	}
}

// Weights that are no numbers are named when they are read, held or deferred; infinity and a
// lone NaN may be meant.
func TestWeightsNaN(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, at int
		value float64
		want  string
	}{
		{4, 3, math.NaN(), `initializer "w" contains NaN at [1 1]`},
		{2 * graph.Resident, graph.Resident + 1, math.NaN(), fmt.Sprintf(`initializer "w" contains NaN at [1 %d]`, 1)},
		{4, 3, math.Inf(-1), ""},
		{2 * graph.Resident, 7, math.Inf(-1), ""},
		{1, 0, math.NaN(), ""},
	} {
		values := make([]float32, c.n)
		values[c.at] = float32(c.value)
		shape := []int64{2, int64(c.n / 2)}
		if c.n == 1 {
			shape = []int64{1}
		}
		data := onnxtest.Model(17, message{}.Bytes(11, portMessage("x", -1, 1)).Bytes(12, portMessage("z")).
			Bytes(5, onnxtest.Floats("w", values, shape...)).Bytes(1, onnxtest.Node("Mul", []string{"x", "w"}, []string{"z"})))
		m, err := Decode(data, "", Options{})
		if err == nil {
			_, err = m.Graph.Constants["w"].Load(nil)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d elements, %v: %v, want %q", c.n, c.value, err, c.want)
		}
	}
}

// quantizedModel multiplies by matrices of narrow integers that it dequantizes: in blocks, by column, and, under a
// name that is an output too, by one scale.
func quantizedModel() []byte {
	const rows, columns, block = 300, 130, 32
	raw := func(n, seed int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*seed + i>>7)
		}
		return b
	}
	scales := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(i%13+1) / 64
		}
		return s
	}
	const blocks = (rows + block - 1) / block
	number := func(name string, v int64) message { return message{}.Text(1, name).Varint(3, v).Varint(20, 2) }
	g := message{}.Text(2, "g").Bytes(11, portMessage("x", -1, rows)).Bytes(12, portMessage("z", -1, columns)).Bytes(12, onnxtest.Port("w3", graph.ElementInt8, rows, columns)).
		Bytes(5, inline("w1", graph.ElementInt4, raw(rows*columns/2, 73), rows, columns)).Bytes(5, onnxtest.Floats("s1", scales(blocks*columns), blocks, columns)).
		Bytes(5, inline("z1", graph.ElementInt4, raw(blocks*columns/2, 11), blocks, columns)).
		Bytes(5, inline("w2", graph.ElementUint8, raw(rows*columns, 41), rows, columns)).Bytes(5, onnxtest.Floats("s2", scales(columns), columns)).
		Bytes(5, inline("w3", graph.ElementInt8, raw(rows*columns, 29), rows, columns)).Bytes(5, onnxtest.Floats("s3", scales(1))).
		Bytes(1, onnxtest.Node("DequantizeLinear", []string{"w1", "s1", "z1"}, []string{"d1"}, number("axis", 0), number("block_size", block))).
		Bytes(1, onnxtest.Node("DequantizeLinear", []string{"w2", "s2"}, []string{"d2"}, number("axis", 1))).
		Bytes(1, onnxtest.Node("DequantizeLinear", []string{"w3", "s3"}, []string{"d3"}))
	for i, name := range []string{"1", "2", "3"} {
		g = g.Bytes(1, onnxtest.Node("MatMul", []string{"x", "d" + name}, []string{"y" + name}))
		switch i {
		case 1:
			g = g.Bytes(1, onnxtest.Node("Add", []string{"y1", "y2"}, []string{"y12"}))
		case 2:
			g = g.Bytes(1, onnxtest.Node("Add", []string{"y12", "y3"}, []string{"z"}))
		}
	}
	return onnxtest.Model(21, g)
}

// Weights of 4 and 8 bits that are dequantized stay in their file and give the bits of those that are read at once.
func TestDeferredIntegers(t *testing.T) {
	x := make([]float32, 3*300)
	for i := range x {
		x[i] = float32(i*40503%1000)/1000 - 0.5
	}
	var want []float32
	for _, limit := range []int{1 << 30, graph.Resident} {
		func() {
			defer func(before int) { resident = before }(resident)
			resident = limit
			m, err := Decode(quantizedModel(), "", Options{})
			if err != nil {
				t.Fatal(err)
			}
			for name, deferred := range map[string]bool{"w1": true, "w2": true, "w3": false, "s1": false} {
				if c := m.Graph.Constants[name]; c.Deferred() != (deferred && limit == graph.Resident) || name == "w3" && len(c.I64) != 300*130 {
					t.Errorf("limit %d: %s is deferred: %t", limit, name, c.Deferred())
				}
			}
			if err := m.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
				t.Fatal(err)
			}
			e := cpu.New(m.Graph, 2)
			defer e.Close()
			out, err := e.Run(context.Background(), []*graph.Tensor{graph.Floats(x, 3, 300)})
			switch {
			case err != nil:
				t.Fatal(err)
			case want == nil:
				want = slices.Clone(out[0].F32)
			case !slices.Equal(out[0].F32, want):
				t.Error("deferred integers give other bits")
			}
		}()
	}
}
