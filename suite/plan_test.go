// Tests of --dry-run.

package suite

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/runtest"
)

// planned is the part of a plan that tests look at.
type planned struct {
	States int
	Models []struct {
		Name    string
		Outputs []struct{ Shape []int }
	}
	Memory struct {
		HeldBytes int64 `json:"held_bytes"`
	}
	Output struct {
		Folder string
		Files  []string
	}
}

// smallFrames writes 30 frames, the last of which holds NaN if the type is float32.
func smallFrames(t *testing.T, dir string) {
	t.Helper()
	bytes, floats, numbers := make([]uint8, 30*8*8), make([]float32, 30*8*8), make([]int64, 30)
	state := uint32(1)
	for i := range bytes {
		state = state*1664525 + 1013904223
		bytes[i], floats[i] = uint8(state>>24), float32(state>>8)
	}
	floats[len(floats)-1] /= 0
	for i := range numbers {
		numbers[i] = int64(i / 10)
	}
	for _, err := range []error{
		dataset.WriteNPY(filepath.Join(dir, "f.npy"), []int{30, 8, 8}, bytes),
		dataset.WriteNPY(filepath.Join(dir, "nan.npy"), []int{30, 8, 8}, floats),
		dataset.WriteNPY(filepath.Join(dir, "labels.npy"), []int{30}, numbers),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Every command tells before a run exactly the files that the run writes, and writes none
// itself; it reads a few states, so that NaN in the last does not matter.
func TestDryRun(t *testing.T) {
	runtest.Long(t, "it runs every analysis several times")
	t.Parallel()
	more := map[string][]string{
		"smoothness":   {"--horizons 1,3 --format svg,pdf", "--methods"},
		"robustness":   {"--per-sample --draws 2"},
		"neighborhood": {"--k 2 --per-point --permutations 0", "--k 2 --approx --permutations 0", "--k 2 --exclude-window 1 --permutations 0", "--k 2 --coranking off --window 2 --permutations 0"},
		"geometry":     {"--format none", "--per-point --clusters 2 --labels {}/labels.npy"},
		"similarity":   {"--k 2 --permutations 0", "--k 2 --methods"},
		"surprise":     {"--violations skip --draws 1"},
		"encode":       {"--to npz", "--window 2 --methods"},
		"reward":       {"--rewards {}/labels.npy --targets a={}/labels.npy --probes ridge --predictions-csv --min-entropy 0"},
	}
	for _, e := range All() {
		if names := run.FlagNames(e.Command); !slices.Contains(names, "frames") || !slices.Contains(names, "model") {
			continue // see below
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			smallFrames(t, dir)
			baselines, models := "random:4", 1
			if e.Name == "similarity" { // of pairs
				baselines, models = "random:4,pca:4", 2
			}
			for _, extra := range append([]string{""}, more[e.Name]...) {
				command := func(flags string) (int, []byte, string) {
					var stdout, stderr bytes.Buffer
					args := "--baseline " + baselines + " --cache {}/cache --json --out {}/out " + extra + " " + flags
					if e.Name == "encode" {
						args = strings.Replace(args, "--cache {}/cache", "", 1)
					} else {
						args += " --bootstrap 0"
						if extra != "" && !strings.Contains(extra, "--format") {
							args += " --format svg"
						}
					}
					args = strings.ReplaceAll(args, "{}", dir)
					code := run.Run(t.Context(), e.Command, strings.Fields(args), &stdout, &stderr)
					return code, stdout.Bytes(), stderr.String()
				}
				before := list(t, dir)
				code, stdout, stderr := command("--dry-run --frames " + dir + "/nan.npy")
				if code != 0 || !slices.Equal(before, list(t, dir)) {
					t.Fatalf("%s: exit %d, files %v: %s", extra, code, list(t, dir), stderr)
				}
				var plan planned
				if err := json.Unmarshal(stdout, &plan); err != nil {
					t.Fatal(err)
				}
				if plan.States < 20 || len(plan.Models) != models || !slices.Equal(plan.Models[0].Outputs[0].Shape, []int{4}) || plan.Memory.HeldBytes <= 0 {
					t.Errorf("%s: %s", extra, stdout)
				}
				if code, _, _ := command("--frames " + dir + "/nan.npy"); code != 1 {
					t.Errorf("%s: a run on NaN: exit %d", extra, code)
				}
				code, stdout, stderr = command("--frames " + dir + "/f.npy")
				if code != 0 {
					t.Fatalf("%s: exit %d: %s", extra, code, stderr)
				}
				if e.Analysis && !bytes.Contains(stdout, []byte(`"definition": `)) {
					t.Errorf("%s: the result does not say which definition its numbers are of", extra)
				}
				written := list(t, filepath.Join(dir, "out"))
				slices.Sort(plan.Output.Files)
				if !slices.Equal(written, plan.Output.Files) {
					t.Errorf("%s: wrote %v, planned %v", extra, written, plan.Output.Files)
				}
				for _, folder := range []string{"out", "cache"} {
					if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// So does a command of files.
func TestDryRunOfFiles(t *testing.T) {
	runtest.Long(t, "it runs a dozen commands, one after another")
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "l.csv"), []byte("epoch,train_loss\n1,2\n2,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const design = `{"document": {"id": "0:1", "type": "FRAME", "absoluteBoundingBox": {"x": 0, "y": 0, "width": 9, "height": 9}, "children": []}}`
	if err := os.WriteFile(filepath.Join(dir, "design.json"), []byte(design), 0o666); err != nil {
		t.Fatal(err)
	}
	fields := make([]float32, 12*3*2*3)
	for i := range fields {
		fields[i] = float32(i * i % 37)
	}
	for name, shape := range map[string][]int{"truth": {12, 1, 2, 3}, "members": {12, 3, 1, 2, 3}, "leads": {12}} {
		size := 1
		for _, n := range shape {
			size *= n
		}
		if err := dataset.WriteNPY(filepath.Join(dir, name+".npy"), shape, fields[:size]); err != nil {
			t.Fatal(err)
		}
	}
	answers := make([]float32, 12*9*32)
	ids, labels := make([]int64, 12*9), make([]int64, 12*9)
	for i := range answers {
		answers[i] = float32(i * i % 41)
	}
	for i := range ids {
		ids[i], labels[i] = int64(4+i*i%20), int64(i%3/2)
	}
	if err := dataset.WriteNPZ(filepath.Join(dir, "dump.npz"), dataset.Field{Name: "token_ids", Shape: []int{12, 9}, Data: ids},
		dataset.Field{Name: "mask_labels", Shape: []int{12, 9}, Data: labels}, dataset.Field{Name: "logits", Shape: []int{12, 9, 32}, Data: answers}); err != nil {
		t.Fatal(err)
	}
	for _, extra := range []string{"compare --example --methods",
		"canvas --example --snapshots --ids gid1-11 --metrics ssim --format svg", "canvas --example --task modification_gen --metrics ssim --ids gid1-11 --format svg",
		"canvas --reference-json {}/design.json --generated-json {}/design.json --format svg",
		"sequence --dump a={}/dump.npz --format svg,pdf", "sequence --dump a={}/dump.npz --dump a/late={}/dump.npz --metrics masked_accuracy,ppl --format svg", "compare --losses a={}/l.csv --format svg,pdf",
		"compare ../report/testdata/smoothness.json --table {}/x/t.csv --figure {}/x/f.png --metrics r_squared",
		"forecast --target {}/truth.npy --forecast a={}/members.npy --format svg,pdf", "forecast --target {}/truth.npy --input {}/truth.npy --leads {}/leads.npy --metrics mae --format svg"} {
		command := func(flags string) (int, []byte, string) {
			var stdout, stderr bytes.Buffer
			name, rest, _ := strings.Cut(extra, " ")
			e, _ := Find(name)
			args := strings.Fields(strings.ReplaceAll(rest+" --json --out {}/out "+flags, "{}", dir))
			return run.Run(t.Context(), e.Command, args, &stdout, &stderr), stdout.Bytes(), stderr.String()
		}
		before := list(t, dir)
		code, stdout, stderr := command("--dry-run")
		if code != 0 || !slices.Equal(before, list(t, dir)) {
			t.Fatalf("%s: exit %d, files %v: %s", extra, code, list(t, dir), stderr)
		}
		var plan planned
		if err := json.Unmarshal(stdout, &plan); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr = command("")
		if code != 0 {
			t.Fatalf("%s: exit %d: %s", extra, code, stderr)
		}
		if e, _ := Find(strings.Fields(extra)[0]); e.Analysis && !bytes.Contains(stdout, []byte(`"definition": `)) {
			t.Errorf("%s: the result does not say which definition its numbers are of", extra)
		}
		written := list(t, filepath.Join(dir, "out"))
		slices.Sort(plan.Output.Files)
		if !slices.Equal(written, plan.Output.Files) {
			t.Errorf("%s: wrote %v, planned %v", extra, written, plan.Output.Files)
		}
		if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
	}
	if written := list(t, filepath.Join(dir, "x")); !slices.Equal(written, []string{"f.png", "t.csv"}) {
		t.Errorf("copies: %v", written)
	}
}
