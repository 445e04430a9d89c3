// Files to compare: results of the binaries and what other programs publish.

package compare

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/dataset"
	"repscope/internal/filename"
	"repscope/internal/gunzip"
	"repscope/internal/regular"
	"repscope/internal/tabular"
	"repscope/internal/text"
	"repscope/report"
	"repscope/tool/compare/tracker"
)

// File is one file of results.
type File struct {
	Path   string
	SHA256 string // of its bytes
	Task   string // empty where there is one task
	Run    string // of all its models that name none
	Layout string // "repscope/1", or which of the published ones
	// Analysis of a result file; empty for other layouts.
	Analysis   string
	Definition int
	// Meaning is the definition that rows name; empty for other layouts.
	Meaning string
	Inputs  []report.Input
	Options report.Object // of the run, or its evaluation_config
	Models  []*FileModel

	inside    bool                     // its task is one of several in the file
	summary   bool                     // its task sums up others: it is no task of its own
	described bool                     // models are compared by all its numbers
	metrics   map[string]report.Metric // that it describes, of other layouts
	notes     []string                 // how it was read
	lacks     []string                 // scores that it lacks

	hashes map[string]string // of the documents, by sample, of logged samples

	result   *report.Result // nil for other layouts
	samples  func() (*report.SampleTable, error)
	single   func() (*report.SampleTable, error)    // samples, where those are means of groups
	compared func() map[[3]string]report.Comparison // of the result, by path and models
}

// FileModel are the numbers of a model in one file.
type FileModel struct {
	Given   string // its name in the file
	Name    string // for the comparison
	Run     string
	Numbers []report.Named

	at    map[string]int    // of Numbers by path, where there are many; see find
	own   map[string]string // path in the file of a number that stands at another; see placeBaselines, call
	part  report.Object     // for skipped numbers; empty for other layouts
	file  *File
	alike []*FileModel // the same numbers in other files

	settled bool // what stands behind an @ in its name is no run
}

// number is the number at a path; ok is false where the model has none.
func (m *FileModel) number(path string) (report.Named, bool) {
	if i, ok := m.find(path); ok {
		return m.Numbers[i], true
	}
	if m.file.result == nil {
		return report.Named{}, false
	}
	v, err := m.part.Number(path) // skipped ones have a reason
	if err != nil || v.Defined() {
		return report.Named{}, false
	}
	return report.Named{Path: path, Value: v, Interval: report.NoInterval("%s", v.Reason)}, true
}

// fewNumbers are searched without a map: a table of scores has a model for every run.
const fewNumbers = 8

// find is the place of the last number of a path.
func (m *FileModel) find(path string) (int, bool) {
	if m.at != nil {
		i, ok := m.at[path]
		return i, ok
	}
	for i := len(m.Numbers) - 1; i >= 0; i-- {
		if m.Numbers[i].Path == path {
			return i, true
		}
	}
	return 0, false
}

func (m *FileModel) index() {
	if m.at = nil; len(m.Numbers) <= fewNumbers {
		return
	}
	m.at = make(map[string]int, len(m.Numbers))
	for i, n := range m.Numbers {
		m.at[n.Path] = i
	}
}

// The published layouts.
const (
	layoutMetrics    = "metrics"    // {"metrics": {x, x_std}, "evaluation_config"}
	layoutCheckpoint = "checkpoint" // {"checkpoint", "metrics": {…}}
	layoutDatasets   = "datasets"   // {dataset: {key: value}}
	layoutRows       = "rows"       // [{"id", "model", …}]
	layoutSamples    = "samples"    // CSV of scores per sample
	layoutTable      = "table"      // a long or wide table of scores
	layoutHarness    = "harness"    // {"results": {task: {"acc,none": …}}, …} of lm-evaluation-harness
	layoutEveryEval  = "everyeval"  // {"model_info": {…}, "evaluation_results": […]} of Every Eval Ever
	layoutLogged     = "logged"     // lines of {"doc_id": …, "acc": …}, samples_TASK_DATE.jsonl of lm-evaluation-harness
	layoutBenchmarks = "benchmarks" // output of go test -bench
)

