// Tests of the help text.

package run

import (
	"bytes"
	"flag"
	"strings"
	"testing"
)

func TestHelpNamesEveryFlag(t *testing.T) {
	t.Parallel()
	f := newFake()
	var b bytes.Buffer
	if err := help(&b, f.command, f.flags); err != nil {
		t.Fatal(err)
	}
	f.flags.VisitAll(func(fl *flag.Flag) {
		if strings.Count(b.String(), "\n  --"+fl.Name+" ")+strings.Count(b.String(), "\n  --"+fl.Name+"\n") != 1 {
			t.Errorf("--%s is not in the help exactly once", fl.Name)
		}
	})
	for _, part := range []string{"fake: a stand-in", "  fake [flags]\n", "inputs:", "fake:\n", "statistics:", "settings:", "output:", "exit status:", "(default 200)"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is missing in the help", part)
		}
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("a long line: %q", line)
		}
	}
	if strings.Contains(b.String(), "frames FILE") {
		t.Error("the help of a command without frames speaks of --frames")
	}
}

func TestUsageLines(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.command.Arguments = "FILES…"
	f.flags.Usage("--list")
	f.flags.Title(Settings, "how files are read")
	var b bytes.Buffer
	if err := help(&b, f.command, f.flags); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"usage:\n  fake FILES… [flags]\n  fake --list\n", "\nhow files are read:\n"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is missing in %s", part, b.String())
		}
	}
}
