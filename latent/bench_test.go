// Benchmarks of encoders: frames and GFLOP per second.

package latent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"repscope/model/checkpoint"
	"repscope/model/graph"
	"repscope/stat"
)

// benchmarkEncoder measures batches of 64 states, as testdata/bench_torch.py does.
func benchmarkEncoder(b *testing.B, e *modelEncoder, state []int) {
	const batch = 64
	x := make([]float32, batch*graph.Count(state))
	for i := range x {
		x[i] = float32(i*2654435761%256) / 255
	}
	run := func() {
		if _, err := e.run(context.Background(), x, batch, state); err != nil {
			b.Fatal(err)
		}
	}
	run() // binds the batch
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime(b)
	for b.Loop() {
		run()
	}
	if used := processorTime(b) - before; used > 0 {
		b.ReportMetric(float64(batch*b.N)/used.Seconds(), "frames/cpu-s")
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
		values := make([]float32, graph.Count(shape))
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
	e, err := graphEncoder(model.Graph, 0, nil)
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

// BenchmarkArchitecture measures batches of a network that benchmarks/peers/architectures.py
// exported: REPSCOPE_BENCH_ARCHITECTURE is its file without .onnx, REPSCOPE_BENCH_BATCH the
// number of states.
func BenchmarkArchitecture(b *testing.B) {
	path := os.Getenv("REPSCOPE_BENCH_ARCHITECTURE")
	if path == "" {
		b.Skip("REPSCOPE_BENCH_ARCHITECTURE is not set")
	}
	data, err := os.ReadFile(path + ".json")
	if err != nil {
		b.Fatal(err)
	}
	var state []int
	if err := json.Unmarshal(data, &state); err != nil {
		b.Fatal(err)
	}
	batch, err := strconv.Atoi(os.Getenv("REPSCOPE_BENCH_BATCH"))
	if err != nil {
		b.Fatal(err)
	}
	opened, err := Open(path+".onnx", OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer opened.Close()
	e := opened.(*modelEncoder)
	x := make([]float32, batch*graph.Count(state))
	for i := range x {
		x[i] = float32(i*2654435761%256) / 255
	}
	// The peers' runs are timed once they have their memory, too.
	run := func() {
		if _, err := e.run(context.Background(), x, batch, state); err != nil {
			b.Fatal(err)
		}
	}
	run()
	var taken []float64
	for b.Loop() {
		begin := time.Now()
		run()
		taken = append(taken, float64(time.Since(begin).Nanoseconds()))
	}
	b.ReportMetric(stat.Median(taken), "ns/median")
}

// processorTime is what the process has used on all cores; a shared machine
// disturbs it less than the clock. Zero where the system does not tell.
func processorTime(b *testing.B) time.Duration {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	// After the command in parentheses; user and system time are fields 14 and 15, in hundredths of a second.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