// Layouts describes the layouts that are read, for messages.
const Layouts = `a result file (schema "` + report.Schema + `"), {"metrics": {…}, "evaluation_config": {…}}, ` +
	`{"checkpoint": …, "metrics": {…}}, ` +
	`{dataset: {key: value}}, a list of rows with "id" and "model", results or samples of lm-evaluation-harness, ` +
	`a record of Every Eval Ever, a table of scores (model, task, run, score; or model, sample, group), ` +
	`output of go test -bench, or a chart or history of Weights & Biases or runs of MLflow`

// Read reads one file. Datasets of one file are tasks, so there may be several. Errors
// name the file and the expected content.
func Read(path string) ([]*File, error) {
	report.Recover(filepath.Dir(path))
	return read(path, false, nil)
}

// read is Read; of what lies in a folder only files with a schema are looked at, and
// others are [report.ErrNotResult].
func read(path string, inFolder bool, tables *Tables) ([]*File, error) {
	data, err := content(path)
	if err != nil {
		return nil, regular.PathError(err)
	}
	foreign := inFolder && !hasSchema(data)
	if foreign && !strings.HasPrefix(filepath.Base(path), harnessPrefix) {
		return nil, report.ErrNotResult
	}
	sum := sha256.Sum256(data)
	if data, err = gunzip.Bytes(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files, err := readFrom(path, data, tables)
	if err != nil && foreign {
		return nil, report.ErrNotResult
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		f.SHA256 = hex.EncodeToString(sum[:])
	}
	return files, nil
}

// harnessPrefix begins the names of result files of lm-evaluation-harness, results_DATE.json.
const harnessPrefix = "results_"

// content are the bytes of a file, or the table of runs of a store of MLflow.
func content(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return tracker.Store(path)
	}
	return regular.Read(path, regular.Table)
}

// ReadFrom is Read for the bytes of a file.
func ReadFrom(path string, data []byte) ([]*File, error) { return readFrom(path, data, nil) }

func readFrom(path string, data []byte, tables *Tables) ([]*File, error) {
	data, err := dataset.TableText(path, data)
	if err != nil {
		return nil, err
	}
	if what, hint := storeOf(data); what != "" {
		return nil, text.WithHint(fmt.Errorf("%s: is %s; want a table of text or JSON", path, what), hint)
	}
	ending := strings.ToLower(filepath.Ext(gunzip.Name(path)))
	start := bytes.TrimLeft(bytes.TrimPrefix(data, []byte(tabular.Mark)), " \t\r\n")
	isJSON := ending == ".json" && !bytes.HasPrefix(start, []byte("model,sample,group")) || len(start) > 0 && (start[0] == '{' || start[0] == '[')
	isTable := dataset.IsTable(path)
	switch {
	case (isTable || !isJSON) && isBenchmarks(start):
		return readBenchmarks(path, data)
	case tracker.IsHistory(start):
		text, err := tracker.History(path, filename.Stem(gunzip.Name(path)), start)
		if err != nil {
			return nil, err
		}
		files, err := readTable(path, text, *cmp.Or(tables, &Tables{}))
		return files, noteLast(path, files, err)
	case isTable || !isJSON && hasCells(start):
		return readTable(path, data, *cmp.Or(tables, &Tables{}))
	}
	if hasSchema(data) {
		f, err := readResult(path, data)
		if err == nil || !errors.Is(err, report.ErrNotResult) || namesSchema(data) && !isFrame(path, data) {
			return []*File{f}, err
		}
	}
	records := func(text []byte, err error) ([]*File, error) {
		if err != nil {
			return nil, err
		}
		options := *cmp.Or(tables, &Tables{})
		options.records = true
		return readTable(path, text, options)
	}
	switch {
	case isLogged(start):
		return readLogged(path, data)
	case report.IsRecords(path, start):
		return records(report.Records(path, data))
	}
	v, err := report.Parse(path, data)
	if err != nil {
		return nil, text.WithHint(err, textHint(start))
	}
	if frame := report.Frame(v); frame != "" {
		return nil, report.FrameError(path, frame)
	}
	if list, ok := v.([]any); ok && len(list) > 0 && isRow(list[0]) && !isDocument(list[0]) {
		return records(report.RecordsOf(path, list, int64(len(data))))
	}
	return readPublished(path, v)
}

