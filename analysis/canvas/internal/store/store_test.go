// Tests that rows of cases outlive runs: of other cases, of other metrics, and runs that are
// interrupted.

package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/faketest"
	"repscope/analysis/canvas/internal/source"
	"repscope/report"
)

// storeRun is a run over fake files that keeps its rows in a folder.
type storeRun struct {
	dir        string
	of         *faketest.Run
	definition string
	only       []string // metrics; nil: all
	skipped    map[string]string
	resume     bool
	steps      bool
	reports    bool
	workers    int
	stop       int // cases after which it is interrupted; 0: never

	mu       sync.Mutex
	computed map[string]int // metrics, by name
	result   *canvas.Result
}

var errStopped = errors.New("stopped")

// kinds are the fake ones, which are counted.
func (r *storeRun) kinds() []canvas.Kind {
	all := faketest.Kinds()
	for i := range all {
		score, name := all[i].Score, all[i].Name
		all[i].Score = func(p *canvas.Pair, row *canvas.Row) error {
			r.mu.Lock()
			r.computed[name]++
			r.mu.Unlock()
			return score(p, row)
		}
	}
	return all
}

// run runs it, and writes the files unless it is interrupted.
func (r *storeRun) run(t *testing.T) error {
	t.Helper()
	r.computed = map[string]int{}
	definition := r.definition
	if definition == "" {
		definition = canvas.DefinitionDefault
	}
	settings := &canvas.Setting{Definition: definition, Reports: r.reports}
	digests := source.NewDigests(r.of.Read)
	all := r.kinds()
	chosen := slices.DeleteFunc(slices.Clone(all), func(k canvas.Kind) bool { return r.only != nil && !slices.Contains(r.only, k.Name) })
	s := &Store{Dir: r.dir, Settings: settings, Kinds: chosen, All: all, Cases: r.of.Cases, Skipped: r.skipped, Resume: r.resume, Steps: r.steps, Digests: digests}
	if err := s.Open(true); err != nil {
		return err
	}
	in, done := r.of.Input, 0
	in.Read = digests.Read
	o := canvas.Options{Setting: settings, Kinds: chosen, Workers: max(1, r.workers), Known: s.Known, Done: func(i int, row *canvas.CaseRow) error {
		if r.stop > 0 && done == r.stop {
			return errStopped
		}
		done++
		return s.Done(i, row)
	}}
	result, err := canvas.Analyze(context.Background(), in, o)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	r.result = result
	files, err := report.Begin(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Abort()
	if err := s.Write(files); err != nil {
		t.Fatal(err)
	}
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	return s.Finish()
}

// must runs it to its end.
func (r *storeRun) must(t *testing.T) *storeRun {
	t.Helper()
	if err := r.run(t); err != nil {
		t.Fatal(err)
	}
	return r
}

// contents are the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// rowsOf are the rows of a file as encoding/json reads them, by id, model and step.
func rowsOf(t *testing.T, dir, name string) map[string]map[string]any {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal([]byte(contents(t, dir)[name]), &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]any{}
	for _, row := range list {
		key := fmt.Sprint(row["id"], " ", row["model"])
		if row["snapshot_num"] != nil {
			key += fmt.Sprint(" ", row["snapshot_num"])
		}
		if out[key] != nil {
			key += fmt.Sprint(" ", row["definition"])
		}
		out[key] = row
	}
	return out
}

func TestStoreResumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := (&storeRun{dir: dir, of: faketest.Tree()}).must(t)
	first, whole := contents(t, dir), faketest.TextOf(t)(r.result)
	if got := slices.Sorted(maps.Keys(first)); !slices.Equal(got, []string{ResultsFile, baseFile}) {
		t.Fatalf("files: %v", got)
	}
	row := rowsOf(t, dir, ResultsFile)["gid2-4 large"]
	if row["quality"] == nil || row["double"] != row["quality"].(float64)*2 || row["calls"] != 3.0 || row["quality_improvement"] == nil ||
		len(row["words"].([]any)) != 3 || row["definition"] != "default" {
		t.Errorf("row: %v", row)
	}
	failed := rowsOf(t, dir, ResultsFile)["gid3-9 large"]
	if reasons := failed["reasons"].(map[string]any); failed["quality"] != nil || reasons["quality"] != "gid3-9-large.json: no such file" ||
		reasons["double"] != "quality: gid3-9-large.json: no such file" || reasons["quality_improvement"] == nil {
		t.Errorf("failed row: %v", failed)
	}
	if base := rowsOf(t, dir, baseFile); len(base) != 9 || base["gid2-4 base"]["quality"] != 0.2 {
		t.Errorf("base rows: %v", base)
	}

	again := (&storeRun{dir: dir, of: faketest.Tree(), resume: true, workers: 3}).must(t)
	if diff := cmp.Diff(first, contents(t, dir)); diff != "" {
		t.Errorf("a resumed run changed files (−first +resumed):\n%s", diff)
	}
	if got := faketest.TextOf(t)(again.result); !bytes.Equal(got, whole) {
		t.Errorf("a resumed run has other results:\n%s", cmp.Diff(string(whole), string(got)))
	}
	// What failed is tried again, and what is derived of other numbers costs nothing.
	if want := map[string]int{"quality": 2, "double": 36}; !maps.Equal(again.computed, want) {
		t.Errorf("a resumed run computed %v, want %v", again.computed, want)
	}
}

