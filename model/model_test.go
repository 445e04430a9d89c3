// What the tests of this package share, and tests of opening: a file of several inputs,
// one of several outputs, and the executors that they run on.

package model

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/model/internal/onnxtest"
)

// Sizes of the graph of sequences.
const (
	vocabulary, chains, width, features = 11, 3, 6, 4
)

// sequenceWeights are the tables and weights of the graph of sequences.
type sequenceWeights struct {
	token, chain, scores, out []float32
}

// weightsFor are numbers that a float32 holds exactly, different for each place.
func weightsFor(n, seed int) []float32 {
	w := make([]float32, n)
	for i := range w {
		w[i] = float32((i*37+seed*101)%64-32) / 32
	}
	return w
}

func newSequenceWeights() sequenceWeights {
	return sequenceWeights{weightsFor(vocabulary*width, 1), weightsFor(chains*width, 2), weightsFor(width, 3), weightsFor(width*features, 4)}
}

// sequenceFile is a graph of token ids [batch, tokens], chain ids of the same shape and a
// mask: h = token[ids] + chain[chains], a = softmax over tokens of h·s with −10⁴ where the
// mask is 0, pooled = Σ aᵢ hᵢ, z = pooled·W [batch, features]. Fixed is the batch size,
// 0 for a free one; mask is the mask's element type.
func sequenceFile(fixed int, mask int64) []byte {
	w := newSequenceWeights()
	var batch any = "batch"
	if fixed > 0 {
		batch = fixed
	}
	g := onnxtest.Message{}.Text(2, "sequence")
	for _, t := range []onnxtest.Message{
		onnxtest.Floats("token_table", w.token, vocabulary, width), onnxtest.Floats("chain_table", w.chain, chains, width),
		onnxtest.Floats("score", w.scores, width, 1), onnxtest.Floats("weight", w.out, width, features),
		onnxtest.Floats("one", []float32{1}, 1), onnxtest.Floats("low", []float32{-1e4}, 1), onnxtest.Ints("last", []int64{2}, 1),
	} {
		g = g.Bytes(5, t)
	}
	node := func(op, out string, in []string, attributes ...onnxtest.Message) {
		g = g.Bytes(1, onnxtest.Node(op, in, []string{out}, attributes...))
	}
	node("Gather", "tokens", []string{"token_table", "input_ids"})
	node("Gather", "chains", []string{"chain_table", "token_type_ids"})
	node("Add", "hidden", []string{"tokens", "chains"})
	node("Cast", "mask", []string{"attention_mask"}, onnxtest.Int("to", onnxtest.Float))
	node("Unsqueeze", "column", []string{"mask", "last"})
	node("Sub", "hidden_share", []string{"one", "column"})
	node("Mul", "penalty", []string{"hidden_share", "low"})
	node("MatMul", "raw_scores", []string{"hidden", "score"})
	node("Add", "scores", []string{"raw_scores", "penalty"})
	node("Softmax", "attention", []string{"scores"}, onnxtest.Int("axis", 1))
	node("Transpose", "row", []string{"attention"}, onnxtest.Message{}.Text(1, "perm").Varint(8, 0).Varint(8, 2).Varint(8, 1).Varint(20, 7))
	node("MatMul", "pooled", []string{"row", "hidden"})
	node("Squeeze", "flat", []string{"pooled", "middle"})
	node("MatMul", "z", []string{"flat", "weight"})
	g = g.Bytes(5, onnxtest.Ints("middle", []int64{1}, 1))
	for _, p := range []onnxtest.Message{
		onnxtest.Port("input_ids", onnxtest.Int64, batch, "tokens"),
		onnxtest.Port("token_type_ids", onnxtest.Int32, batch, "tokens"),
		onnxtest.Port("attention_mask", mask, batch, "tokens"),
	} {
		g = g.Bytes(11, p)
	}
	return onnxtest.Model(17, g.Bytes(12, onnxtest.Port("z", onnxtest.Float, batch, features)))
}

// sequences are n token sequences of a length, with chains, and masks that hide the ends.
func sequences(n, length int) (ids, chain, mask []int64) {
	for i := range n {
		for j := range length {
			ids = append(ids, int64((i*7+j*3)%vocabulary))
			chain = append(chain, int64((i+j/2)%chains))
			mask = append(mask, map[bool]int64{true: 1}[j < length-i%3])
		}
	}
	return ids, chain, mask
}

