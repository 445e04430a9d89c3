package latent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"repscope/latent/checkpoint"
)

// benchmarkEncoder measures batches of 64 states, as testdata/bench_torch.py does.
func benchmarkEncoder(b *testing.B, e *modelEncoder, state []int) {
	const batch = 64
	n := batch
	for _, d := range state {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i*2654435761%256) / 255
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if _, _, err := e.run(context.Background(), x, batch, state); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "frames/s")
}

func BenchmarkConvEncoder(b *testing.B) {
	e, err := randomEncoder([]int{64, 64}, RandomOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	b.Run("64x64/batch=64", func(b *testing.B) { benchmarkEncoder(b, e, []int{64, 64}) })
}

func BenchmarkDQN(b *testing.B) {
	state := checkpoint.State{}
	add := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i*40503%1000)/5e4 - 0.01
		}
		state[name] = checkpoint.Tensor{Shape: shape, Read: func() ([]float32, error) { return values, nil }}
	}
	for i, c := range [][4]int{{32, 4, 8, 8}, {64, 32, 4, 4}, {64, 64, 3, 3}} {
		add(fmt.Sprintf("conv%d.weight", i+1), c[:]...)
		add(fmt.Sprintf("conv%d.bias", i+1), c[0])
	}
	add("fc_enc.weight", 512, 3136)
	add("fc_enc.bias", 512)
	model, err := checkpoint.Build(state, checkpoint.Options{})
	if err != nil {
		b.Fatal(err)
	}
	e, err := newModelEncoder(model.Graph, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	b.Run("4x84x84/batch=64", func(b *testing.B) { benchmarkEncoder(b, e, []int{4, 84, 84}) })
}

// BenchmarkModels measures the files that testdata/bench_models.py writes into
// the folder REPSCOPE_BENCH_MODELS, which testdata/bench_torch.py and bench_ort.py run too.
func BenchmarkModels(b *testing.B) {
	dir := os.Getenv("REPSCOPE_BENCH_MODELS")
	if dir == "" {
		b.Skip("REPSCOPE_BENCH_MODELS is not set")
	}
	for _, name := range []string{"ConvEncoder", "DQN", "VideoViT", "ViT-S"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			b.Fatal(err)
		}
		var state []int
		if err := json.Unmarshal(data, &state); err != nil {
			b.Fatal(err)
		}
		opened, err := Open(filepath.Join(dir, name+".onnx"), OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) { benchmarkEncoder(b, opened.(*modelEncoder), state) })
		if err := opened.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
