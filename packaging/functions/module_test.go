// The module is that of the flags.

package main

import (
	"os"
	"strings"
	"testing"

	"repscope/internal/run"
)

func TestModule(t *testing.T) {
	t.Parallel()
	want, err := module(descriptions())
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../python/repscope/_functions.py"
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the flags of the binaries give: make python-functions", path)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag            run.FlagInfo
		kind, separator string
	}{
		{run.FlagInfo{Type: "bool"}, "bool", ","},
		{run.FlagInfo{Type: "ints", Placeholder: "LIST"}, "ints", ","},
		{run.FlagInfo{Type: "path", Placeholder: "FILE[:key]"}, "file", ","},
		{run.FlagInfo{Type: "path", Placeholder: "DIR"}, "path", ","},
		{run.FlagInfo{Type: "path", Placeholder: "FILE.yaml"}, "config", ","},
		{run.FlagInfo{Name: "latents", Type: "text", Placeholder: "NAME=FILE[:key]", Repeats: true}, "named", ","},
		{run.FlagInfo{Name: "model", Type: "text", Placeholder: "NAME=FILE", Repeats: true}, "model", ","},
		{run.FlagInfo{Type: "text", Placeholder: "[NAME=]HxW", Repeats: true}, "each", "x"},
		{run.FlagInfo{Type: "text", Placeholder: "METRIC>PERCENT", Repeats: true}, "many", ">"},
		{run.FlagInfo{Type: "text", Placeholder: "LIST", Repeats: true}, "many", ","},
		{run.FlagInfo{Type: "text", Placeholder: "I/N"}, "text", "/"},
	} {
		p, err := parameterOf(c.flag)
		if err != nil || p.kind != c.kind || p.separator != c.separator {
			t.Errorf("%+v: %q, separated by %q, %v; want %q, %q", c.flag, p.kind, p.separator, err, c.kind, c.separator)
		}
	}
	if _, err := parameterOf(run.FlagInfo{Name: "a_b", Type: "bool"}); err == nil {
		t.Error("a name with an underscore is taken")
	}
}

// Parameters that need no name are flags, and arguments have one where there are any.
func TestParameters(t *testing.T) {
	t.Parallel()
	flags := []run.FlagInfo{{Name: "latents", Type: "text", Placeholder: "NAME=FILE[:key]", Repeats: true}, {Name: "frames", Type: "path", Placeholder: "FILE[:key]"}, {Name: "json", Type: "bool"}}
	all, err := parametersOf(run.Description{Name: "smoothness", Flags: flags})
	if err != nil || len(all) != 2 || all[0].keyword != "frames" || all[1].keyword != "latents" {
		t.Errorf("%v, %v; want frames, latents", all, err)
	}
	if _, err := parametersOf(run.Description{Name: "smoothness", Flags: flags[1:]}); err == nil || !strings.Contains(err.Error(), "latents") {
		t.Errorf("%v for a parameter that is no flag", err)
	}
	if _, err := parametersOf(run.Description{Name: "smoothness", Flags: flags, Arguments: "FILES…"}); err == nil {
		t.Error("arguments without a name are taken")
	}
}

func TestPythonic(t *testing.T) {
	t.Parallel()
	if got := pythonic("see --episodes-kind and --k"); got != "see episodes_kind and k" {
		t.Error(got)
	}
}
