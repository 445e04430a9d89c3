package neighborhood

// The binary end to end; see testdata/script.

import (
	"testing"

	"repscope/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, Command) }

func TestScripts(t *testing.T) { clitest.Run(t, "testdata/script") }