// Only what is of other files is computed anew.
func TestStoreSeesChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	(&storeRun{dir: dir, of: faketest.Tree()}).must(t)
	changed := faketest.Tree()
	changed.Files["gid2-4-large.json"] = "quality=0.125 new"
	changed.Files["gid3-9-large.json"] = "quality=0.25 there"
	changed.Files["gid4-16-base.json"] = "quality=0.5 base"
	r := (&storeRun{dir: dir, of: changed, resume: true}).must(t)
	if r.computed["quality"] != 4 || r.computed["calls"] != 0 { // the two, one that fails again, a base
		t.Errorf("computed %v", r.computed)
	}
	fresh := t.TempDir()
	again := faketest.Tree()
	again.Files = maps.Clone(changed.Files)
	(&storeRun{dir: fresh, of: again}).must(t)
	if diff := cmp.Diff(contents(t, fresh), contents(t, dir)); diff != "" {
		t.Errorf("after changes (−one run +resumed):\n%s", diff)
	}
}

// A run of some cases keeps the rows of all others, with whatever other programs entered.
func TestStoreKeepsOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	(&storeRun{dir: dir, of: faketest.Tree()}).must(t)
	path := filepath.Join(dir, ResultsFile)
	text := strings.Replace(contents(t, dir)[ResultsFile], `"id": "gid2-4",`, `"id": "gid2-4", "comment": "by hand", "rated": 1.50,`, 3)
	text = strings.Replace(text, "[\n", "[\n{\"id\": 7, \"model\": \"other\", \"score\": NaN},\n", 1)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	some := faketest.Tree()
	some.Cases = slices.DeleteFunc(some.Cases, func(c source.Case) bool { return c.Sample != "gid2-4" || c.Model == "small" })
	some.Files["gid2-4-large.json"] = "quality=0.5 new"
	(&storeRun{dir: dir, of: some}).must(t)
	after := rowsOf(t, dir, ResultsFile)
	if len(after) != 28 || after["7 other"] == nil {
		t.Fatalf("%d rows", len(after))
	}
	if row := after["gid2-4 large"]; row["quality"] != 0.5 || row["comment"] != "by hand" || row["rated"] != 1.5 {
		t.Errorf("row that was computed again: %v", row)
	}
	if row := after["gid2-4 small"]; row["comment"] != "by hand" || row["quality"] == nil {
		t.Errorf("row that was not chosen: %v", row)
	}
	if !strings.Contains(contents(t, dir)[ResultsFile], `"rated": 1.50`) {
		t.Error("a number of another program is written otherwise")
	}
}

