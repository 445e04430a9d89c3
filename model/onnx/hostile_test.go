package onnx

// Files made to exhaust time or memory.

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
)

// chain is a graph of n nodes, each made by f from the value before it.
func chain(n int, f func(i int, in, out string) []message) message {
	g := message{}.text(2, "g").bytes(11, portMessage("v0", -1, 4)).bytes(12, portMessage(fmt.Sprintf("v%d", n), -1, 4))
	for i := range n {
		for _, m := range f(i, fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i+1)) {
			g = g.bytes(1, m)
		}
	}
	return g
}

func one(op string, extra ...string) func(int, string, string) []message {
	return func(_ int, in, out string) []message {
		return []message{node(op, append([]string{in}, extra...), []string{out})}
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

// Broken or hostile files end within seconds, and in bounded memory, with an
// error or a program; the limits are loose since the machine may be busy.
func TestHostileFiles(t *testing.T) {
	big := func(v ...int64) message { // a shape
		m := tensorMessage("s", 7, int64(len(v)))
		for _, x := range v {
			m = m.varint(7, x)
		}
		return m
	}
	ints := func(name string, v ...int64) message {
		m := message{}.text(1, name).varint(20, 7)
		for _, x := range v {
			m = m.varint(8, x)
		}
		return m
	}
	integer := func(name string, v int64) message { return message{}.text(1, name).varint(20, 2).varint(3, v) }
	word := func(name, v string) message { return message{}.text(1, name).varint(20, 3).text(4, v) }
	simple := func(constants message, parts ...message) message {
		g := message{}.text(2, "g").bytes(11, portMessage("x", 1, 2, 8, 8)).bytes(12, portMessage("z")).bytes(5, constants)
		for _, p := range parts {
			g = g.bytes(1, p)
		}
		return g
	}
	// A condition in the branch of a condition, and so on; the innermost one is the input.
	nested := func(depth int) message {
		inner := node("Identity", []string{"x"}, []string{"z"})
		other := message{}.text(2, "g").bytes(1, inner).bytes(12, portMessage("z"))
		for range depth {
			branch := message{}.text(2, "g").bytes(1, inner).bytes(12, portMessage("z"))
			inner = node("If", []string{"s"}, []string{"z"}, message{}.text(1, "then_branch").bytes(6, branch), message{}.text(1, "else_branch").bytes(6, other))
		}
		return inner
	}
	doubling := func(n int) message {
		g := message{}.text(2, "g").bytes(11, portMessage("x", 1)).bytes(12, portMessage("z")).bytes(5, tensorMessage("v0", 1, 1).bytes(9, floatBytes(1)))
		for i := range n {
			g = g.bytes(1, node("Concat", []string{fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i)}, []string{fmt.Sprintf("v%d", i+1)}, integer("axis", 0)))
		}
		return g.bytes(1, node("Add", []string{fmt.Sprintf("v%d", n), "x"}, []string{"z"}))
	}
	// Many constants of a million elements from few bytes.
	expanding := message{}.text(2, "g").bytes(11, portMessage("x", 1)).bytes(12, portMessage("z")).bytes(5, big(1024, 1024)).bytes(5, tensorMessage("v0", 1, 1).bytes(9, floatBytes(1)))
	for i := range 1000 {
		expanding = expanding.bytes(1, node("Expand", []string{"v0", "s"}, []string{fmt.Sprintf("e%d", i)})).
			bytes(1, node("MatMul", []string{fmt.Sprintf("e%d", i), fmt.Sprintf("e%d", i)}, []string{fmt.Sprintf("m%d", i)}))
		from := "x"
		if i > 0 {
			from = fmt.Sprintf("a%d", i-1)
		}
		expanding = expanding.bytes(1, node("Add", []string{from, fmt.Sprintf("m%d", i)}, []string{fmt.Sprintf("a%d", i)}))
	}
	expanding = expanding.bytes(1, node("Identity", []string{"a999"}, []string{"z"}))
	// Loops of ten million iterations within one another, and of one that makes its value twice as long each time.
	loops := func(depth int, trips int64, nodes ...message) message {
		inner := nodes
		for range depth {
			body := message{}.text(2, "g").bytes(11, portMessage("i")).bytes(11, portMessage("c")).bytes(11, portMessage("v")).bytes(12, portMessage("c")).bytes(12, portMessage("o"))
			for _, n := range inner {
				body = body.bytes(1, n)
			}
			inner = []message{node("Loop", []string{"s", "", "v"}, []string{"o"}, message{}.text(1, "body").bytes(6, body))}
		}
		return simple(tensorMessage("s", 7).varint(7, trips), node("Relu", []string{"x"}, []string{"v"}), inner[0], node("Identity", []string{"o"}, []string{"z"}))
	}
	negate := node("Neg", []string{"v"}, []string{"o"})
	double := node("Concat", []string{"v", "v"}, []string{"o"}, integer("axis", 0))
	// Recurrent layers of x [steps, batch, 8] with 2 gates less or more, or another number of inputs.
	recurrent := func(op string, steps int64, w, r []int64, attributes ...message) message {
		size := func(dims []int64) (n int64) {
			n = 1
			for _, d := range dims {
				n *= d
			}
			return n
		}
		g := message{}.text(2, "g").bytes(11, portMessage("x", steps, 2, 8)).bytes(12, portMessage("z")).
			bytes(5, tensorMessage("w", 1, w...).bytes(9, floatBytes(make([]float32, size(w))...))).
			bytes(5, tensorMessage("r", 1, r...).bytes(9, floatBytes(make([]float32, size(r))...)))
		return g.bytes(1, node(op, []string{"x", "w", "r"}, []string{"z"}, attributes...))
	}
	weights := tensorMessage("w", 1, 1, 2, 3, 3).bytes(9, floatBytes(make([]float32, 18)...))
	for _, c := range []struct {
		name string
		data []byte
		want string // in the error, if there must be one
	}{
		{"50,000 identities", model(17, chain(50_000, one("Identity"))), ""},
		{"20,000 transpositions", model(17, chain(20_000, one("Transpose"))), ""},
		{"20,000 activations", model(17, chain(20_000, one("Relu"))), ""},
		{"20,000 sums", model(17, chain(20_000, one("Add", "v0"))), ""},
		{"3,000 gated activations", model(17, chain(3_000, func(i int, in, out string) []message {
			return []message{node("Sigmoid", []string{in}, []string{out + "s"}), node("Mul", []string{in, out + "s"}, []string{out})}
		})), ""},
		{"doubling 60 times", model(17, doubling(60)), "more than"},
		{"doubling 30 times", model(17, doubling(30)), ""},
		{"1,000 large constants", model(17, expanding), ""},
		{"branches 1,000 deep", model(17, simple(big(1), nested(1000))), "graphs in graphs"},
		{"branches 10 deep", model(17, simple(tensorMessage("s", 9).varint(5, 1), nested(10))), ""},
		{"tiling by 2⁶²", model(17, simple(big(1<<31, 1<<31, 1<<31, 1<<31), node("Tile", []string{"x", "s"}, []string{"z"}))), "Tile"},
		{"expanding to 2⁶⁰", model(17, simple(big(1<<30, 2, 8<<30, 8), node("Expand", []string{"x", "s"}, []string{"z"}))), "Expand"},
		{"reshaping to negative axes", model(17, simple(big(-1, -2), node("Reshape", []string{"x", "s"}, []string{"z"}))), "cannot reshape"},
		{"reshaping to huge axes", model(17, simple(big(1<<62, 4), node("Reshape", []string{"x", "s"}, []string{"z"}))), "reshape"},
		{"padding by 2⁴⁰", model(17, simple(big(1<<40, 0, 0, 0, 0, 0, 0, 0), node("Pad", []string{"x", "s"}, []string{"z"}))), "Pad"},
		{"resizing to 2³¹", model(17, simple(big(1, 2, 1<<31, 8), node("Resize", []string{"x", "", "", "s"}, []string{"z"}))), "Resize"},
		{"resizing without sizes", model(17, simple(big(), node("Resize", []string{"x", "", "", "s"}, []string{"z"}))), "either scales or sizes"},
		{"resizing with antialiasing", model(18, simple(big(1, 2, 4, 4), node("Resize", []string{"x", "", "", "s"}, []string{"z"}, integer("antialias", 1), word("mode", "linear")))), "antialiasing"},
		{"stride 2⁴⁰", model(17, simple(weights, node("Conv", []string{"x", "w"}, []string{"z"}, ints("strides", 1<<40, 1)))), "strides"},
		{"dilation 2²⁰", model(17, simple(weights, node("Conv", []string{"x", "w"}, []string{"z"}, ints("dilations", 1<<20, 1)))), "does not fit"},
		{"transposed stride 2²⁰", model(17, simple(tensorMessage("w", 1, 2, 1, 3, 3).bytes(9, floatBytes(make([]float32, 18)...)),
			node("ConvTranspose", []string{"x", "w"}, []string{"z"}, ints("strides", 1<<20, 1<<20)))), "more than"},
		{"group 0", model(17, simple(weights, node("Conv", []string{"x", "w"}, []string{"z"}, integer("group", 0)))), "group 0"},
		{"a pooling kernel of 0", model(17, simple(weights, node("MaxPool", []string{"x"}, []string{"z"}, ints("kernel_shape", 0, 1)))), "kernel"},
		{"axis 7", model(17, simple(weights, node("Softmax", []string{"x"}, []string{"z"}, integer("axis", 7)))), "axis 7"},
		{"an equation without operands", model(17, simple(weights, node("Einsum", []string{"x"}, []string{"z"}, word("equation", "->")))), "axes"},
		{"an equation with a digit", model(17, simple(weights, node("Einsum", []string{"x"}, []string{"z"}, word("equation", "ab1c->a")))), "not a letter"},
		{"an equation with another result", model(17, simple(weights, node("Einsum", []string{"x"}, []string{"z"}, word("equation", "abcd->e")))), "no operand"},
		{"an operator before its time", model(17, simple(weights, node("Gelu", []string{"x"}, []string{"z"}))), "exists from opset 20 on"},
		{"an unknown operator", model(17, simple(weights, node("Unique", []string{"x"}, []string{"z"}))), "operator Unique is not supported (opset 17)"},
		{"a loop without a body", model(17, simple(weights, node("Loop", []string{"", "", "x"}, []string{"z"}))), "attribute body is missing"},
		{"a loop of ten million", model(17, loops(1, 10_000_000, negate)), "want at most"},
		{"a loop of ten thousand", model(17, loops(1, 10_000, negate)), ""},
		{"loops in loops", model(17, loops(3, 1000, negate)), "want at most"},
		{"loops 20 deep", model(17, loops(20, 2, negate)), "graphs in graphs"},
		{"loops 12 deep", model(17, loops(12, 2, negate)), ""},
		{"a doubling loop", model(17, loops(1, 60, double)), "more than"},
		{"an LSTM of 5,000 steps", model(17, recurrent("LSTM", 5000, []int64{1, 16, 8}, []int64{1, 16, 4})), ""},
		{"a GRU of a million steps", model(17, recurrent("GRU", 1_000_000, []int64{1, 12, 8}, []int64{1, 12, 4})), "1000000 steps, want at most"},
		{"an LSTM with the gates of a GRU", model(17, recurrent("LSTM", 3, []int64{1, 12, 8}, []int64{1, 12, 4})), `node "LSTM_1" (LSTM): input 1 (W) has shape [1 12 8], want [1 16 8]`},
		{"a GRU with another state", model(17, recurrent("GRU", 3, []int64{1, 12, 8}, []int64{1, 12, 5}, integer("hidden_size", 4))), "input 2 (R) has shape [1 12 5], want [1 12 4]"},
		{"an RNN of negative size", model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, integer("hidden_size", -4))), "hidden_size is -4"},
		{"an RNN of huge size", model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, integer("hidden_size", 1<<30))), "hidden_size is"},
		{"an RNN in both directions with weights for one", model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, word("direction", "bidirectional"))), "want [2 4 8]"},
		{"an RNN of another direction", model(17, recurrent("RNN", 3, []int64{1, 4, 8}, []int64{1, 4, 4}, word("direction", "up"))), `direction is "up"`},
		{"an RNN with flat weights", model(17, recurrent("RNN", 3, []int64{4, 8}, []int64{4, 4})), "input 2 (R) has shape [4 4]"},
		{"an RNN without weights", model(17, simple(weights, node("RNN", []string{"x", "", "w"}, []string{"z"}))), "input 1 is missing"},
		{"an RNN of images", model(17, simple(weights, node("RNN", []string{"x", "w", "w"}, []string{"z"}))), "want [steps, batch, input]"},
		{"an operator of another domain", model(17, simple(weights, node("FusedMatMul", []string{"x", "x"}, []string{"z"}).text(7, "com.microsoft"))), "com.microsoft.FusedMatMul"},
		{"an axis of negative size", model(17, message{}.bytes(11, portMessage("x", 1)).bytes(12, portMessage("z")).bytes(5, tensorMessage("w", 1, -3)).
			bytes(1, node("Relu", []string{"x"}, []string{"z"}))), "negative"},
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
