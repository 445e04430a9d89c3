// Peak memory, measured in a process of its own for each encoder.

package latent

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"repscope/internal/dtype"
	"repscope/internal/safetensors"
	"repscope/model"
	"repscope/model/checkpoint"
	"repscope/model/cpu"
	"repscope/model/fuse"
	"repscope/model/graph"
	"repscope/model/onnx"
)

// runtimeMemory is the memory of a process beyond weights and activations: the program's own pages and the garbage
// collector's data, up to a megabyte each, and up to two of the mapped files, which are released after reading.
const runtimeMemory = 4 << 20

// depth is how many layers the large encoders have: with 3 a second copy of one is many times runtimeMemory already.
var depth = flag.Int("depth", 3, "blocks of the MLPs of TestMemory, 34 MB each; the ViT has 4 for 3, 28 MB each")

// memoryReport is what the process that encodes tells of itself, in bytes.
type memoryReport struct {
	Weights, Activation, Arena, Before, Peak int64
	Hash, Open, First                        float64 // seconds
}

// TestMemory encodes a batch of 64 states and one of a single state. The peak of the resident set,
// mapped files included, grows by at most weights + 3 × the largest activation of a
// batch + runtimeMemory. What a busy machine adds, such as a late garbage collection, differs from process to process; a
// copy of a layer does not. So a process that takes more is followed by others, three in all, and the least one counts.
//
//	go test -v -run 'TestMemory$' ./latent -depth 9
func TestMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes a multiple of the memory")
	}
	if _, err := processMemory("VmHWM"); err != nil {
		t.Skip("the system does not tell the peak memory of a process: ", err)
	}
	dir := t.TempDir()
	type encoder struct {
		name, path string
		state      []int
		big        bool
	}
	encoders := []encoder{
		{"DQN CNN", writeState(t, dir, "dqn", dqnTensors()), []int{4, 84, 84}, false},
		{"ConvEncoder", writeState(t, dir, "conv", convTensors()), []int{64, 64}, false},
		{"VideoViT", writeState(t, dir, "video", videoTensors()), []int{1, 6, 64, 64}, false},
		{"ViT-S", writeState(t, dir, "vit", vitTensors(4, 7, 144, 128, 6)), []int{4, 84, 84}, false},
		{"ViT-B", "", []int{3, 32, 32}, true},
		{"MLP, inline", "inline", []int{1024}, true},
		{"MLP, external", "external", []int{1024}, true},
		{"MLP, float16", "half", []int{1024}, true},
		{"MLP, transposed", "transposed", []int{1024}, true},
	}
	for _, e := range encoders {
		t.Run(e.name, func(t *testing.T) {
			path := e.path
			if e.big {
				if testing.Short() {
					t.Skip("writes a large file")
				}
				if path == "" {
					path = writeState(t, t.TempDir(), "vit", vitTensors(3, 16, 4, 768, 4**depth/3))
				} else {
					path = writeMLP(t, t.TempDir(), path, 1024, *depth)
				}
			}
			var r memoryReport
			var limit, used int64
			for try := 0; try < 3 && used >= limit; try++ {
				r = encodeInProcess(t, path, e.state)
				limit = r.Weights + 3*r.Activation + runtimeMemory
				if peak := r.Peak - r.Before; try == 0 || peak < used {
					used = peak
				}
			}
			t.Logf("MB: weights %.1f, largest activation %.1f, sum with three %.1f; peak %.1f, allowed %.1f (arena %.1f, process before %.1f)",
				mega(r.Weights), mega(r.Activation), mega(r.Weights+3*r.Activation), mega(used), mega(limit), mega(r.Arena), mega(r.Before))
			t.Logf("seconds: reading and hashing %.2f, open %.2f, first batch %.2f", r.Hash, r.Open, r.First)
			if used > limit {
				t.Errorf("peak memory %.1f MB, allowed are %.1f", mega(used), mega(limit))
			}
		})
	}
}