// isFrame reports whether a text is a table of pandas that is not written by rows.
func isFrame(path string, data []byte) bool {
	v, err := report.Parse(path, data)
	return err == nil && report.Frame(v) != ""
}

// isRow reports whether a value is a row of a table, and not the scores of a sample.
func isRow(v any) bool {
	o, ok := v.(report.Object)
	return ok && o.Len() > 0 && textOf(o, "id") == ""
}

// hasCells reports whether the first line of text has several cells.
func hasCells(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return bytes.ContainsAny(line, ",;\t|")
}

// hasSchema reports whether a file may be a result file.
func hasSchema(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 4096)], []byte(`"schema"`))
}

// namesSchema reports whether it says so at its beginning.
func namesSchema(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(data, " \t\r\n\ufeff"), []byte("{")), " \t\r\n"), []byte(`"schema"`))
}

// errNoModels says that a result has nothing to compare, such as evaluate's.
var errNoModels = errors.New("has no models")

func readResult(path string, data []byte) (*File, error) {
	r, err := report.ReadFrom(path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, Layout: report.Schema, Analysis: r.Analysis, Definition: r.Definition, Inputs: r.Inputs, Options: r.Options, result: r}
	f.Task, f.Run = textOf(r.Extra, "task"), textOf(r.Extra, "run")
	if r.Models.Len() == 0 {
		return nil, fmt.Errorf("%s: the result of %s %w", path, r.Analysis, errNoModels)
	}
	for _, name := range r.Models.Keys() {
		part, err := r.Model(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		f.add(name, slices.Collect(part.Estimates())).part = part
	}
	f.placeBaselines()
	f.samples = sync.OnceValues(func() (*report.SampleTable, error) { return readSamplesOf(path, r) })
	f.compared = sync.OnceValue(func() map[[3]string]report.Comparison {
		out := make(map[[3]string]report.Comparison, len(r.Comparisons))
		for _, c := range r.Comparisons {
			if key := [3]string{cmp.Or(c.Path, c.Metric), c.A, c.B}; out[key].A == "" {
				out[key] = c
			}
		}
		return out
	})
	return f, nil
}

// textOf is a member that is a text or a number, as text.
func textOf(o report.Object, key string) string {
	switch v, _ := o.Get(key); v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// add adds a model under the name that the file has for it.
func (f *File) add(name string, numbers []report.Named) *FileModel {
	m := &FileModel{Given: name, Name: name, Numbers: numbers, file: f}
	m.index()
	f.Models = append(f.Models, m)
	return m
}

// readSamplesOf reads the scores per sample that a result names.
func readSamplesOf(path string, r *report.Result) (*report.SampleTable, error) {
	if r.Samples == nil {
		return nil, nil
	}
	if r.Samples.File != filepath.Base(r.Samples.File) {
		return nil, fmt.Errorf("%s: its scores per sample are in %q, want the plain name of a file in the same folder", path, r.Samples.File)
	}
	file := filepath.Join(filepath.Dir(path), r.Samples.File)
	table, err := report.ReadSamples(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil // a result may be sent around without it
		}
		return nil, err
	}
	switch {
	case table.Rows() != r.Samples.Rows:
		return nil, fmt.Errorf("%s has %d rows, and %s says %d: one of them is incomplete or of another run", file, table.Rows(), path, r.Samples.Rows)
	case r.Samples.SHA256 != "" && table.SHA256 != r.Samples.SHA256:
		return nil, fmt.Errorf("%s is not the file that %s describes: its sha256 is %s, want %s", file, path, table.SHA256, r.Samples.SHA256)
	}
	return table, nil
}

// readSampleFile reads scores per sample that come without a result.
func readSampleFile(path string, data []byte) ([]*File, error) {
	table, err := report.ReadGraded(path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	switch {
	case len(table.Metrics) == 0:
		return nil, fmt.Errorf("%s: there is no column of a metric behind model, sample and group", path)
	case len(table.Models) == 0:
		return nil, fmt.Errorf("%s: there are no rows", path)
	}
	return []*File{ofSamples(path, layoutSamples, table)}, nil
}

// ofSamples makes means of scores per sample, with intervals over groups.
func ofSamples(path, layout string, table *report.SampleTable) *File {
	f := &File{Path: path, Layout: layout, samples: func() (*report.SampleTable, error) { return table, nil }}
	for i := range table.Models {
		m := &table.Models[i]
		var numbers []report.Named
		for k, metric := range table.Metrics {
			numbers = append(numbers, meanOf(metric, m.Scores[k], m.Group))
		}
		f.add(m.Model, numbers)
	}
	return f
}

// readPublished finds out which layout a JSON value has.
func readPublished(path string, v any) ([]*File, error) {
	switch v := v.(type) {
	case report.Object:
		return readObject(path, v)
	case []any:
		if len(v) > 0 && isDocument(v[0]) {
			return readLoggedList(path, v)
		}
		f, err := readRows(path, v)
		return []*File{f}, err
	}
	return nil, fmt.Errorf("%s: want %s, got a single value", path, Layouts)
}

func readObject(path string, o report.Object) ([]*File, error) {
	metrics, hasMetrics := o.Get("metrics")
	if hasMetrics {
		part, ok := metrics.(report.Object)
		if !ok {
			return nil, fmt.Errorf(`%s: "metrics" is not an object of numbers; want %s`, path, Layouts)
		}
		f := &File{Path: path, Layout: layoutMetrics, Task: textOf(o, "task"), Run: textOf(o, "run")}
		name := filename.Stem(path)
		if checkpoint := textOf(o, "checkpoint"); checkpoint != "" {
			f.Layout, name = layoutCheckpoint, filename.Stem(strings.ReplaceAll(checkpoint, `\`, "/"))
		}
		if model := textOf(o, "model"); model != "" {
			name = model
		}
		if config, _ := o.Get("evaluation_config"); config != nil {
			f.Options, _ = config.(report.Object)
		}
		return []*File{f}, f.addNumbers(path, name, part)
	}
	if isHarness(o) {
		return readHarness(path, o)
	}
	if isEveryEval(o) {
		return readEveryEval(path, o)
	}
	var files []*File
	for _, dataset := range o.Keys() {
		value, _ := o.Get(dataset)
		part, ok := value.(report.Object)
		if !ok {
			return nil, fmt.Errorf("%s: %q is no object of numbers; want %s", path, dataset, Layouts)
		}
		f := &File{Path: path, Layout: layoutDatasets, Task: dataset, inside: true}
		if err := f.addNumbers(path, filename.Stem(path), part); err != nil {
			return nil, fmt.Errorf("%w (dataset %q)", err, dataset)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: an empty object; want %s", path, Layouts)
	}
	return files, nil
}

// addNumbers adds a model with the numbers of an object.
func (f *File) addNumbers(path, name string, part report.Object) error {
	numbers := slices.Collect(part.Estimates())
	if len(numbers) == 0 {
		return fmt.Errorf("%s: there are no numbers; want %s", path, Layouts)
	}
	f.add(name, numbers)
	return nil
}

// readRows reads a list of rows with id and model: scores per sample. Of steps on the way to a
// sample (snapshot_num) the last counts.
func readRows(path string, rows []any) (*File, error) {
	r := &rowReader{path: path, models: map[string]int{}, metrics: map[string]int{}, seen: map[string]bool{}}
	all := make([]report.Object, len(rows))
	for i, item := range rows {
		row, ok := item.(report.Object)
		if !ok {
			return nil, fmt.Errorf("%s: row %d is no object; want %s", path, i, Layouts)
		}
		all[i] = row
	}
	early, err := r.steps(all)
	if err != nil {
		return nil, err
	}
	for i, row := range all {
		if early[i] {
			continue
		}
		if err := r.row(i, row); err != nil {
			return nil, err
		}
	}
	if len(r.table.Models) == 0 || len(r.table.Metrics) == 0 {
		return nil, fmt.Errorf("%s: no row has a number next to its id; want %s", path, Layouts)
	}
	for i := range r.table.Models {
		m := &r.table.Models[i]
		for len(m.Scores) < len(r.table.Metrics) {
			m.Scores = append(m.Scores, nil)
		}
		for k, scores := range m.Scores {
			m.Scores[k] = padded(scores, len(m.Sample))
		}
	}
	if len(r.definitions) > 1 {
		return nil, fmt.Errorf("%s: rows follow the definitions %s: their means would mean nothing", path, strings.Join(r.definitions, " and "))
	}
	f := ofSamples(path, layoutRows, &r.table)
	f.Meaning = strings.Join(r.definitions, "")
	return f, nil
}

// snapshotKey numbers the steps on the way to a sample; finished samples have null.
const snapshotKey = "snapshot_num"

// steps finds rows of steps that are followed by others of the same sample and model.
func (r *rowReader) steps(rows []report.Object) (early map[int]bool, err error) {
	early = map[int]bool{}
	last, index := map[string]float64{}, map[string]int{}
	for i, row := range rows {
		step, isStep := row.Get(snapshotKey)
		if !isStep {
			continue
		}
		number := math.Inf(1)
		switch step := step.(type) {
		case nil:
		case json.Number:
			if number, err = step.Float64(); err != nil {
				return nil, fmt.Errorf("%s: row %d: %s is %s, beyond the range of numbers", r.path, i, snapshotKey, step)
			}
		default:
			return nil, fmt.Errorf("%s: row %d: %s is %v, want a number or null", r.path, i, snapshotKey, step)
		}
		key := textOf(row, "model") + "\x00" + textOf(row, "id")
		if before, ok := last[key]; ok && before == number {
			continue // twice the same, which is found later
		} else if ok && before > number {
			early[i] = true
			continue
		} else if ok {
			early[index[key]] = true
		}
		last[key], index[key] = number, i
	}
	return early, nil
}

// rowReader collects rows of all models.
type rowReader struct {
	path            string
	table           report.SampleTable
	models, metrics map[string]int
	seen            map[string]bool // model and id
	definitions     []string        // that rows name
}

// groupNames are members that say which rows depend on each other.
var groupNames = []string{"group", "episode"}

func (r *rowReader) row(i int, row report.Object) error {
	id, model := textOf(row, "id"), textOf(row, "model")
	if id == "" || model == "" {
		return fmt.Errorf(`%s: row %d has no "id" or no "model"; want %s`, r.path, i, Layouts)
	}
	if key := model + "\x00" + id; r.seen[key] {
		return fmt.Errorf("%s: row %d: %s has the id %q twice", r.path, i, model, id)
	} else {
		r.seen[key] = true
	}
	index, ok := r.models[model]
	if !ok {
		index = len(r.table.Models)
		r.models[model] = index
		r.table.Models = append(r.table.Models, report.ModelSamples{Model: model})
	}
	m := &r.table.Models[index]
	group := id // without groups every row is one
	for _, name := range groupNames {
		if text := textOf(row, name); text != "" {
			group = text
		}
	}
	if text := textOf(row, "definition"); text != "" && !slices.Contains(r.definitions, text) {
		r.definitions = append(r.definitions, text)
	}
	for _, key := range row.Keys() {
		if key == "id" || key == snapshotKey || slices.Contains(groupNames, key) {
			continue
		}
		value, _ := row.Get(key)
		number, isNumber := value.(json.Number)
		if !isNumber && (value != nil || r.metrics[key] == 0) {
			continue
		}
		k, seen := r.metrics[key]
		if !seen {
			r.table.Metrics = append(r.table.Metrics, key)
			k = len(r.table.Metrics)
			r.metrics[key] = k // from 1
		}
		for len(m.Scores) < k {
			m.Scores = append(m.Scores, nil)
		}
		score := math.NaN()
		if isNumber {
			var err error
			if score, err = strconv.ParseFloat(number.String(), 64); err != nil {
				return fmt.Errorf("%s: row %d: %s is %s, beyond the range of numbers", r.path, i, key, number)
			}
		}
		m.Scores[k-1] = append(padded(m.Scores[k-1], len(m.Sample)), score)
	}
	m.Sample, m.Group = append(m.Sample, id), append(m.Group, group)
	return nil
}

// padded fills scores up to a length with undefined ones.
func padded(scores []float64, n int) []float64 {
	for len(scores) < n {
		scores = append(scores, math.NaN())
	}
	return scores
}
