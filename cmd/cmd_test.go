// Package cmd_test runs the binaries end to end; the scripts are in
// testdata/script.
package cmd_test

import (
	"testing"

	"repscope/internal/runtest"
	"repscope/suite"
	"repscope/tool/repscope"
)

func TestMain(m *testing.M) {
	runtest.MainWith(m, map[string]func(){repscope.Name: func() { repscope.Main(suite.Commands()) }}, suite.Commands()...)
}

func TestScripts(t *testing.T) { runtest.Run(t, "testdata/script") }