func mega(bytes int64) float64 { return float64(bytes) / 1e6 }

// processMemory is a line of /proc/self/status, in bytes.
func processMemory(key string) (int64, error) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == key+":" && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", key)
}

// memoryVariable names the encoder file for the process that encodes.
const memoryVariable = "REPSCOPE_TEST_MEMORY"

func encodeInProcess(t *testing.T, path string, state []int) memoryReport {
	t.Helper()
	shape, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0], "-test.run=^TestMemoryProcess$", "-test.v")
	// On any machine the same number of threads, each with its buffers.
	command.Env = append(os.Environ(), "GOMAXPROCS=2", memoryVariable+"="+path, memoryVariable+"_STATE="+string(shape))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var r memoryReport
	_, line, ok := bytes.Cut(out, []byte("memory: "))
	if !ok {
		t.Fatalf("no report: %s", out)
	}
	if err := json.NewDecoder(bytes.NewReader(line)).Decode(&r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r
}

// TestMemoryProcess is the process that TestMemory starts.
func TestMemoryProcess(t *testing.T) {
	path := os.Getenv(memoryVariable)
	if path == "" {
		t.Skip("TestMemory starts it")
	}
	var state []int
	if err := json.Unmarshal([]byte(os.Getenv(memoryVariable+"_STATE")), &state); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	before, err := processMemory("VmRSS")
	if err != nil {
		t.Fatal(err)
	}
	r := memoryReport{Before: before}
	start := time.Now()
	opened, err := Open(path, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := opened.(*modelEncoder)
	r.Open = time.Since(start).Seconds()
	start = time.Now()
	s, err := NewStream(context.Background(), e, noise(state), EncodeOptions{Pool: PoolKeep})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Run(context.Background(), 0, func(lo, _ int, _ [][]float32) error {
		if lo == 0 {
			r.First = time.Since(start).Seconds()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Peak, err = processMemory("VmHWM"); err != nil {
		t.Fatal(err)
	}
	r.Weights = 4 * int64(e.info.Parameters)
	shape, _ := fitPort(state, e.input)
	p, err := preparedGraph(t, path).Specialize([]graph.Operand{{Type: graph.Type{DType: e.input.DType, Shape: append([]int{defaultBatch}, shape...)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range p.Steps {
		for _, id := range append(step.In, step.Out...) {
			if id >= 0 && p.Values[id].Const == nil {
				r.Activation = max(r.Activation, int64(p.Values[id].DType.Size()*graph.Count(p.Values[id].Shape)))
			}
		}
	}
	for d, n := range p.Plan().Size {
		r.Arena += int64(n * graph.DType(d).Size())
	}
	f, err := model.Read(path, model.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	if _, err := f.Sums(); err != nil {
		t.Fatal(err)
	}
	r.Hash = time.Since(start).Seconds()
	if err := errors.Join(f.Close(), e.Close()); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("memory: %s\n", line)
}

// preparedGraph reads an encoder file once more, to see its program.
func preparedGraph(t *testing.T, path string) *graph.Graph {
	t.Helper()
	var g *graph.Graph
	if strings.HasSuffix(path, ".onnx") {
		f, err := onnx.Open(path, onnx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g = f.Graph
	} else {
		n, err := checkpoint.Open(path, checkpoint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g = n.Graph
	}
	if err := g.Prepare(fuse.Rules(cpu.Evaluate)); err != nil {
		t.Fatal(err)
	}
	return g
}

// noise is a source of states that takes no memory.
type noise []int

func (s noise) Len() int                     { return defaultBatch + 1 }
func (s noise) Shape() []int                 { return s }
func (s noise) Fingerprint() (string, error) { return "", nil }
func (s noise) Float32(dst []float32, lo, _ int) error {
	for i := range dst {
		dst[i] = weight(lo + i)
	}
	return nil
}

// weight is the i-th of some small numbers.
func weight(i int) float32 { return float32(uint32(i)*2654435761>>24)/2560 - 0.05 }

// stateTensor is a tensor of a state dict.
type stateTensor struct {
	name  string
	shape []int
}

func writeState(t *testing.T, dir, name string, tensors []stateTensor) string {
	t.Helper()
	fields := make([]safetensors.Data, len(tensors))
	for i, s := range tensors {
		values := make([]float32, graph.Count(s.shape))
		for k := range values {
			values[k] = weight(k)
		}
		raw := slices.Clone(dtype.Bytes(values))
		if dtype.HostOrder() == dtype.BigEndian {
			dtype.SwapBytes(raw, 4)
		}
		fields[i] = safetensors.Data{Name: s.name, DType: dtype.Float32, Shape: s.shape, Raw: raw}
	}
	path := filepath.Join(dir, name+".safetensors")
	var b bytes.Buffer
	if err := safetensors.Encode(&b, fields...); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tensorList collects the tensors of modules.
type tensorList []stateTensor

func (l *tensorList) add(name string, shape ...int) { *l = append(*l, stateTensor{name, shape}) }

// module adds the weight and the bias of a module.
func (l *tensorList) module(name string, out int, rest ...int) {
	l.add(name+".weight", append([]int{out}, rest...)...)
	l.add(name+".bias", out)
}

func dqnTensors() (l tensorList) {
	l.module("conv1", 32, 4, 8, 8)
	l.module("conv2", 64, 32, 4, 4)
	l.module("conv3", 64, 64, 3, 3)
	l.module("fc_enc", 512, 3136)
	return l
}

func convTensors() (l tensorList) {
	in, out := 1, 32
	for i := range 4 {
		l.module(fmt.Sprintf("conv_layers.%d", i), out, in, 4, 4)
		l.module(fmt.Sprintf("layer_norms.%d", i), out)
		in, out = out, 2*out
	}
	l.module("final_norm", 16*in)
	l.module("fc", 64, 16*in)
	return l
}

func videoTensors() (l tensorList) {
	const width = 64
	l.module("patch_embed.conv_spatial", width, 1, 1, 4, 4)
	stacks := map[string]int{"blocks": 8, "temporal_blocks": 4}
	for _, stack := range slices.Sorted(maps.Keys(stacks)) {
		depth := stacks[stack]
		for i := range depth {
			name := fmt.Sprintf("%s.%d.", stack, i)
			l.module(name+"norm1", width)
			l.add(name+"attn.qkv.weight", 3*width, width)
			l.module(name+"attn.proj", width, width)
			l.add(name+"attn.rotary_emb.inv_freq", width/8)
			l.module(name+"norm2", width)
			l.module(name+"mlp.fc1", 4*width, width)
			l.module(name+"mlp.fc2", width, 4*width)
		}
	}
	l.module("norm", width)
	l.module("temporal_norm", width)
	return l
}

func vitTensors(channels, patch, patches, width, depth int) (l tensorList) {
	l.add("embeddings.cls_token", 1, 1, width)
	l.add("embeddings.position_embeddings", 1, 1+patches, width)
	l.module("embeddings.patch_embeddings.projection", width, channels, patch, patch)
	for i := range depth {
		name := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"attention.attention.query", "attention.attention.key", "attention.attention.value", "attention.output.dense"} {
			l.module(name+part, width, width)
		}
		l.module(name+"intermediate.dense", 4*width, width)
		l.module(name+"output.dense", width, 4*width)
		l.module(name+"layernorm_before", width)
		l.module(name+"layernorm_after", width)
	}
	l.module("layernorm", width)
	return l
}

// writeMLP writes an ONNX file of residual blocks x + W₂·relu(W₁·x) of this width, W₁ four times as wide. The weights
// are "inline" in the file, "external" in another file, "half": inline in float16, or "transposed": inline, each
// transposed by a node.
func writeMLP(t *testing.T, dir, form string, width, blocks int) string {
	t.Helper()
	path := filepath.Join(dir, "mlp.onnx")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var external io.Writer
	if form == "external" {
		f, err := os.Create(filepath.Join(dir, "mlp.bin"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		external = f
	}
	var nodes, heads []byte // of the graph; the tensors' messages without their data
	var tensors [][]byte
	node := func(op, out string, inputs ...string) {
		var m []byte
		for _, in := range inputs {
			m = textField(m, 1, in)
		}
		nodes = message(nodes, 1, textField(textField(m, 2, out), 4, op))
	}
	element, size := uint64(graph.ElementFloat), 4
	if form == "half" {
		element, size = graph.ElementFloat16, 2
	}
	values := make([]byte, 4*width*width*size) // of every tensor
	for i := range 4 * width * width {
		if v := weight(i); size == 2 {
			// In half precision: sign, exponent, ten bits.
			b := math.Float32bits(v)
			binary.LittleEndian.PutUint16(values[2*i:], uint16(b>>16&0x8000|max(b>>23&0xff, 113)-112<<10|b>>13&0x3ff))
		} else {
			binary.LittleEndian.PutUint32(values[4*i:], math.Float32bits(v))
		}
	}
	offset := 0
	matrix := func(name string, rows, cols int) string {
		turned := form == "transposed"
		stored := name
		if turned {
			stored, rows, cols = name+"_t", cols, rows
			node("Transpose", name, stored)
		}
		m := number(number(number(nil, 1, uint64(rows)), 1, uint64(cols)), 2, element)
		m = textField(m, 8, stored)
		if external != nil {
			m = number(m, 14, 1)
			for _, kv := range [][2]string{{"location", "mlp.bin"}, {"offset", strconv.Itoa(offset)}, {"length", strconv.Itoa(len(values))}} {
				m = message(m, 13, textField(textField(nil, 1, kv[0]), 2, kv[1]))
			}
			if _, err := external.Write(values); err != nil {
				t.Fatal(err)
			}
			offset += len(values)
		} else {
			m = protowire.AppendVarint(protowire.AppendTag(m, 9, protowire.BytesType), uint64(len(values)))
		}
		tensors = append(tensors, m)
		return name
	}
	last := "x"
	for i := range blocks {
		name := func(part string) string { return fmt.Sprint(part, i) }
		node("MatMul", name("a"), last, matrix(name("u"), width, 4*width))
		node("Relu", name("b"), name("a"))
		node("MatMul", name("c"), name("b"), matrix(name("v"), 4*width, width))
		node("Add", name("d"), last, name("c"))
		last = name("d")
	}
	port := func(name string) []byte {
		dims := message(message(nil, 1, textField(nil, 2, "batch")), 1, number(nil, 1, uint64(width)))
		return message(textField(nil, 1, name), 2, message(nil, 1, message(number(nil, 1, graph.ElementFloat), 2, dims)))
	}
	nodes = message(message(nodes, 11, port("x")), 12, port(last))
	inline := 0
	if external == nil {
		inline = len(values)
	}
	length := len(nodes)
	for i, m := range tensors {
		heads = protowire.AppendVarint(protowire.AppendTag(nil, 5, protowire.BytesType), uint64(len(m)+inline))
		tensors[i] = append(heads, m...)
		length += len(tensors[i]) + inline
	}
	head := message(number(nil, 1, 8), 8, number(nil, 2, 17))
	head = protowire.AppendVarint(protowire.AppendTag(head, 7, protowire.BytesType), uint64(length))
	write := func(b []byte) {
		if _, err := file.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	write(append(head, nodes...))
	for _, m := range tensors {
		write(m)
		write(values[:inline])
	}
	return path
}

func message(to []byte, n protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, n, protowire.BytesType), m)
}

func textField(to []byte, n protowire.Number, s string) []byte { return message(to, n, []byte(s)) }

func number(to []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, n, protowire.VarintType), v)
}
