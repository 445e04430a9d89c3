//go:build cuda && fakecuda

package cmd_test

import (
	"testing"

	"repscope/internal/cli/clitest"
	"repscope/internal/cuda/fakecuda"
)

// The programs of the scripts are this test's own processes: each finds two GPUs.
func init() { fakecuda.Reset(2, 1<<30) }

func TestGPUScripts(t *testing.T) { clitest.Run(t, "testdata/gpu") }
