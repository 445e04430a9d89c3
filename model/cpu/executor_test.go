// The contract of executors.

package cpu_test

import (
	"testing"

	"repscope/model/cpu"
	"repscope/model/graph"
	"repscope/model/internal/executortest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	executortest.Test(t, cpu.Evaluate, "testdata/*.tar.gz", 1e-4, func(_ testing.TB, g *graph.Graph) executortest.Executor {
		return cpu.New(g, 2)
	})
}
