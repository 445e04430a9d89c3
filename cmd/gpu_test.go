//go:build cuda && fakecuda

// The scripts of GPUs, on the fake driver.

package cmd_test

import (
	"testing"

	"repscope/internal/cuda/fakecuda"
	"repscope/internal/runtest"
)

// The programs of the scripts are this test's own processes: each finds two GPUs.
func init() { fakecuda.Reset(2, 1<<30) }

func TestGPUScripts(t *testing.T) { runtest.Run(t, "testdata/gpu") }
