// Files made to exhaust time or memory.

package onnx

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/internal/onnxtest"
)

// chain is a graph of n nodes, each made by f from the value before it.
func chain(n int, f func(i int, in, out string) []message) message {
	g := message{}.Text(2, "g").Bytes(11, portMessage("v0", -1, 4)).Bytes(12, portMessage(fmt.Sprintf("v%d", n), -1, 4))
	for i := range n {
		for _, m := range f(i, fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i+1)) {
			g = g.Bytes(1, m)
		}
	}
	return g
}

func one(op string, extra ...string) func(int, string, string) []message {
	return func(_ int, in, out string) []message {
		return []message{onnxtest.Node(op, append([]string{in}, extra...), []string{out})}
	}
}

// load does what opening a model and binding it to a batch does.
func load(data []byte) error {
	m, err := Decode(data, "", Options{})
	if err != nil {
		return err
	}
	if err := m.Graph.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		return err
	}
	var inputs []graph.Operand
	for _, p := range m.Graph.Inputs {
		shape := p.Shape()
		for i, d := range shape {
			if d < 0 {
				shape[i] = 2
			}
		}
		inputs = append(inputs, graph.Operand{Type: graph.Type{DType: p.DType, Shape: shape}})
	}
	p, err := m.Graph.Specialize(inputs)
	if err != nil {
		return err
	}
	p.Plan()
	return nil
}

// seq is 0 … n−1.
func seq(n int64) (list []int64) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// masks is a graph that makes n masks of 2²⁴ elements that are known.
func masks(n int) message {
	g := message{}.Text(2, "g").Bytes(11, portMessage("x", 1<<12, 1<<12))
	for i := range n {
		mask := fmt.Sprint("m", i)
		g = g.Bytes(1, onnxtest.Node("Dropout", []string{"x"}, []string{fmt.Sprint("y", i), mask})).Bytes(12,
			portMessage(mask))
	}
	return g
}

