// Tests of reading ONNX files: contents and errors.

package onnx

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"repscope/internal/readtest"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/onnxtest"
)

type message = onnxtest.Message

// portMessage is a port of float32; a negative size is a free axis called n.
func portMessage(name string, dims ...int64) message {
	axes := make([]any, len(dims))
	for i, d := range dims {
		if axes[i] = int(d); d < 0 {
			axes[i] = "n"
		}
	}
	return onnxtest.Port(name, onnxtest.Float, axes...)
}

func TestTensors(t *testing.T) {
	for _, c := range []struct {
		name string
		m    message
		want *graph.Tensor
	}{
		{"raw float32", onnxtest.Tensor("w", 1, 2).Bytes(9, onnxtest.FloatBytes(1, -2)), graph.Floats([]float32{1, -2}, 2)},
		{"float_data packed", onnxtest.Tensor("w", 1, 2).Bytes(4, onnxtest.FloatBytes(1, -2)), graph.Floats([]float32{1, -2}, 2)},
		{"float_data single", message(protowire.AppendFixed32(protowire.AppendTag(onnxtest.Tensor("w", 1), 4, protowire.Fixed32Type), math.Float32bits(7))), graph.Floats([]float32{7})},
		{"raw float16", onnxtest.Tensor("w", 10, 2).Bytes(9, []byte{0, 0x3c, 0, 0xc0}), graph.Floats([]float32{1, -2}, 2)},
		{"int32_data float16", onnxtest.Tensor("w", 10, 2).Varint(5, 0x3c00).Varint(5, 0xc000), graph.Floats([]float32{1, -2}, 2)},
		{"raw bfloat16", onnxtest.Tensor("w", 16, 1).Bytes(9, []byte{0x80, 0x3f}), graph.Floats([]float32{1}, 1)},
		{"double_data", message(protowire.AppendFixed64(protowire.AppendTag(onnxtest.Tensor("w", 11, 1), 10, protowire.Fixed64Type), math.Float64bits(0.5))), graph.Floats([]float32{0.5}, 1)},
		{"int64_data", onnxtest.Tensor("w", 7, 2).Bytes(7, protowire.AppendVarint(protowire.AppendVarint(nil, 5), math.MaxUint64)), graph.Ints(5, -1)},
		{"raw int32", onnxtest.Tensor("w", 6, 1).Bytes(9, []byte{0xff, 0xff, 0xff, 0xff}), graph.Ints(-1)},
		{"int32_data uint8", onnxtest.Tensor("w", 2, 1).Varint(5, 200), graph.Ints(200)},
		{"raw bool", onnxtest.Tensor("w", 9, 2).Bytes(9, []byte{0, 1}), &graph.Tensor{DType: graph.Bool, Shape: []int{2}, Bool: []bool{false, true}}},
		{"raw float8", onnxtest.Tensor("w", 17, 2).Bytes(9, []byte{0x38, 0xc0}), graph.Floats([]float32{1, -2}, 2)},
		{"int32_data float8", onnxtest.Tensor("w", 20, 2).Varint(5, 0x40).Varint(5, 0xc4), graph.Floats([]float32{1, -2}, 2)},
		{"raw float4", onnxtest.Tensor("w", 23, 3).Bytes(9, []byte{0xc2, 0x07}), graph.Floats([]float32{1, -2, 6}, 3)},
		{"raw int4", onnxtest.Tensor("w", 22, 3).Bytes(9, []byte{0xe1, 0x03}), graph.Ints(1, -2, 3)},
		{"int32_data int4", onnxtest.Tensor("w", 22, 3).Varint(5, 0xe1).Varint(5, 3), graph.Ints(1, -2, 3)},
		{"int32_data uint2", onnxtest.Tensor("w", 25, 5).Varint(5, 57).Varint(5, 1), graph.Ints(1, 2, 3, 0, 1)},
		{"empty", onnxtest.Tensor("w", 1, 0, 3), graph.Floats([]float32{}, 0, 3)},
	} {
		got, err := ReadTensor(c.m)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.DType != c.want.DType || len(got.Shape) != len(c.want.Shape) || !slices.Equal(got.F32, c.want.F32) || !slices.Equal(got.I64, c.want.I64) || !slices.Equal(got.Bool, c.want.Bool) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestDamagedTensors(t *testing.T) {
	for _, c := range []struct {
		m    message
		want string
	}{
		{onnxtest.Tensor("w", 1, 3).Bytes(9, onnxtest.FloatBytes(1, 2)), "8 bytes of data"},
		{onnxtest.Tensor("w", 1, 3).Bytes(4, onnxtest.FloatBytes(1, 2)), "needs 3"},
		{onnxtest.Tensor("w", 1, -3).Bytes(9, nil), "negative"},
		{onnxtest.Tensor("w", 1, 1<<40, 1<<40).Bytes(9, nil), "more than"},
		{onnxtest.Tensor("w", 1, 1<<31), "needs 2147483648"},
		{onnxtest.Tensor("w", 8, 1), "element type string"},
		{onnxtest.Tensor("w", 27, 1), "element type float6e2m3"},
		{onnxtest.Tensor("w", 17, 1), "0 numbers of data, shape [1] of float8e4m3fn needs 1"},
		{onnxtest.Tensor("w", 22, 3).Bytes(9, []byte{1}), "1 bytes of data, shape [3] of int4 needs 2"},
		{onnxtest.Tensor("w", 1, 1).Bytes(3, message{}), "segmented"},
		{onnxtest.Tensor("w", 1, 1).Varint(14, 1), "without a location"},
	} {
		_, err := ReadTensor(c.m)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

func TestDamagedGraphs(t *testing.T) {
	in, out := portMessage("x", -1, 4), portMessage("z", -1, 4)
	g := func(parts ...message) message {
		m := message{}.Text(2, "g").Bytes(11, in).Bytes(12, out)
		for _, p := range parts {
			m = m.Bytes(1, p)
		}
		return m
	}
	relu := onnxtest.Node("Relu", []string{"x"}, []string{"z"})
	ints := func(name string, v ...int64) message {
		m := message{}.Text(1, name).Varint(20, 7)
		for _, x := range v {
			m = m.Varint(8, x)
		}
		return m
	}
	for _, c := range []struct {
		name string
		data []byte
		want []string
	}{
		{"good", onnxtest.Model(17, g(relu)), nil},
		{"no graph", onnxtest.Model(17), []string{"no graph"}},
		{"two graphs", onnxtest.Model(17, g(relu), g(relu)), []string{"two graphs"}},
		{"opset 10", onnxtest.Model(10, g(relu)), []string{"opset 10", "11 to 28"}},
		{"opset 29", onnxtest.Model(29, g(relu)), []string{"opset 29", "11 to 28"}},
		{"unknown operator", onnxtest.Model(17, g(onnxtest.Node("Frobnicate", []string{"x"}, []string{"z"}))),
			[]string{`"Frobnicate_1"`, "operator Frobnicate", "opset 17", "encode --ops"}},
		{"unknown operators", onnxtest.Model(17,
			g(onnxtest.Node("Frobnicate", []string{"x"}, []string{"a"}),
				onnxtest.Node("Frobnicate", []string{"a"}, []string{"b"}), onnxtest.Node("Gelu", []string{"b"}, []string{"c"}),
				onnxtest.Node("SparseAttention", []string{"c", "c"}, []string{"z"}).Text(7, "com.microsoft"))),
			[]string{"3 operators are not supported in opset 17: Frobnicate (2 nodes, such as \"Frobnicate_1\"), Gelu (node \"Gelu_1\"; it exists since opset 20), " +
				"com.microsoft.SparseAttention (node \"SparseAttention_1\"); ",
				"; export the model again with opset_version=20; take the model as it was exported, before onnxruntime"}},
		{"misspelt operator", onnxtest.Model(17, g(onnxtest.Node("Softmaxx", []string{"x"}, []string{"z"}))),
			[]string{"the operator of the nearest name is Softmax"}},
		{"random numbers", onnxtest.Model(17, g(onnxtest.Node("RandomNormalLike", []string{"x"}, []string{"z"}))), []string{"with its random numbers as an input"}},
		{"another program's operator", onnxtest.Model(17, g(onnxtest.Node("Nms", []string{"x"}, []string{"z"}).Text(7, "mmdeploy"))),
			[]string{"operator mmdeploy.Nms (node", "without operators of the domain mmdeploy"}},
		{"unknown attribute", onnxtest.Model(17, g(onnxtest.Node("Relu", []string{"x"}, []string{"z"}, ints("wobble", 1)))), []string{`"Relu_1"`, `"wobble"`}},
		{"cycle", onnxtest.Model(17, g(onnxtest.Node("Add", []string{"x", "b"}, []string{"a"}), onnxtest.Node("Relu", []string{"a"}, []string{"b"}), onnxtest.Node("Neg", []string{"b"}, []string{"z"}))), []string{"cycle"}},
		{"missing input", onnxtest.Model(17, g(onnxtest.Node("Relu", []string{"y"}, []string{"z"}))), []string{`"y"`, "no node, constant or graph input"}},
		{"missing output", onnxtest.Model(17, g(onnxtest.Node("Relu", []string{"x"}, []string{"y"}))), []string{`"z"`, "no node"}},
		{"defined twice", onnxtest.Model(17, g(relu, onnxtest.Node("Neg", []string{"x"}, []string{"z"}))), []string{"defined twice"}},
		{"too few operands", onnxtest.Model(17, g(onnxtest.Node("Add", []string{"x"}, []string{"z"}))), []string{"has 1 inputs, want 2"}},
		{"absurd constant", onnxtest.Model(17, message{}.Bytes(11, in).Bytes(12, out).Bytes(5, onnxtest.Tensor("w", 1, 1<<20, 1<<20))), []string{`"w"`, "more than"}},
		{"absurd shape", onnxtest.Model(17, g(onnxtest.Node("ConstantOfShape", []string{"s"}, []string{"c"}), onnxtest.Node("Add", []string{"x", "c"}, []string{"z"})).Bytes(5, onnxtest.Tensor("s", 7, 2).Varint(7, 1<<30).Varint(7, 1<<30))), []string{"more than"}},
		{"reserved domain", onnxtest.Model(17, g(relu.Text(7, "repscope"))), []string{"reserved"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Decode(c.data, "", Options{})
			if err == nil {
				if err = m.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err == nil && len(m.Graph.Inputs) == 1 {
					_, err = m.Graph.Specialize([]graph.Operand{{Type: graph.Type{DType: graph.Float32, Shape: []int{2, 4}}}})
				}
			}
			if c.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatalf("no error, want one with %q", c.want)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
		})
	}
}

func TestExternalData(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "w.bin"), append(make([]byte, 8), onnxtest.FloatBytes(1, 2, 3, 4)...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "outside.bin"), onnxtest.FloatBytes(1, 2, 3, 4), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "outside.bin"), filepath.Join(dir, "link.bin")); err != nil {
		t.Fatal(err)
	}
	build := func(pairs ...string) []byte {
		w := onnxtest.Tensor("w", 1, 4).Varint(14, 1)
		for i := 0; i < len(pairs); i += 2 {
			w = w.Bytes(13, message{}.Text(1, pairs[i]).Text(2, pairs[i+1]))
		}
		return onnxtest.Model(17, message{}.Bytes(11, portMessage("x", -1, 4)).Bytes(12, portMessage("z", -1, 4)).Bytes(5, w).
			Bytes(1, onnxtest.Node("Add", []string{"x", "w"}, []string{"z"})))
	}
	m, err := Decode(build("location", "w.bin", "offset", "8", "length", "16"), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// sha1sum of 8 zeros and the numbers 1 to 4 as float32
	if _, err := Decode(build("location", "w.bin", "offset", "8", "checksum",
		"c022696f40a98e4364c878cf1c25f755f6dbe39b"), dir, Options{}); err != nil {
		t.Error(err)
	}
	if w := m.Graph.Constants["w"]; !slices.Equal(w.F32, []float32{1, 2, 3, 4}) || !slices.Equal(m.External, []string{"w.bin"}) {
		t.Errorf("weights %v from %v", w.F32, m.External)
	}
	for _, c := range [][]string{
		{"has 24 bytes", "location", "w.bin", "offset", "16"},
		{"the file is damaged, or belongs to another model", "location", "w.bin", "offset", "8", "checksum",
			"da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		{"has 24 bytes", "location", "w.bin", "offset", "9223372036854775807"},
		{"length 12", "location", "w.bin", "length", "12"},
		{"not a size", "location", "w.bin", "offset", "-8"},
		{"no such file", "location", "gone.bin"},
		{"inside the model's folder", "location", "../outside.bin"},
		{"inside the model's folder", "location", "/etc/passwd"},
		{"outside its folder", "location", "link.bin"},
		{"got a folder", "location", "."},
	} {
		_, err := Decode(build(c[1:]...), dir, Options{})
		if err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%v: got %v, want an error with %q", c[1:], err, c[0])
		}
	}
	if _, err := Decode(build("location", "w.bin"), "", Options{}); err == nil {
		t.Error("external data without a folder was accepted")
	}
}

// An initializer that is also listed as an input is a constant.
func TestInitialiserAmongInputs(t *testing.T) {
	data := onnxtest.Model(17, message{}.Bytes(11, portMessage("x", -1, 1)).Bytes(11, portMessage("w", 1)).Bytes(12, portMessage("z", -1, 1)).
		Bytes(5, onnxtest.Tensor("w", 1, 1).Bytes(9, onnxtest.FloatBytes(3))).Bytes(1, onnxtest.Node("Mul", []string{"x", "w"}, []string{"z"})))
	m, err := Decode(data, "", Options{})
	if err != nil || len(m.Graph.Inputs) != 1 || m.Graph.Inputs[0].Name != "x" {
		t.Errorf("inputs %v, error %v", m.Graph.Inputs, err)
	}
}

// FuzzDecode reads any bytes as a model, binds it and loads its weights, most of them deferred. It must end quickly, in
// bounded memory, with an error or a program.
func FuzzDecode(f *testing.F) {
	resident = 16
	f.Cleanup(func() { resident = graph.Resident })
	for _, name := range []string{"conv_opset11", "conv_opset17", "mlp_opset11", "mlp_opset17", "tokens_opset11", "tokens_opset17", "new_opset21", "residual_opset17",
		"dreamer_gru_opset17", "last_lstm_opset13", "small_qoperator", "small_dynamic", "small_dynamic_lstm"} {
		data, err := os.ReadFile("../../latent/testdata/" + name + ".onnx")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(onnxtest.Model(17, message{}.Bytes(11, portMessage("x", -1, 4)).Bytes(12, portMessage("z", -1, 4)).Bytes(1, onnxtest.Node("Relu", []string{"x"}, []string{"z"}))))
	body := message{}.Text(2, "g").Bytes(11, portMessage("i")).Bytes(11, portMessage("c")).Bytes(11, portMessage("v")).Bytes(12, portMessage("c")).Bytes(12, portMessage("o")).
		Bytes(1, onnxtest.Node("Neg", []string{"v"}, []string{"o"}))
	f.Add(onnxtest.Model(17, message{}.Bytes(11, portMessage("x", -1, 4)).Bytes(12, portMessage("z")).Bytes(5, onnxtest.Tensor("n", 7).Varint(7, 3)).
		Bytes(1, onnxtest.Node("Loop", []string{"n", "", "x"}, []string{"z"}, message{}.Text(1, "body").Bytes(6, body)))))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data, "", Options{})
		if err != nil {
			return
		}
		g := m.Graph
		if g.Prepare(fuse.Rules(cpu.Evaluate)) != nil {
			return
		}
		var inputs []graph.Operand
		for _, p := range g.Inputs {
			shape := p.Shape()
			for i, d := range shape {
				if d < 0 {
					shape[i] = 2
				}
			}
			inputs = append(inputs, graph.Operand{Type: graph.Type{DType: p.DType, Shape: shape}})
		}
		p, err := g.Specialize(inputs)
		if err != nil {
			return
		}
		p.Plan()
		for _, v := range p.Values {
			if v.Const == nil || !v.Const.Deferred() {
				continue
			}
			if values, err := v.Const.Load(nil); err == nil && len(values) != v.Const.Len() {
				t.Errorf("%q: %d elements of %v", v.Name, len(values), v.Const.Shape)
			}
		}
	})
}

// A serialized tensor has as many elements as its shape says, or is refused; it takes no more memory
// than its bytes allow.
func FuzzReadTensor(f *testing.F) {
	for _, s := range [][]byte{{8, 3, 16, 1, 74, 12, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64}, {8, 2, 16, 7, 58, 2, 1, 2}, {16, 1, 34, 4, 0, 0, 128, 63}, {8, 255, 255, 255, 255, 255, 255, 255, 255, 127, 16, 1}, {}} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var tensor *graph.Tensor
		var err error
		readtest.Memory(t, len(data), readtest.Limit{Base: 16 << 20, PerByte: 1024}, func() { tensor, err = ReadTensor(data) })
		if err != nil || tensor == nil {
			return
		}
		for _, n := range tensor.Shape {
			if n < 0 {
				t.Errorf("shape %v", tensor.Shape)
			}
		}
	})
}
