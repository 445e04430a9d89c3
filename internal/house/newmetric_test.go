// The page about new metrics does what it says.

package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/report"
)

// TestNewMetric compiles the text of docs/develop/metric-in-thirty-lines.md into the sequence binary and runs it.
func TestNewMetric(t *testing.T) {
	t.Parallel()
	root, folder := sources(t).root, t.TempDir()
	page, err := os.ReadFile(filepath.Join(root, "docs", "develop", "metric-in-thirty-lines.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of Go, want the metric and its line", len(blocks))
	}
	registry := filepath.Join(root, "analysis", "sequence", "metrics", "registry.go")
	list, err := os.ReadFile(registry)
	if err != nil {
		t.Fatal(err)
	}
	const end = "\t}\n}\n"
	if strings.Count(string(list), end) != 1 {
		t.Fatalf("%s: the list of metrics does not end with %q", registry, end)
	}
	overlay := map[string]string{
		filepath.Join(root, "analysis", "sequence", "metrics", "cysteine.go"): write(t, folder, "metric.txt", blocks[0][1]),
		registry: write(t, folder, "registry.txt", strings.Replace(string(list), end, blocks[1][1]+end, 1)),
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "sequence")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", write(t, folder, "overlay.json", string(replace)), "-o", binary, "./cmd/sequence")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(binary, "--dump", "mine="+cysteines(t, folder), "--metrics", "cysteine_accuracy", "--out", filepath.Join(folder, "out"))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	result, err := report.Read(filepath.Join(folder, "out", "sequence.json"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := result.Model("mine")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := model.Number("cysteine_acc"); err != nil || v.V != 4.0/6 {
		t.Errorf("cysteine_acc %v, %v, want 4/6", v, err)
	}
}

// write writes a file of a test and returns its path.
func write(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// cysteines writes a dump of six sequences, each with a masked cysteine, of which four are
// predicted.
func cysteines(t *testing.T, folder string) string {
	t.Helper()
	const n, length, vocabulary, cysteine = 6, 5, 32, 23
	ids, labels := make([]int64, n*length), make([]int64, n*length)
	logits := make([]float32, n*length*vocabulary)
	for i := range n {
		copy(ids[i*length:], []int64{0, 4 + int64(i), cysteine, 7, 2})
		labels[i*length+2] = 1
		predicted := cysteine
		if i >= 4 {
			predicted = 9
		}
		logits[(i*length+2)*vocabulary+predicted] = 5
	}
	path := filepath.Join(folder, "dump.npz")
	err := dataset.WriteNPZ(path, dataset.Field{Name: "token_ids", Shape: []int{n, length}, Data: ids},
		dataset.Field{Name: "mask_labels", Shape: []int{n, length}, Data: labels},
		dataset.Field{Name: "logits", Shape: []int{n, length, vocabulary}, Data: logits})
	if err != nil {
		t.Fatal(err)
	}
	return path
}
