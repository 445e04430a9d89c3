//go:build cuda

// The contract of executors, on the fake driver or a GPU.

package cuda

import (
	"testing"

	"repscope/model/cpu"
	"repscope/model/graph"
	"repscope/model/internal/executortest"
)

func TestContract(t *testing.T) {
	executortest.Test(t, cpu.Evaluate, "../cpu/testdata/*.tar.gz", 2e-4, func(t testing.TB, g *graph.Graph) executortest.Executor {
		x, err := New(g, open(t, 1, 1<<30)[0], Options{Precision: FP32})
		if err != nil {
			t.Fatal(err)
		}
		return x
	})
}