// Broken or hostile files end within seconds, and in bounded memory, with an
// error or a program; the limits are loose since the machine may be busy.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: one damaged file after another")
	}
	big := func(v ...int64) message { // a shape
		m := onnxtest.Tensor("s", 7, int64(len(v)))
		for _, x := range v {
			m = m.Varint(7, x)
		}
		return m
	}
	ints := func(name string, v ...int64) message {
		m := message{}.Text(1, name).Varint(20, 7)
		for _, x := range v {
			m = m.Varint(8, x)
		}
		return m
	}
	integer := func(name string, v int64) message { return message{}.Text(1, name).Varint(20, 2).Varint(3, v) }
	word := func(name, v string) message { return message{}.Text(1, name).Varint(20, 3).Text(4, v) }
	simple := func(constants message, parts ...message) message {
		g := message{}.Text(2, "g").Bytes(11, portMessage("x", 1, 2, 8, 8)).Bytes(12, portMessage("z")).Bytes(5, constants)
		for _, p := range parts {
			g = g.Bytes(1, p)
		}
		return g
	}
	// A condition in the branch of a condition, and so on; the innermost one is the input.
	nested := func(depth int) message {
		inner := onnxtest.Node("Identity", []string{"x"}, []string{"z"})
		other := message{}.Text(2, "g").Bytes(1, inner).Bytes(12, portMessage("z"))
		for range depth {
			branch := message{}.Text(2, "g").Bytes(1, inner).Bytes(12, portMessage("z"))
			inner = onnxtest.Node("If", []string{"s"}, []string{"z"}, message{}.Text(1, "then_branch").Bytes(6, branch), message{}.Text(1, "else_branch").Bytes(6, other))
		}
		return inner
	}
	doubling := func(n int) message {
		g := message{}.Text(2, "g").Bytes(11, portMessage("x", 1)).Bytes(12, portMessage("z")).Bytes(5, onnxtest.Tensor("v0", 1, 1).Bytes(9, onnxtest.FloatBytes(1)))
		for i := range n {
			g = g.Bytes(1, onnxtest.Node("Concat", []string{fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i)}, []string{fmt.Sprintf("v%d", i+1)}, integer("axis", 0)))
		}
		return g.Bytes(1, onnxtest.Node("Add", []string{fmt.Sprintf("v%d", n), "x"}, []string{"z"}))
	}
	// Many constants of a million elements from few bytes.
	expanding := message{}.Text(2, "g").Bytes(11, portMessage("x", 1)).Bytes(12, portMessage("z")).Bytes(5, big(1024, 1024)).Bytes(5, onnxtest.Tensor("v0", 1, 1).Bytes(9, onnxtest.FloatBytes(1)))
	for i := range 1000 {
		expanding = expanding.Bytes(1, onnxtest.Node("Expand", []string{"v0", "s"}, []string{fmt.Sprintf("e%d", i)})).
			Bytes(1, onnxtest.Node("MatMul", []string{fmt.Sprintf("e%d", i), fmt.Sprintf("e%d", i)}, []string{fmt.Sprintf("m%d", i)}))
		from := "x"
		if i > 0 {
			from = fmt.Sprintf("a%d", i-1)
		}
		expanding = expanding.Bytes(1, onnxtest.Node("Add", []string{from, fmt.Sprintf("m%d", i)}, []string{fmt.Sprintf("a%d", i)}))
	}
	expanding = expanding.Bytes(1, onnxtest.Node("Identity", []string{"a999"}, []string{"z"}))
	// Loops of ten million iterations within one another, and of one that makes its value twice as long each time.
	repeated := func(n message) message {
		body := message{}.Text(2, "g").Bytes(11, portMessage("i")).Bytes(11, portMessage("c")).Bytes(11,
			portMessage("v")).Bytes(12, portMessage("c")).Bytes(12, portMessage("o"))
		return onnxtest.Node("Loop", []string{"s", "", "v"}, []string{"o"},
			message{}.Text(1, "body").Bytes(6, body.Bytes(1, n)))
	}
	loops := func(depth int, trips int64, n message) message {
		for range depth {
			n = repeated(n)
		}
		return simple(onnxtest.Tensor("s", 7).Varint(7, trips), onnxtest.Node("Relu", []string{"x"}, []string{"v"}), n,
			onnxtest.Node("Identity", []string{"o"}, []string{"z"}))
	}
	// A loop that puts x into a list, at the begin or at the end; the list is joined behind it.
	filling := func(trips int64, places ...string) message {
		insert := onnxtest.Node("SequenceInsert", append([]string{"v", "x"}, places...), []string{"o"})
		return simple(onnxtest.Tensor("s", 7).Varint(7, trips), onnxtest.Node("SequenceEmpty", nil, []string{"v"}),
			repeated(insert),
			onnxtest.Node("ConcatFromSequence", []string{"o"}, []string{"z"}, integer("axis", 0))).
			Bytes(5, onnxtest.Tensor("begin", 7).Varint(7, 0))
	}
	negate := onnxtest.Node("Neg", []string{"v"}, []string{"o"})
	double := onnxtest.Node("Concat", []string{"v", "v"}, []string{"o"}, integer("axis", 0))
	// Recurrent layers of x [steps, batch, 8] with 2 gates less or more, or another number of inputs.
	recurrent := func(op string, steps int64, w, r []int64, attributes ...message) message {
		size := func(dims []int64) (n int64) {
			n = 1
			for _, d := range dims {
				n *= d
			}
			return n
		}
		g := message{}.Text(2, "g").Bytes(11, portMessage("x", steps, 2, 8)).Bytes(12, portMessage("z")).
			Bytes(5, onnxtest.Tensor("w", 1, w...).Bytes(9, onnxtest.FloatBytes(make([]float32, size(w))...))).
			Bytes(5, onnxtest.Tensor("r", 1, r...).Bytes(9, onnxtest.FloatBytes(make([]float32, size(r))...)))
		return g.Bytes(1, onnxtest.Node(op, []string{"x", "w", "r"}, []string{"z"}, attributes...))
	}
	weights := onnxtest.Tensor("w", 1, 1, 2, 3, 3).Bytes(9, onnxtest.FloatBytes(make([]float32, 18)...))
	for _, c := range []struct {
		name string
		data []byte
		want string // in the error, if there must be one
	}{
		{"50,000 identities", onnxtest.Model(17, chain(50_000, one("Identity"))), ""},
		{"20,000 transpositions", onnxtest.Model(17, chain(20_000, one("Transpose"))), ""},
		{"20,000 activations", onnxtest.Model(17, chain(20_000, one("Relu"))), ""},
		{"20,000 sums", onnxtest.Model(17, chain(20_000, one("Add", "v0"))), ""},
		{"3,000 gated activations", onnxtest.Model(17, chain(3_000, func(i int, in, out string) []message {
			return []message{onnxtest.Node("Sigmoid", []string{in}, []string{out + "s"}), onnxtest.Node("Mul", []string{in, out + "s"}, []string{out})}
		})), ""},
		{"doubling 60 times", onnxtest.Model(17, doubling(60)), "more than"},
		{"doubling 30 times", onnxtest.Model(17, doubling(30)), ""},
		{"1,000 large constants", onnxtest.Model(17, expanding), ""},
		{"branches 1,000 deep", onnxtest.Model(17, simple(big(1), nested(1000))), "subgraphs are nested"},
		{"branches 10 deep", onnxtest.Model(17, simple(onnxtest.Tensor("s", 9).Varint(5, 1), nested(10))), ""},
		{"tiling by 2⁶²", onnxtest.Model(17, simple(big(1<<31, 1<<31, 1<<31, 1<<31), onnxtest.Node("Tile", []string{"x", "s"}, []string{"z"}))), "Tile"},
		{"expanding to 2⁶⁰", onnxtest.Model(17, simple(big(1<<30, 2, 8<<30, 8), onnxtest.Node("Expand", []string{"x", "s"}, []string{"z"}))), "Expand"},
		{"reshaping to negative axes", onnxtest.Model(17, simple(big(-1, -2), onnxtest.Node("Reshape", []string{"x", "s"}, []string{"z"}))), "cannot reshape"},
		{"reshaping to huge axes", onnxtest.Model(17, simple(big(1<<62, 4), onnxtest.Node("Reshape", []string{"x", "s"}, []string{"z"}))), "reshape"},
		{"padding by 2⁴⁰", onnxtest.Model(17, simple(big(1<<40, 0, 0, 0, 0, 0, 0, 0), onnxtest.Node("Pad", []string{"x", "s"}, []string{"z"}))), "Pad"},
		{"resizing to 2³¹", onnxtest.Model(17, simple(big(1, 2, 1<<31, 8), onnxtest.Node("Resize", []string{"x", "", "", "s"}, []string{"z"}))), "Resize"},
		{"resizing without sizes", onnxtest.Model(17, simple(big(), onnxtest.Node("Resize", []string{"x", "", "", "s"}, []string{"z"}))), "either scales or sizes"},
		{"antialiased resizing to 2²⁸", onnxtest.Model(18, simple(big(1, 2, 1<<28, 4), onnxtest.Node("Resize", []string{"x", "", "", "s"}, []string{"z"}, integer("antialias", 1), word("mode", "cubic")))), "elements long"},
		{"stride 2⁴⁰", onnxtest.Model(17, simple(weights, onnxtest.Node("Conv", []string{"x", "w"}, []string{"z"}, ints("strides", 1<<40, 1)))), "strides"},
		{"dilation 2²⁰", onnxtest.Model(17, simple(weights, onnxtest.Node("Conv", []string{"x", "w"}, []string{"z"}, ints("dilations", 1<<20, 1)))), "does not fit"},
		{"transposed stride 2²⁰", onnxtest.Model(17, simple(onnxtest.Tensor("w", 1, 2, 1, 3, 3).Bytes(9, onnxtest.FloatBytes(make([]float32, 18)...)),
			onnxtest.Node("ConvTranspose", []string{"x", "w"}, []string{"z"}, ints("strides", 1<<20, 1<<20)))), "more than"},
		{"group 0", onnxtest.Model(17, simple(weights, onnxtest.Node("Conv", []string{"x", "w"}, []string{"z"}, integer("group", 0)))), "group 0"},
		{"a pooling kernel of 0", onnxtest.Model(17, simple(weights, onnxtest.Node("MaxPool", []string{"x"}, []string{"z"}, ints("kernel_shape", 0, 1)))), "kernel"},
		{"axis 7", onnxtest.Model(17, simple(weights, onnxtest.Node("Softmax", []string{"x"}, []string{"z"}, integer("axis", 7)))), "axis 7"},
		{"an equation without operands", onnxtest.Model(17, simple(weights, onnxtest.Node("Einsum", []string{"x"}, []string{"z"}, word("equation", "->")))), "axes"},
		{"an equation with a digit", onnxtest.Model(17, simple(weights, onnxtest.Node("Einsum", []string{"x"}, []string{"z"}, word("equation", "ab1c->a")))), "not a letter"},
		{"an equation with another result", onnxtest.Model(17, simple(weights, onnxtest.Node("Einsum", []string{"x"}, []string{"z"}, word("equation", "abcd->e")))), "no operand"},
		{"an operator before its time", onnxtest.Model(17, simple(weights, onnxtest.Node("Gelu", []string{"x"}, []string{"z"}))), "exists since opset 20"},
		{"an unknown operator", onnxtest.Model(17,
			simple(weights, onnxtest.Node("Multinomial", []string{"x"}, []string{"z"}))),
			"operator Multinomial (node \"Multinomial_1\") is not supported in opset 17"},
		{"a constant of 1,000 axes", onnxtest.Model(17,
			simple(onnxtest.Tensor("s", 9, append(make([]int64, 999), 1)...),
				onnxtest.Node("NonZero", []string{"s"}, []string{"z"}))), "want at most 64"},
		{"1,000 axes more", onnxtest.Model(17,
			simple(big(seq(1000)...), onnxtest.Node("Unsqueeze", []string{"x", "s"}, []string{"z"}))), "want at most 64"},
		{"1,000 masks of millions", onnxtest.Model(17, masks(1000)), "too many elements for the size of the file"},
		{"a loop without a body", onnxtest.Model(17, simple(weights, onnxtest.Node("Loop", []string{"", "", "x"}, []string{"z"}))), "attribute body is missing"},
		{"a loop of ten million", onnxtest.Model(17, loops(1, 10_000_000, negate)), "want at most"},
		{"a loop of ten thousand", onnxtest.Model(17, loops(1, 10_000, negate)), ""},
		{"loops in loops", onnxtest.Model(17, loops(3, 1000, negate)), "want at most"},
		{"loops 20 deep", onnxtest.Model(17, loops(20, 2, negate)), "subgraphs are nested"},
		{"loops 12 deep", onnxtest.Model(17, loops(12, 2, negate)), ""},
		{"a doubling loop", onnxtest.Model(17, loops(1, 60, double)), "more than"},
		{"a list of ten thousand", onnxtest.Model(17, filling(10_000)), ""},
		{"a list of ten thousand, each before the others", onnxtest.Model(17, filling(10_000, "begin")), "want at most"},
		{"a list of ten million", onnxtest.Model(17, filling(10_000_000)), "want at most"},
		{"a split into 2⁴⁰", onnxtest.Model(17,
			simple(onnxtest.Tensor("s", 7).Varint(7, 1<<40),
				onnxtest.Node("SplitToSequence", []string{"x", "s"}, []string{"z"}))),
			"output \"z\" is a list of tensors: export one tensor"},
		{"an LSTM of 5,000 steps", onnxtest.Model(17, recurrent("LSTM", 5000, []int64{1, 16, 8}, []int64{1, 16, 4})), ""},
		{"a GRU of a million steps", onnxtest.Model(17, recurrent("GRU", 1_000_000, []int64{1, 12, 8}, []int64{1, 12, 4})), "1000000 unrolled steps, want at most"},
		{"an LSTM with the gates of a GRU", onnxtest.Model(17, recurrent("LSTM", 3, []int64{1, 12, 8}, []int64{1, 12, 4})), `node "LSTM_1" (LSTM): input 1 (W) has shape [1 12 8], want [1 16 8]`},
		{"a GRU with another state", onnxtest.Model(17, recurrent("GRU", 3, []int64{1, 12, 8}, []int64{1, 12, 5}, integer("hidden_size", 4))), "input 2 (R) has shape [1 12 5], want [1 12 4]"},
		{"an RNN of negative size", onnxtest.Model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, integer("hidden_size", -4))), "hidden_size is -4"},
		{"an RNN of huge size", onnxtest.Model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, integer("hidden_size", 1<<30))), "hidden_size is"},
		{"an RNN in both directions with weights for one", onnxtest.Model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, word("direction", "bidirectional"))), "want [2 4 8]"},
		{"an RNN of another direction", onnxtest.Model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, word("direction", "up"))), `direction is "up"`},
		{"an RNN with flat weights", onnxtest.Model(17, recurrent("RNN", 3, []int64{4, 8}, []int64{4, 4})), "input 2 (R) has shape [4 4]"},
		{"an RNN without weights", onnxtest.Model(17, simple(weights, onnxtest.Node("RNN", []string{"x", "", "w"}, []string{"z"}))), "input 1 is missing"},
		{"an RNN of images", onnxtest.Model(17, simple(weights, onnxtest.Node("RNN", []string{"x", "w", "w"}, []string{"z"}))), "want [steps, batch, input]"},
		{"an operator of another domain", onnxtest.Model(17, simple(weights, onnxtest.Node("SparseAttention", []string{"x", "x"}, []string{"z"}).Text(7, "com.microsoft"))), "com.microsoft.SparseAttention"},
		{"an axis of negative size", onnxtest.Model(17, message{}.Bytes(11, portMessage("x", 1)).Bytes(12, portMessage("z")).Bytes(5, onnxtest.Tensor("w", 1, -3)).
			Bytes(1, onnxtest.Node("Relu", []string{"x"}, []string{"z"}))), "negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			err := load(c.data)
			elapsed := time.Since(start)
			runtime.ReadMemStats(&after)
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			if c.want == "" && err != nil {
				t.Error(err)
			}
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%v, %d MB allocated, %d bytes of file", elapsed.Round(time.Millisecond), allocated, len(c.data))
			// All take about a second; without a bound they would take hours. A busy machine is no failure.
			if elapsed > 5*time.Minute || allocated > 4096 {
				t.Errorf("took %v and %d MB", elapsed, allocated)
			}
		})
	}
}
