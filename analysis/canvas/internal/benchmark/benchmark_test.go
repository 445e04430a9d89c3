// Tests of finding the cases of a benchmark.

package benchmark

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"repscope/analysis/canvas/internal/source"
)

// treeOf is a tree of empty files.
func treeOf(task, variant string, names ...string) *Tree {
	files := fstest.MapFS{}
	for _, name := range names {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			files[folder] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		} else {
			files[name] = &fstest.MapFile{}
		}
	}
	return &Tree{Files: files, Folder: "d", Task: task, Variant: variant, Memory: true}
}

// labels are the cases as text.
func labels(cases []source.Case) []string {
	var out []string
	for _, c := range cases {
		out = append(out, c.Sample+"|"+c.Model+"|"+c.Name())
	}
	return out
}

func TestFind(t *testing.T) {
	t.Parallel()
	const results = "results/replication_gen/image_only/"
	tr := treeOf("replication_gen", "image_only",
		"benchmarks/replication_gt/gid6-27.png", "benchmarks/replication_gt/gid6-27-json-response.json", "benchmarks/replication_gt/gid6-3-fixations.csv",
		"benchmarks/replication_gt/gid6-27-fixations.npy",
		results+"gid6-27-gpt-4o-image_only/gid6-27-gpt-4o-image_only-json-response.json",
		results+"gid6-27-gpt-4o-image_only/snapshots/gid6-27-gpt-4o-image_only-snapshot-10.png",
		results+"gid6-27-gpt-4o-image_only/snapshots/gid6-27-gpt-4o-image_only-snapshot-9.png",
		results+"gid6-27-gpt-4o-image_only/snapshots/gid6-27-gpt-4o-image_only-snapshot-09-structure.json",
		results+"gid6-27-gpt-4o-image_only/snapshots/gid6-27-gpt-4o-image_only-snapshot-last.png",
		results+"gid6-27-gpt-4o-image_only/snapshots/gid6-27-gpt-4o-image_only-snapshot-10.json",
		results+"gid6-27-gpt-4o-image_only/snapshots/gid6-27-gpt-4o-image_only-snapshot-9.json",
		results+"gid6-27-gpt-4o-image_only/snapshots/gid6-27-gpt-4o-image_only-snapshot-11.json",
		results+"gid6-27-gpt-4o-image_only/snapshots/notes.txt",
		results+"gid6-3-m10-image_only/", results+"gid6-3-m9-image_only/",
		results+"gid6-27-gpt-4o-text_only/", results+"gid7-image_only/", results+"notes.txt", results+".hidden/")
	found, err := tr.Find(true)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"gid6-3|m9|gid6-3-m9-image_only", "gid6-3|m10|gid6-3-m10-image_only",
		"gid6-27|gpt-4o|gid6-27-gpt-4o-image_only, snapshot 9", "gid6-27|gpt-4o|gid6-27-gpt-4o-image_only, snapshot 10", "gid6-27|gpt-4o|gid6-27-gpt-4o-image_only"}
	if diff := cmp.Diff(want, labels(found.Cases)); diff != "" {
		t.Errorf("cases (−want +got):\n%s", diff)
	}
	odd := strings.Join(found.Odd, "\n")
	for _, part := range []string{"gid6-27-gpt-4o-text_only (want <gid>-<model>-image_only)", "gid7-image_only (want", "notes.txt (not a folder)", "snapshot-last.png (want"} {
		if !strings.Contains(odd, part) {
			t.Errorf("%q is not said of what is left out:\n%s", part, odd)
		}
	}
	if len(found.Odd) != 4 {
		t.Errorf("left out: %s", odd)
	}
	const own = "d/" + results + "gid6-27-gpt-4o-image_only/"
	final, step := found.Cases[4], found.Cases[2]
	wantCase := source.Case{ID: "gid6-27-gpt-4o-image_only", Sample: "gid6-27", Model: "gpt-4o", Variant: "image_only", Snapshot: -1,
		Reference: source.Side{Image: "d/benchmarks/replication_gt/gid6-27.png", Design: "d/benchmarks/replication_gt/gid6-27.json"},
		Generated: source.Side{Image: own + "gid6-27-gpt-4o-image_only-canvas.png", Design: own + "gid6-27-gpt-4o-image_only-json-structure.json"},
		Trace:     own + "gid6-27-gpt-4o-image_only-json-response.json", ExpectedTrace: "d/benchmarks/replication_gt/gid6-27-json-response.json",
		Fixations: "d/benchmarks/replication_gt/gid6-27-fixations.npy"}
	for _, n := range []string{"9", "10", "11"} {
		wantCase.StepTraces = append(wantCase.StepTraces, own+"snapshots/gid6-27-gpt-4o-image_only-snapshot-"+n+".json")
	}
	if diff := cmp.Diff(wantCase, final); diff != "" {
		t.Errorf("case (−want +got):\n%s", diff)
	}
	wantSide := source.Side{Image: own + "snapshots/gid6-27-gpt-4o-image_only-snapshot-9.png", Design: own + "snapshots/gid6-27-gpt-4o-image_only-snapshot-09-structure.json"}
	if step.Generated != wantSide || step.Snapshot != 9 || step.Trace != "" || !slices.Equal(step.StepTraces, wantCase.StepTraces[:1]) {
		t.Errorf("step: %+v", step)
	}
	if found.Cases[0].Fixations != "d/benchmarks/replication_gt/gid6-3-fixations.csv" {
		t.Errorf("fixations: %q", found.Cases[0].Fixations)
	}
	if found, err := tr.Find(false); err != nil || len(found.Cases) != 3 {
		t.Errorf("without snapshots: %v, %v", labels(found.Cases), err)
	}
}

