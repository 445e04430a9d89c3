// Package cmd_test runs the binaries end to end; the scripts are in
// testdata/script.
package cmd_test

import (
	"testing"

	"repscope/analysis/geometry"
	"repscope/analysis/manifold"
	"repscope/analysis/neighborhood"
	"repscope/analysis/robustness"
	"repscope/analysis/smoothness"
	"repscope/internal/runtest"
	"repscope/tool/encode"
)

func TestMain(m *testing.M) {
	runtest.Main(m, smoothness.Command, robustness.Command, neighborhood.Command, manifold.Command, geometry.Command, encode.Command)
}

func TestScripts(t *testing.T) { runtest.Run(t, "testdata/script") }
