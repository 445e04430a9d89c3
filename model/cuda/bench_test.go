//go:build cuda

// Benchmarks of whole encoders on a GPU.

package cuda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	device "repscope/internal/cuda"
	"repscope/model/graph"
	"repscope/model/onnx"
	"repscope/model/pixels"
)

// BenchmarkModels measures the files that ../testdata/bench_models.py writes into the
// folder REPSCOPE_BENCH_MODELS, from host memory to host memory with as many batches
// under way as the executor takes; ../testdata/bench_torch_cuda.py does the same.
func BenchmarkModels(b *testing.B) {
	dir := os.Getenv("REPSCOPE_BENCH_MODELS")
	if dir == "" {
		b.Skip("REPSCOPE_BENCH_MODELS is not set")
	}
	// The largest tiles that give this many blocks.
	if blocks, err := strconv.Atoi(os.Getenv("REPSCOPE_BENCH_BLOCKS")); err == nil {
		defer func(before int) { processors = before }(processors)
		processors = blocks
	}
	contexts := open(b, 1, 8<<30)
	for _, name := range []string{"ConvEncoder", "DQN", "VideoViT", "ViT-S"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			b.Fatal(err)
		}
		var state []int
		if err := json.Unmarshal(data, &state); err != nil {
			b.Fatal(err)
		}
		m, err := onnx.Open(filepath.Join(dir, name+".onnx"), onnx.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer m.Close()
		g := prepare(b, m.Graph)
		for _, precision := range []Precision{FP32, TF32, BF16} {
			for _, batch := range []int{1, 64, 512} {
				label := fmt.Sprintf("%s/%s/batch=%d", name, strings.ToLower(precision.String()), batch)
				shape := append([]int{batch}, state...)
				b.Run(label, func(b *testing.B) { benchmarkModel(b, g, contexts[0], precision, shape, false) })
				if batch > 64 {
					b.Run(label+"/bytes", func(b *testing.B) { benchmarkModel(b, g, contexts[0], precision, shape, true) })
				}
			}
		}
	}
}

// benchmarkModel takes float32 states, or bytes that are scaled on the device. REPSCOPE_BENCH_STEPS=1: it also tells
// what the steps took.
func benchmarkModel(b *testing.B, g *graph.Graph, c *device.Context, precision Precision, shape []int, bytes bool) {
	x, err := New(g, c, Options{Precision: precision})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	states := random(1, shape...)
	frames, levels := make([]uint8, graph.Count(shape)), pixels.Levels{Values: make([]float32, 256), Plane: 1}
	for i := range frames {
		frames[i] = uint8(i * 7 % 251)
	}
	for i := range levels.Values {
		levels.Values[i] = float32(i) / 255
	}
	submit := func() {
		err := error(nil)
		if bytes {
			err = x.SubmitBytes(context.Background(), frames, shape, levels)
		} else {
			err = x.Submit(context.Background(), []*graph.Tensor{states})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	collect := func() {
		if _, err := x.Collect(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	for range 3 { // kernels are loaded, then the graph is captured in every slot
		for range x.Depth() {
			submit()
		}
		for range x.Depth() {
			collect()
		}
	}
	b.ResetTimer()
	for i := range b.N {
		if i >= x.Depth() {
			collect()
		}
		submit()
	}
	for range min(b.N, x.Depth()) {
		collect()
	}
	b.ReportMetric(float64(shape[0])*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
	if os.Getenv("REPSCOPE_BENCH_STEPS") != "" {
		b.StopTimer()
		x.SetProfile(true)
		for range 7 {
			submit()
			collect()
		}
		logSteps(b, x)
	}
}

func logSteps(b *testing.B, x *Executor) {
	var all float64
	steps := x.Profile()
	for _, s := range steps {
		all += s.Median
	}
	for _, s := range steps {
		if s.Median >= 0.01*all {
			b.Logf("%8.1f us %4.1f %% %7.0f GFLOP/s %6.0f GB/s %s %v %v", s.Median*1e6, 100*s.Median/all, s.Flops/s.Median/1e9, s.Bytes/s.Median/1e9, s.Operator, s.Inputs, s.Output)
		}
	}
	b.Logf("%8.1f us in all", all*1e6)
}

// BenchmarkTransfers measures the limits of batches other than computing: copies into pinned memory, the bus, launches.
func BenchmarkTransfers(b *testing.B) {
	c := open(b, 1, 8<<30)[0]
	const size = 64 << 20
	var up []byte
	var pointer device.Pointer
	var s *device.Stream
	if err := c.Do(func() (err error) {
		if up, err = c.Pinned(size); err != nil {
			return err
		}
		if pointer, err = c.Alloc(size); err != nil {
			return err
		}
		s, err = c.NewStream()
		return err
	}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Do(func() error { return errors.Join(s.Close(), c.Free(pointer), c.FreePinned(up)) }) })
	memory := make([]byte, size)
	for i := range memory {
		memory[i] = byte(i)
	}
	one := func(name string, run func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				if err := c.Do(run); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	one("fill", func() error { copyBytes(up, memory); return nil })
	one("upload", func() error { return errors.Join(s.Upload(pointer, up), s.Synchronize()) })
	one("download", func() error { return errors.Join(s.Download(up, pointer), s.Synchronize()) })
	b.Run("launch", func(b *testing.B) {
		for b.Loop() {
			if err := c.Do(func() error { return s.Zero(pointer, 256) }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