// Whatever a journal that was cut off holds, the rest is computed and the outcome is that of one
// run; so it is of runs that stop anywhere, one after the other.
func TestStoreInterrupted(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	(&storeRun{dir: whole, of: faketest.Tree()}).must(t)
	want := contents(t, whole)

	dir := t.TempDir()
	for stop := range 4 {
		r := &storeRun{dir: dir, of: faketest.Tree(), resume: true, stop: 1 + 5*stop, workers: 1 + stop}
		if err := r.run(t); !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
	}
	journal, err := os.ReadFile(filepath.Join(dir, JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	(&storeRun{dir: dir, of: faketest.Tree(), resume: true, workers: 2}).must(t)
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("after interruptions (−one run +resumed):\n%s", diff)
	}

	for cut := 0; cut <= len(journal); cut += 1 + len(journal)/40 {
		killed := t.TempDir()
		if err := os.WriteFile(filepath.Join(killed, JournalFile), journal[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		r := &storeRun{dir: killed, of: faketest.Tree(), resume: true, stop: 3}
		if err := r.run(t); !errors.Is(err, errStopped) { // writes behind what was cut off
			t.Fatal(err)
		}
		r = (&storeRun{dir: killed, of: faketest.Tree(), resume: true}).must(t)
		if diff := cmp.Diff(want, contents(t, killed)); diff != "" {
			t.Fatalf("killed after %d bytes of the journal (−one run +resumed):\n%s", cut, diff)
		}
		if rows := bytes.Count(journal[:cut], []byte{'\n'}); cut > len(journal)/2 && r.computed["quality"] > 36-rows+2 {
			t.Errorf("%d rows were kept, and %v computed", rows, r.computed)
		}
	}
}

// A journal is taken in by a run that does not resume too: rows of cases that it does not choose
// are not lost.
func TestStoreTakesJournalIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := (&storeRun{dir: dir, of: faketest.Tree(), stop: 4}).run(t); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	one := faketest.Tree()
	one.Cases = one.Cases[20:21]
	(&storeRun{dir: dir, of: one}).must(t)
	if rows := rowsOf(t, dir, ResultsFile); len(rows) != 5 {
		t.Errorf("%d rows, want 4 of the journal and the one", len(rows))
	}
	if _, err := os.Stat(filepath.Join(dir, JournalFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is left: %v", err)
	}
}

// What a run skips it keeps, and takes into its means, if it is of the same files and definition.
func TestStoreSkips(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	full := (&storeRun{dir: dir, of: faketest.Tree()}).must(t)
	first := contents(t, dir)
	skip := map[string]string{"quality": "skipped"}
	r := (&storeRun{dir: dir, of: faketest.Tree(), skipped: skip}).must(t)
	if r.computed["quality"] != 0 || r.computed["calls"] == 0 {
		t.Errorf("computed %v", r.computed)
	}
	got := rowsOf(t, dir, ResultsFile)
	if err := os.WriteFile(filepath.Join(dir, ResultsFile), []byte(first[ResultsFile]), 0o666); err != nil {
		t.Fatal(err)
	}
	want := rowsOf(t, dir, ResultsFile)
	for _, failing := range []string{"gid3-9 large", "gid5-25 small"} { // computed they never were
		delete(got, failing)
		delete(want, failing)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a metric that is skipped changed rows:\n%s", diff)
	}
	if v, w := r.result.Rows[0].Row.Values["quality"], full.result.Rows[0].Row.Values["quality"]; v != w {
		t.Errorf("the kept value is %v, want %v", v, w)
	}

	changed := faketest.Tree()
	changed.Files["gid0-0-small.json"] = "quality=0.9 another"
	(&storeRun{dir: dir, of: changed, skipped: skip}).must(t)
	row := rowsOf(t, dir, ResultsFile)["gid0-0 small"]
	if row["quality"] != nil || row["reasons"].(map[string]any)["quality"] != "skipped" || row["words"] != nil {
		t.Errorf("the value of another file is kept: %v", row)
	}
	(&storeRun{dir: dir, of: changed, resume: true}).must(t)
	if row := rowsOf(t, dir, ResultsFile)["gid0-0 small"]; row["quality"] != 0.9 {
		t.Errorf("what was skipped is not computed later: %v", row)
	}
}

// Metrics that are not chosen stay in the rows, those of other files or of other numbers do not.
func TestStoreOfSomeMetrics(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	(&storeRun{dir: dir, of: faketest.Tree()}).must(t)
	(&storeRun{dir: dir, of: faketest.Tree(), only: []string{"calls"}}).must(t)
	row := rowsOf(t, dir, ResultsFile)["gid2-4 large"]
	if row["quality"] == nil || row["double"] == nil || row["words"] == nil || row["calls"] != 3.0 || row["quality_improvement"] == nil || row["double_improvement"] == nil {
		t.Errorf("row: %v", row)
	}
	changed := faketest.Tree()
	changed.Files["gid2-4-large.json"] = "quality=0.5 new"
	(&storeRun{dir: dir, of: changed, only: []string{"quality"}}).must(t)
	row = rowsOf(t, dir, ResultsFile)["gid2-4 large"]
	if _, stale := row["double"]; stale || row["quality"] != 0.5 || row["calls"] != 3.0 {
		t.Errorf("row of another file: %v", row)
	}
	if row := rowsOf(t, dir, ResultsFile)["gid2-4 small"]; row["double"] == nil {
		t.Errorf("what follows from the same numbers is lost: %v", row)
	}
}

// A run by another definition replaces the rows; one that resumes leaves them where they are.
func TestStoreDefinitions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	(&storeRun{dir: dir, of: faketest.Tree()}).must(t)
	(&storeRun{dir: dir, of: faketest.Tree(), definition: canvas.DefinitionDocumented, resume: true}).must(t)
	rows := rowsOf(t, dir, ResultsFile)
	if len(rows) != 54 || rows["gid2-4 large documented"] == nil || rows["gid2-4 large"]["definition"] != "default" {
		t.Errorf("%d rows", len(rows))
	}
	if row := rows["gid2-4 large documented"]; row["tool_accuracy"] != nil || row["reasons"].(map[string]any)["tool_accuracy"] == nil {
		t.Errorf("published name: %v", row)
	}
	(&storeRun{dir: dir, of: faketest.Tree(), definition: canvas.DefinitionPublished}).must(t)
	if rows = rowsOf(t, dir, ResultsFile); len(rows) != 27 || rows["gid2-4 large"]["definition"] != "published" {
		t.Errorf("%d rows after a run that replaces", len(rows))
	}
}

// Rows of other programs have published names and say nothing of their inputs.
func TestStoreForeignRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const foreign = `[{"id": "gid2-4", "model": "large", "snapshot_num": null, "quality": 0.75, "calls": null, "pixel_fidelity": 0.5, "precision": 1.0},
		{"id": "gid9-9", "model": "large", "quality": NaN}]`
	if err := os.WriteFile(filepath.Join(dir, ResultsFile), []byte(foreign), 0o666); err != nil {
		t.Fatal(err)
	}
	(&storeRun{dir: dir, of: faketest.Tree(), definition: canvas.DefinitionPublished, resume: true, skipped: map[string]string{"quality": "skipped"}}).must(t)
	rows := rowsOf(t, dir, ResultsFile)
	if row := rows["gid2-4 large"]; len(rows) != 28 || row["quality"] != 0.75 || row["calls"] != 3.0 || row["pixel_fidelity"] != 0.5 || row["precision"] != 1.0 {
		t.Errorf("%d rows, %v", len(rows), row)
	}
	(&storeRun{dir: dir, of: faketest.Tree(), definition: canvas.DefinitionPublished, resume: true}).must(t)
	if row := rowsOf(t, dir, ResultsFile)["gid2-4 large"]; row["quality"] == 0.75 || row["pixel_fidelity"] != 0.5 {
		t.Errorf("what is computed is not entered: %v", row)
	}
}

// Steps have a file of their own, beside the final designs.
func TestStoreSnapshots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := faketest.Tree()
	step := f.Cases[0]
	step.Snapshot, step.Base = 10, source.Side{}
	f.Cases = append(f.Cases, step)
	step.Snapshot = 9
	f.Cases = append(f.Cases, step)
	(&storeRun{dir: dir, of: f, steps: true}).must(t)
	if n, of := len(rowsOf(t, dir, ResultsFile)), len(rowsOf(t, dir, snapshotsFile)); n != 27 || of != 29 {
		t.Errorf("%d and %d rows", n, of)
	}
	if text := contents(t, dir)[snapshotsFile]; strings.Index(text, `"snapshot_num": 9`) > strings.Index(text, `"snapshot_num": 10`) {
		t.Error("step 10 stands before step 9")
	}
	r := (&storeRun{dir: dir, of: f, steps: true, resume: true}).must(t)
	if r.computed["quality"] != 2 {
		t.Errorf("computed %v", r.computed)
	}
	one := faketest.Tree()
	one.Cases = one.Cases[:1]
	one.Files["gid0-0-small.json"] = "quality=0.5 new"
	(&storeRun{dir: dir, of: one}).must(t)
	for _, name := range []string{ResultsFile, snapshotsFile} {
		if row := rowsOf(t, dir, name)["gid0-0 small"]; row["quality"] != 0.5 {
			t.Errorf("%s has an old row: %v", name, row)
		}
	}
}

