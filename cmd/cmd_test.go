// Package cmd_test runs the binaries end to end; the scripts are in
// testdata/script.
package cmd_test

import (
	"testing"

	"repscope/internal/runtest"
	"repscope/suite"
)

func TestMain(m *testing.M) { runtest.Main(m, suite.Commands()...) }

func TestScripts(t *testing.T) { runtest.Run(t, "testdata/script") }
