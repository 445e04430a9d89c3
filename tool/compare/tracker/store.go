// The file store of MLflow.

package tracker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/regular"
	"repscope/internal/samefile"
)

// The columns of a table of runs, and what their names begin with.
const (
	RunID   = "run_id"
	RunName = "tags.mlflow.runName"
	Metrics = "metrics."
	Params  = "params."
)

// IsSearch reports whether columns come from MLflow's search_runs.
func IsSearch(names []string) bool {
	return slices.Contains(names, RunID) && slices.ContainsFunc(names,
		func(name string) bool { return strings.HasPrefix(name, Metrics) })
}

const (
	metaFile  = "meta.yaml"
	mostRuns  = 1 << 14
	mostText  = 1 << 20 // bytes of a name or a parameter
	mostFiles = 1 << 20
)

// deleted is the line of meta.yaml of a run that is deleted.
var deleted = regexp.MustCompile(`(?m)^lifecycle_stage: ['"]?deleted['"]?\s*$`)

// IsStore reports whether a folder is a store, or an experiment or a run of one.
func IsStore(dir string) bool {
	for _, pattern := range []string{metaFile, "*/" + metaFile} {
		if found, err := filepath.Glob(filepath.Join(escaped(dir), pattern)); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// Holds reports whether a new file would become a metric, parameter or tag of a run in a store.
func Holds(dir, file string) bool {
	inside, err := samefile.Inside(dir, file)
	if err != nil || inside == "" || !IsStore(dir) {
		return false
	}
	folders := strings.Split(filepath.Dir(inside), string(filepath.Separator))
	return slices.ContainsFunc(folders, func(name string) bool {
		return name == "metrics" || name == "params" || name == "tags"
	})
}

// FilesOf are the files in a store; none of other folders.
func FilesOf(dir string) []string {
	if !IsStore(dir) {
		return nil
	}
	return samefile.Below(dir)
}

// escaped is a path whose signs mean themselves in a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(path)
}

// Store returns the runs in and below a folder in the order of their paths, with the columns run_id,
// tags.mlflow.runName, metrics.NAME and params.NAME. A metric is its value at the largest step, of equal ones at the
// latest time. Runs whose meta.yaml says that they are deleted are left out. Errors, with the file: a line that is not
// "time value step", no runs, more than 16,384.
func Store(dir string) ([]byte, error) {
	var runs []string
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		files++
		switch {
		case err != nil:
			return err
		case files > mostFiles:
			return fmt.Errorf("%s: there are more than %d files; give the folder of an experiment", dir, mostFiles)
		case d.IsDir() && (d.Name() == ".trash" || d.Name() == "artifacts"):
			return filepath.SkipDir
		case !d.IsDir() || d.Name() != "metrics":
			return nil
		}
		run := filepath.Dir(path)
		if _, err := os.Lstat(filepath.Join(run, metaFile)); err == nil {
			runs = append(runs, run)
		}
		return filepath.SkipDir
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(runs)
	switch {
	case len(runs) == 0:
		return nil, fmt.Errorf("%s: no run in it has metrics; want a folder mlruns, or the folder of an experiment",
			dir)
	case len(runs) > mostRuns:
		return nil, fmt.Errorf("%s: it has %d runs, want at most %d; give the folder of an experiment", dir,
			len(runs), mostRuns)
	}
	t := &table{}
	for _, run := range runs {
		meta, err := regular.Read(filepath.Join(run, metaFile), mostText)
		if err != nil {
			return nil, err
		}
		if deleted.Match(meta) {
			continue
		}
		if err := t.run(run); err != nil {
			return nil, err
		}
	}
	if len(t.rows) == 0 {
		return nil, fmt.Errorf("%s: all its runs are deleted", dir)
	}
	return t.text()
}

// run adds the row of a run.
func (t *table) run(dir string) error {
	t.rows = append(t.rows, map[int]string{})
	if err := t.set(RunID, filepath.Base(dir)); err != nil {
		return err
	}
	name := filepath.Base(dir)
	tag, err := regular.Read(filepath.Join(dir, "tags", "mlflow.runName"), mostText)
	if err == nil && strings.TrimSpace(string(tag)) != "" {
		name = strings.TrimSpace(string(tag))
	}
	if err := t.set(RunName, name); err != nil {
		return err
	}
	for _, kind := range []struct{ folder, column string }{{"params", Params}, {"metrics", Metrics}} {
		root := filepath.Join(dir, kind.folder)
		if _, err := os.Stat(root); err != nil {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			inside, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			cell, err := entry(path, kind.column == Metrics)
			if err != nil {
				return err
			}
			return t.set(kind.column+filepath.ToSlash(inside), cell)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// entry is a parameter, or the last value of a metric.
func entry(path string, metric bool) (string, error) {
	limit := int64(mostText)
	if metric {
		limit = regular.Table
	}
	data, err := regular.Read(path, limit)
	if err != nil {
		return "", err
	}
	if !metric {
		return strings.TrimSpace(string(data)), nil
	}
	value := last{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		numbers := [3]float64{}
		ok := len(fields) >= 2
		for i := range min(len(fields), len(numbers)) { // later fields name datasets
			v, err := strconv.ParseFloat(fields[i], 64)
			numbers[i], ok = v, ok && err == nil
		}
		if !ok {
			return "", fmt.Errorf("%s:%d: %q, want a time, a value and a step", path, number, strings.TrimSpace(line))
		}
		value.see(numbers[2], numbers[0], numbers[1])
	}
	if !value.known {
		return "", nil
	}
	return shortest(value.value), nil
}
