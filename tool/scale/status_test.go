// Tests of what status finds: missing, running, failed and damaged tasks, and what goes on from there.

package scale_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/folderlock"
	"repscope/internal/runtest"
)

// divided divides a work into four shards of a folder.
func divided(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	arrays(t, dir, 1100)
	succeeds(t, dir, "scale", "k8s", "--shards", "4", "--image", "a", "--claim", "b", "--mount", dir, "--out", "many", "--rates", ratesDir, "--",
		"neighborhood", "--frames", "f.npy", "--latents", "z=z.npy", "--bootstrap", "0", "--permutations", "0")
	return dir
}

// holds runs status and looks for texts in what it says.
func holds(t *testing.T, dir string, code int, args []string, texts ...string) {
	t.Helper()
	out, got := binary(t, dir, "scale", append([]string{"status"}, args...)...)
	if got != code {
		t.Errorf("status %d, want %d: %s", got, code, out)
	}
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("no %q in:\n%s", text, out)
		}
	}
}

func TestStatus(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir := divided(t)
	holds(t, dir, 1, []string{"many"}, "4 tasks: 4 missing", "missing: task 2, neighborhood, shard 2/4: not started, or killed", "hint: run one with: scale task ")
	for _, i := range []string{"0", "1", "2"} {
		succeeds(t, dir, "scale", "task", "many", "--index", i)
	}
	if out, code := binary(t, dir, "scale", "finish", "many"); code != 1 || !strings.Contains(out, "1 of 4 tasks are not complete; task 3") {
		t.Errorf("finished too early: status %d: %s", code, out)
	}
	shards := filepath.Join(dir, "many", "shards")
	first := filepath.Join(shards, "neighborhood.0-of-4.shard")
	data, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-5] ^= 1
	if err := os.WriteFile(first, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(shards, "neighborhood.1-of-4.shard")); err != nil {
		t.Fatal(err)
	}
	lock, err := folderlock.Take(t.Context(), filepath.Join(dir, "many", ".scale", "00003"), "task", false)
	if err != nil {
		if err := os.MkdirAll(filepath.Join(dir, "many", ".scale", "00003"), 0o777); err != nil {
			t.Fatal(err)
		}
		if lock, err = folderlock.Take(t.Context(), filepath.Join(dir, "many", ".scale", "00003"), "task", false); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, dir, 1, []string{"many"}, "4 tasks: 1 complete, 1 running, 1 damaged, 1 missing", "damaged: task 0", "its file is missing", "running: task 3, neighborhood, shard 3/4: process ")
	lock.Release()
	holds(t, dir, 1, []string{"many", "--json"}, `"damaged": 1`, `"missing": 2`)

	// Of shards alone: the units.
	holds(t, dir, 1, []string{filepath.Join("many", "shards")}, "neighborhood: 1 of 5 units in 1 file; missing: 0-1,3-4", "the shard is damaged")
	for _, i := range []string{"0", "1", "2", "3"} {
		succeeds(t, dir, "scale", "task", "many", "--index", i)
	}
	holds(t, dir, 1, []string{"many"}, "4 tasks: 4 complete", "neighborhood is not combined", "hint: combine it with: scale finish ")
	holds(t, dir, 0, []string{filepath.Join("many", "shards")}, "neighborhood: 5 of 5 units in 4 files")
	succeeds(t, dir, "scale", "finish", "many")
	holds(t, dir, 0, []string{"many"}, "4 tasks: 4 complete\n")

	// Other inputs are other work.
	arrays(t, dir, 1101)
	succeeds(t, dir, "scale", "k8s", "--shards", "4", "--image", "a", "--claim", "b", "--mount", dir, "--out", "many", "--rates", ratesDir, "--",
		"neighborhood", "--frames", "f.npy", "--latents", "z=z.npy", "--bootstrap", "0", "--permutations", "0")
	holds(t, dir, 1, []string{"many"}, "4 tasks: 4 missing")
	holds(t, dir, 1, []string{"none"}, "no such file")
	holds(t, dir, 2, nil, "want one")
}

// The tasks of a suite are evaluate's, which finds them done.
func TestSuite(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir := t.TempDir()
	arrays(t, dir, 1100)
	suite := "defaults: {bootstrap: 0, latents: {z: z.npy}, neighborhood: {permutations: 0}}\nanalyses: [neighborhood, manifold]\ndatasets:\n  pong: {frames: f.npy}\n"
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(suite), 0o666); err != nil {
		t.Fatal(err)
	}
	succeeds(t, dir, "evaluate", "s.yaml", "--quiet", "--out", "one")
	out := succeeds(t, dir, "scale", "k8s", "s.yaml", "--shards", "3", "--image", "a", "--claim", "b", "--mount", dir, "--out", "many", "--rates", ratesDir)
	if !strings.Contains(out, "4 tasks in 2 Jobs") {
		t.Errorf("got %s", out)
	}
	for _, i := range []string{"3", "1", "0", "2"} {
		succeeds(t, dir, "scale", "task", "many", "--index", i)
	}
	succeeds(t, dir, "scale", "finish", "many")
	for _, file := range []string{"pong/neighborhood/neighborhood.json", "pong/manifold/manifold.json"} {
		if timeless(t, filepath.Join(dir, "one", file)) != timeless(t, filepath.Join(dir, "many", file)) {
			t.Errorf("%s differs from that of evaluate", file)
		}
	}
	one, err := os.ReadFile(filepath.Join(dir, "one", "summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	many, err := os.ReadFile(filepath.Join(dir, "many", "summary.csv"))
	if err != nil || string(one) != string(many) {
		t.Errorf("the summaries differ: %v", err)
	}
	if out := succeeds(t, dir, "evaluate", "s.yaml", "--out", "many", "--list"); strings.Count(out, "unchanged") != 2 {
		t.Errorf("evaluate would run again:\n%s", out)
	}
	holds(t, dir, 0, []string{"many"}, "4 tasks: 4 complete\n")
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(suite+"# changed\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "many", "pong", "manifold")); err != nil {
		t.Fatal(err)
	}
	if out, code := binary(t, dir, "scale", "task", "many", "--index", "3"); code != 2 || !strings.Contains(out, "has changed since the work was divided") {
		t.Errorf("a suite that has changed: status %d: %s", code, out)
	}
}
