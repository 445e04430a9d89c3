// Tests of runs that are stopped and continued.

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"repscope/internal/run"
)

// times are the lines of a result file that differ from run to run.
var times = regexp.MustCompile(`(?m)^  "(started|elapsed_s)": .*\n|[0-9a-f]{64}  [a-z]+\.json\n`)

// filesOf are the contents of the files of a run, without times.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(times.ReplaceAll(data, nil))
	}
	return out
}

// A run of a model that is stopped keeps what it has computed, and the same command writes the
// bytes of one that was not stopped, whatever the batches. A state that belongs to a different run, or is damaged, is
// computed anew.
func TestContinued(t *testing.T) { // not parallel: it stops runs and the clock
	defer func(before func() time.Time) { clock = before }(clock)
	clock = func() time.Time { return time.Time{} } // parts take no time: they have 1, 2, 4, … groups on any machine
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("id,heavy_chain,light_chain,heavy_cdr_mask,light_cdr_mask\n")
	for i := range 9 {
		heavy, light := strings.Repeat("EVQLVESGG", 2)[i%3:15], strings.Repeat("DIQMTQSP", 2)[:9+i%4]
		fmt.Fprintf(&table, "s%d,%s,%s,%s,%s\n", i, heavy, light, strings.Repeat("0001122330", 2)[:len(heavy)], strings.Repeat("0102030", 3)[:len(light)])
	}
	sequences := filepath.Join(dir, "s.csv")
	if err := os.WriteFile(sequences, []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(ctx context.Context, out string, more ...string) (int, string) {
		args := append([]string{"--model", "a=" + filepath.Join("..", "..", "..", "latent", "testdata", "language_encoder.onnx"), "--sequences", sequences, "--metrics", "masked_accuracy,pseudo_perplexity",
			"--format", "svg", "--out", filepath.Join(dir, out)}, more...)
		var stdout, stderr bytes.Buffer
		code := run.Run(ctx, Command, args, &stdout, &stderr)
		return code, stderr.String()
	}
	stopped := func(out string, at int) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		afterPart = func(groups int) {
			if groups >= at {
				cancel()
			}
		}
		defer func() { afterPart = nil }()
		if code, stderr := call(ctx, out); code != 1 || !strings.Contains(stderr, "are kept in sequence.partial") {
			t.Fatalf("stopped: exit %d: %s", code, stderr)
		}
		if files := filesOf(t, filepath.Join(dir, out)); len(files) != 1 || files[PartialFile] == "" {
			t.Fatalf("a run that was stopped leaves %d files", len(files))
		}
	}
	if code, stderr := call(t.Context(), "whole"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	want := filesOf(t, filepath.Join(dir, "whole"))
	same := func(out string) {
		t.Helper()
		got := filesOf(t, filepath.Join(dir, out))
		if len(got) != len(want) {
			t.Errorf("%s has %d files, want %d", out, len(got), len(want))
		}
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: %s differs from that of a run that was not stopped", out, name)
			}
		}
	}
	stopped("b", 3)
	code, stderr := call(t.Context(), "b", "--position-batch", "3", "--threads", "1")
	if code != 0 || !strings.Contains(stderr, "sequence.partial has 3 of 9 groups of sequences; continuing") {
		t.Fatalf("continued: exit %d: %s", code, stderr)
	}
	same("b")

	stopped("c", 1)
	if code, stderr := call(t.Context(), "c", "--seed", "7"); code != 0 || !strings.Contains(stderr, "cannot be continued (it belongs to a different run") {
		t.Errorf("other work: exit %d: %s", code, stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "c", PartialFile), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stderr := call(t.Context(), "c"); code != 0 || !strings.Contains(stderr, "cannot be continued (") {
		t.Errorf("damaged: exit %d: %s", code, stderr)
	}
	same("c")
}

// A run of which nothing can be computed leaves nothing, however long it took.
func TestNothingIsNotKept(t *testing.T) { // not parallel: it keeps each part
	defer func(every time.Duration) { keepEvery = every }(keepEvery)
	keepEvery = 0
	kept := false
	out := filepath.Join(t.TempDir(), "out")
	afterPart = func(int) {
		_, err := os.Stat(filepath.Join(out, PartialFile))
		kept = kept || err == nil
	}
	defer func() { afterPart = nil }()
	var stdout, stderr bytes.Buffer
	args := []string{"--example", "--metrics", "chain_probe", "--memory", "1KB", "--out", out}
	if code := run.Run(t.Context(), Command, args, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "nothing can be computed") {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	if !kept {
		t.Error("no part was kept on the way")
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output folder is left: %v", err)
	}
}
