//go:build cuda

// Benchmarks of whole encoders on a GPU.

package cuda

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	device "repscope/internal/cuda"
	"repscope/model/graph"
	"repscope/model/onnx"
)

// BenchmarkModels measures the files that ../testdata/bench_models.py writes into the
// folder REPSCOPE_BENCH_MODELS, from host memory to host memory with as many batches
// under way as the executor takes; ../testdata/bench_torch_cuda.py does the same.
func BenchmarkModels(b *testing.B) {
	dir := os.Getenv("REPSCOPE_BENCH_MODELS")
	if dir == "" {
		b.Skip("REPSCOPE_BENCH_MODELS is not set")
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
				b.Run(fmt.Sprintf("%s/%s/batch=%d", name, strings.ToLower(precision.String()), batch), func(b *testing.B) {
					benchmarkModel(b, g, contexts[0], precision, append([]int{batch}, state...))
				})
			}
		}
	}
}

func benchmarkModel(b *testing.B, g *graph.Graph, c *device.Context, precision Precision, shape []int) {
	x, err := New(g, c, Options{Precision: precision})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	states := random(1, shape...)
	submit := func() {
		if err := x.Submit(context.Background(), []*graph.Tensor{states}); err != nil {
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
}