// naiveSequence is the graph of sequences in float64, loop by loop.
func naiveSequence(ids, chain, mask []int64, n, length int) []float64 {
	w := newSequenceWeights()
	var z []float64
	for i := range n {
		hidden, score := make([][width]float64, length), make([]float64, length)
		total := 0.0
		for j := range length {
			offset := i*length + j
			s := 0.0
			for k := range width {
				hidden[j][k] = float64(w.token[int(ids[offset])*width+k]) + float64(w.chain[int(chain[offset])*width+k])
				s += hidden[j][k] * float64(w.scores[k])
			}
			score[j] = math.Exp(s - 1e4*float64(1-mask[offset]))
			total += score[j]
		}
		for f := range features {
			sum := 0.0
			for j := range length {
				for k := range width {
					sum += score[j] / total * hidden[j][k] * float64(w.out[k*features+f])
				}
			}
			z = append(z, sum)
		}
	}
	return z
}

// actionFile is a graph of states [batch, 3] and uint8 actions [batch] with two outputs:
// the scores [batch, 4] of the states, each plus the action, and the place of the largest.
func actionFile() []byte {
	g := onnxtest.Message{}.Text(2, "head").
		Bytes(5, onnxtest.Floats("weight", weightsFor(12, 5), 3, 4)).Bytes(5, onnxtest.Ints("axis", []int64{1}, 1)).
		Bytes(1, onnxtest.Node("MatMul", []string{"state", "weight"}, []string{"product"})).
		Bytes(1, onnxtest.Node("Cast", []string{"action"}, []string{"number"}, onnxtest.Int("to", onnxtest.Float))).
		Bytes(1, onnxtest.Node("Unsqueeze", []string{"number", "axis"}, []string{"column"})).
		Bytes(1, onnxtest.Node("Add", []string{"product", "column"}, []string{"scores"})).
		Bytes(1, onnxtest.Node("ArgMax", []string{"scores"}, []string{"best"}, onnxtest.Int("axis", 1), onnxtest.Int("keepdims", 0))).
		Bytes(11, onnxtest.Port("state", onnxtest.Float, "batch", 3)).Bytes(11, onnxtest.Port("action", onnxtest.Uint8, "batch")).
		Bytes(12, onnxtest.Port("scores", onnxtest.Float, "batch", 4)).Bytes(12, onnxtest.Port("best", onnxtest.Int64, "batch"))
	return onnxtest.Model(17, g)
}

func writeFile(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// openModel opens a file for the length of a test.
func openModel(t testing.TB, data []byte, o Options) *Model {
	t.Helper()
	m, err := Open(writeFile(t, data), o)
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

// must makes a tensor of data.
func must[T Element](t testing.TB, data []T, shape ...int) *Tensor {
	t.Helper()
	x, err := TensorOf(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// near reports the first element that differs by more than the tolerance.
func near(t testing.TB, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= tolerance*(1+math.Abs(w))) {
			t.Errorf("%s: element %d is %g, want %g", what, i, got[i], w)
			return
		}
	}
}

func wantError(t *testing.T, what string, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error %q, want %q in it", what, err, part)
		}
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	m := openModel(t, sequenceFile(0, onnxtest.Bool), Options{})
	var got []string
	for _, p := range append(m.Inputs(), m.Outputs()...) {
		got = append(got, p.Name+" "+wanted(p))
	}
	want := []string{"input_ids int64 [batch tokens]", "token_type_ids int64 (declared as int32) [batch tokens]",
		"attention_mask bool [batch tokens]", "z float32 [batch 4]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	types, err := m.Types(Type{DType: Int64, Shape: []int{2, 5}}, Type{DType: Int64, Shape: []int{2, 5}}, Type{DType: Bool, Shape: []int{2, 5}})
	if err != nil || len(types) != 1 || types[0].DType != Float32 || !slices.Equal(types[0].Shape, []int{2, 4}) {
		t.Errorf("types %v, error %v", types, err)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	path := writeFile(t, actionFile())
	_, err := Open(path, Options{Outputs: []string{"score"}})
	wantError(t, "unknown output", err, path, `no value "score"`, `did you mean "scores"?`, "scores, best")
	_, err = Open(path, Options{ReadOptions: ReadOptions{Heads: 3}})
	wantError(t, "option of checkpoints", err, path, "the option has no effect on an ONNX file")
	_, err = Open(path+".not", Options{})
	wantError(t, "no file", err, path+".not")
	_, err = Open(filepath.Dir(path), Options{})
	wantError(t, "a folder", err, filepath.Dir(path), "folder")
	_, err = Open(writeFile(t, nil), Options{})
	wantError(t, "an empty file", err, "empty")
	_, err = Open(writeFile(t, actionFile()[:40]), Options{})
	wantError(t, "a cut file", err, "not an ONNX file, or a damaged one")
}