// With reports asked for, what an earlier run computed without writing them is computed again.
func TestStoreReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	few := faketest.Tree()
	few.Cases = few.Cases[:2]
	(&storeRun{dir: dir, of: few}).must(t)
	if r := (&storeRun{dir: dir, of: few, resume: true, reports: true}).must(t); r.computed["quality"] != 2 {
		t.Errorf("computed %v: there were no reports", r.computed)
	}
	if r := (&storeRun{dir: dir, of: few, resume: true, reports: true}).must(t); r.computed["quality"] != 2 {
		t.Errorf("computed %v: the reports are gone", r.computed)
	}
	for i := range few.Cases {
		folder := filepath.Join(dir, ReportFolder(&few.Cases[i]))
		if err := errors.Join(os.MkdirAll(folder, 0o777), os.WriteFile(filepath.Join(folder, "quality.json"), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if r := (&storeRun{dir: dir, of: few, resume: true, reports: true}).must(t); r.computed["quality"] != 0 {
		t.Errorf("computed %v: the reports are there", r.computed)
	}
}

// Files that are no rows are errors, and stay as they are.
func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: "the file is empty", `[{"id": "a", "model": "b"}`: "truncated", `{"id": "a"}`: "not a list of rows", `[7]`: "row 0 is not an object", `[{"id": "a"}]`: `row 0: "model" is missing`,
		`[{"id": "a", "model": ["b"]}]`: `"model" is not a text`, `[{"id": "a", "model": "b", "snapshot_num": -2}]`: "snapshot_num is -2", `[{"id": "a", "model": "b", "snapshot_num": "x"}]`: "neither a number nor null",
		`[{"id": "a", "id": "b"}]`: "twice", "\x00\x01": "JSON",
	} {
		for _, name := range RowFiles {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			err := (&storeRun{dir: dir, of: faketest.Tree()}).run(t)
			if err == nil || !strings.Contains(err.Error(), "the file is not overwritten") || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %q: %v", name, text, err)
			}
			if name == ResultsFile && err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
			if got := contents(t, dir); len(got) != 1 || got[name] != text {
				t.Errorf("%q: the folder has %v", text, got)
			}
		}
	}
}

func TestStoreLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := openJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(dir); err == nil || !strings.Contains(err.Error(), "another run is writing into this folder") {
		t.Errorf("two runs at once: %v", err)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); len(got) != 0 {
		t.Errorf("an empty journal is left: %v", got)
	}
}
