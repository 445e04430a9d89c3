// Tests of what a study says it would do.

package evaluate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree lists the files of a folder with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		files[path] = ""
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			files[path] = string(data)
		}
		return nil
	})
	return files
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	dir, p := suiteFolder(t, twoDatasets), &probe{}
	before := tree(t, dir)
	code, stdout, stderr := evaluate(t, p, dir, "--dry-run", "--skip", "y")
	if code != 0 || len(p.runs) > 0 || !strings.Contains(stdout, "run        x/first\n           because: not done before\n           writes "+filepath.Join(dir, "out/x/first")+": first.json\n") ||
		!strings.Contains(stdout, "left out   y/second\n           because: --only or --skip\n") || !strings.Contains(stdout, "2 to run, 0 unchanged, 1 left out") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if after := tree(t, dir); len(after) != len(before) {
		t.Errorf("something was written: %d files, were %d", len(after), len(before))
	}
	if code, _, stderr := evaluate(t, p, dir); code != 0 {
		t.Fatal(stderr)
	}
	suite := filepath.Join(dir, "s.yaml")
	data, err := os.ReadFile(suite)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(suite, []byte(strings.Replace(string(data), "first: {k: [1, 2]}", "first: {k: 7}", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	before = tree(t, dir)
	_, stdout, _ = evaluate(t, p, dir, "--dry-run", "--json")
	var plan struct{ Tasks []plannedTask }
	if err := json.Unmarshal([]byte(stdout), &plan); err != nil {
		t.Fatal(err, stdout)
	}
	states := []string{}
	for _, task := range plan.Tasks {
		states = append(states, task.State)
	}
	if !slices.Equal(states, []string{"run", "unchanged", "unchanged"}) || !slices.Equal(plan.Tasks[0].Reasons, []string{"option k: 7, was 1,2"}) {
		t.Errorf("%s", stdout)
	}
	after := tree(t, dir)
	for path, text := range after {
		if before[path] != text {
			t.Errorf("%s was written", path)
		}
	}
	if len(after) != len(before) || len(p.runs) != 3 {
		t.Errorf("%d files, were %d; %d runs", len(after), len(before), len(p.runs))
	}
}