func TestFindModifications(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ folder, file string }{
		{"benchmarks/modification_gt/task-1", "benchmarks/modification_gt/task-1/gid6-27-base.png"},
		{"benchmarks/modification_gt", "benchmarks/modification_gt/gid6-27-base.png"},
	} {
		found, err := treeOf("modification_gen", "task-1", test.file, "results/modification_gen/task-1/gid6-27-a-task-1/").Find(false)
		if err != nil {
			t.Fatal(err)
		}
		c := found.Cases[0]
		if own := "d/" + test.folder + "/gid6-27"; c.Model != "a" || c.Reference.Image != own+"-target.png" || c.Base != (source.Side{Image: own + "-base.png", Design: own + "-base.json"}) {
			t.Errorf("%s: %+v", test.folder, c)
		}
	}
}

func TestFindErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		task, variant string
		files         []string
		want          string
	}{
		{"a_gen", "v", nil, "d/results: no such folder"},
		{"replication", "v", []string{"results/replication_gen/v/x/"}, `d/results: no task "replication"; there are replication_gen`},
		{"a_gen", "image", []string{"results/a_gen/image_only/x/", "results/a_gen/file"}, `d/results/a_gen: no variant "image"; there are image_only`},
		{"a_gen", "v", []string{"results/a_gen/v/gid1-1-m-v/"}, "d/benchmarks/a_gt: no folder of references"},
		{"a_gen", "v", []string{"results/a_gen/v/", "benchmarks/a_gt/"}, "d/results/a_gen/v: no case found; want folders <gid>-<model>-v"},
		{"a_gen", "v", []string{"results/a_gen/v/x/", "benchmarks/a_gt/"}, "found x (want <gid>-<model>-v)"},
		{"a_gen", "v", []string{"results/a_gen/v"}, "d/results/a_gen: no variant"},
	} {
		_, err := treeOf(test.task, test.variant, test.files...).Find(false)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.files, err, test.want)
		}
	}
}

func TestParseCase(t *testing.T) {
	t.Parallel()
	tr := &Tree{Variant: "image_only"}
	for name, want := range map[string]string{
		"gid6-27-gpt-4o-image_only": "gid6-27 gpt-4o true", "gid6-27-image_only": "  false", "gid6-27--image_only": "  false", "-1-m-image_only": "  false",
		"gid6-27-m-image_only-image_only": "gid6-27 m-image_only true", "gid6-27-m": "  false", "image_only": "  false", "-image_only": "  false",
	} {
		gid, model, ok := tr.parse(name)
		if got := gid + " " + model + " " + map[bool]string{true: "true", false: "false"}[ok]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Links are followed, and those to nothing are no cases; what is no file is not read.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	results := filepath.Join(dir, "results", "a_gen", "v")
	for _, folder := range []string{filepath.Join(dir, "benchmarks", "a_gt"), results, filepath.Join(dir, "elsewhere")} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"gid1-1-m-v": filepath.Join(dir, "elsewhere"), "gid1-2-m-v": "nowhere", "gid1-3-m-v": "gid1-3-m-v"} {
		if err := os.Symlink(to, filepath.Join(results, name)); err != nil {
			t.Skip(err)
		}
	}
	found, err := (&Tree{Files: os.DirFS(dir), Folder: dir, Task: "a_gen", Variant: "v"}).Find(true)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Cases) != 1 || found.Cases[0].Sample != "gid1-1" || len(found.Odd) != 2 || !strings.Contains(found.Odd[0],
		"gid1-2-m-v (a broken link)") {
		t.Errorf("cases %v, left out %v", labels(found.Cases), found.Odd)
	}
	for name, want := range map[string]string{filepath.Join(dir, "missing.png"): "the file is missing", dir: "want a file, got a folder", "/dev/null": "want a file, got a device"} {
		if _, err := ReadFile(name); err == nil || !strings.HasPrefix(err.Error(), name+": "+want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
