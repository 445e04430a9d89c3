// Scores per sample that lm-evaluation-harness logs: samples_TASK_DATE.jsonl.

package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repscope/internal/filename"
	"repscope/internal/gunzip"
	"repscope/internal/text"
	"repscope/report"
)

// loggedName matches the name of a file of logged samples: the task, and the time at which the evaluation ended.
var loggedName = regexp.MustCompile(`^samples_(.+?)(?:_([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[.-][0-9]+)?))?\.jsonl?$`)

// loggedHigher are metrics of the harness that are better if higher, besides the well-known ones: results state the
// direction, logged samples do not.
var loggedHigher = []string{"acc", "acc_norm", "acc_bytes", "acc_all", "acc_mutual_info", "exact_match", "exact", "em", "f1", "mcc",
	"prompt_level_strict_acc", "prompt_level_loose_acc", "pass@1", "pass_at_1"}

// notScores are members of a logged sample that are numbers and no scores.
var notScores = []string{"doc_id", "native_id", "repeat", "repeats", "idx", "index"}

// isLogged reports whether the first line of a file is an object with the number of a document.
func isLogged(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.Contains(line, []byte(`"doc_id"`)) {
		return false
	}
	v, err := report.Parse("", line)
	return err == nil && isDocument(v)
}

// isDocument reports whether a value is a logged sample.
func isDocument(v any) bool {
	o, ok := v.(report.Object)
	return ok && idOf(get(o, "doc_id")) != ""
}

// sampleLog reads one file of logged samples.
type sampleLog struct {
	path   string
	docs   map[string]int // places of the samples
	hashes map[string]string
	order  []string
	paths  []string // of the metrics
	scores map[string]map[string]float64
	filter bool // some sample has one
}

// readLogged reads the samples of a task, one object a line. The model is called as the folder of the file; the
// task is in the name of the file.
func readLogged(path string, data []byte) ([]*File, error) {
	l := newSampleLog(path)
	if err := report.EachLine(path, data, l.sample); err != nil {
		return nil, err
	}
	return l.file()
}

// readLoggedList reads a list of samples, as versions before 0.4.3 wrote it.
func readLoggedList(path string, list []any) ([]*File, error) {
	l := newSampleLog(path)
	for i, v := range list {
		if err := l.sample(fmt.Sprintf("%s: sample %d of the list", path, i), v); err != nil {
			return nil, err
		}
	}
	return l.file()
}

func newSampleLog(path string) *sampleLog {
	return &sampleLog{path: path, docs: map[string]int{}, hashes: map[string]string{}, scores: map[string]map[string]float64{}}
}

// file has the means of the samples.
func (l *sampleLog) file() ([]*File, error) {
	if len(l.paths) == 0 {
		return nil, fmt.Errorf(`%s: no sample has a score; want {"doc_id": 0, "acc": 1.0, …} in each line`, l.path)
	}
	f := ofSamples(l.path, layoutLogged, l.table())
	f.inside, f.described, f.metrics, f.hashes = true, true, map[string]report.Metric{}, l.hashes
	for _, metric := range l.paths {
		if name := report.Family(metric); slices.Contains(loggedHigher, name) {
			f.metrics[metric] = report.Metric{Direction: report.Higher}
		} else if known, ok := WellKnown(name); ok {
			f.metrics[metric] = known
		}
	}
	f.Models[0].settled = true
	if name := loggedName.FindStringSubmatch(filepath.Base(gunzip.Name(l.path))); name != nil {
		f.Task = name[1]
	}
	return []*File{f}, nil
}

// sample enters one line.
func (l *sampleLog) sample(where string, v any) error {
	if !isDocument(v) {
		return fmt.Errorf(`%s: want an object with "doc_id", a number or a text`, where)
	}
	o, _ := v.(report.Object)
	doc := idOf(get(o, "doc_id"))
	hash := textOf(o, "doc_hash")
	if _, seen := l.docs[doc]; !seen {
		l.docs[doc] = len(l.order)
		l.order, l.hashes[doc] = append(l.order, doc), hash
	} else if l.hashes[doc] != hash {
		return fmt.Errorf("%s: doc_id %s is of another document than before: its doc_hash is %q, and was %q", where, doc, hash, l.hashes[doc])
	}
	filter := textOf(o, "filter")
	l.filter = l.filter || filter != ""
	keys := o.Keys()
	if named, ok := get(o, "metrics").([]any); ok {
		keys = nil
		for _, v := range named {
			if name, ok := v.(string); ok {
				keys = append(keys, name)
			}
		}
	}
	for _, key := range keys {
		v, ok := scoreOf(get(o, key))
		if !ok || slices.Contains(notScores, key) {
			continue // such as a pair of sums: the metric is no mean
		}
		path := harnessPath(key, filter)
		if l.scores[path] == nil {
			l.scores[path] = map[string]float64{}
			l.paths = append(l.paths, path)
		}
		if _, twice := l.scores[path][doc]; twice {
			hint := ""
			if !l.filter {
				hint = "; several filters or repeats of a sample need a file that names them (\"filter\", of newer versions)"
			}
			return fmt.Errorf("%s: doc_id %s has the metric %s twice%s", where, doc, path, hint)
		}
		l.scores[path][doc] = v
	}
	return nil
}

// idOf is the name of a document, empty for other values.
func idOf(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return ""
}

// scoreOf is a score of one sample: a number, a truth value, or null for one that is undefined.
func scoreOf(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// table are the scores by sample; each sample is a group of its own.
func (l *sampleLog) table() *report.SampleTable {
	m := report.ModelSamples{Model: l.model(), Sample: l.order, Group: l.order}
	for _, path := range l.paths {
		column := make([]float64, len(l.order))
		for i, doc := range l.order {
			v, ok := l.scores[path][doc]
			if column[i] = v; !ok {
				column[i] = math.NaN()
			}
		}
		m.Scores = append(m.Scores, column)
	}
	return &report.SampleTable{Metrics: l.paths, Models: []report.ModelSamples{m}}
}

// model is the name of the folder, else of the file.
func (l *sampleLog) model() string {
	if path, err := filepath.Abs(l.path); err == nil {
		if name := filepath.Base(filepath.Dir(path)); name != "." && name != string(filepath.Separator) {
			return name
		}
	}
	return filename.Stem(gunzip.Name(l.path))
}

// unfit are the signs that the harness replaces in the name of a model where it names a folder.
var unfit = regexp.MustCompile(`["<>:/|\\?*\[\]]+`)

// joinLogged gives results of lm-evaluation-harness the samples that were logged for the same task, model and run,
// and returns the files without those: their numbers are the results'.
func joinLogged(files []*File) []*File {
	taken := map[*File]bool{}
	for _, f := range files {
		if f.Layout != layoutHarness {
			continue
		}
		m := f.Models[0]
		for _, s := range files {
			if s.Layout != layoutLogged || taken[s] || s.Task != f.Task || s.Models[0].Run != m.Run ||
				s.Models[0].Name != m.Name && s.Models[0].Name != unfit.ReplaceAllString(m.Name, "__") {
				continue
			}
			table, _ := s.samples()
			single := *table
			single.Models = slices.Clone(table.Models)
			single.Models[0].Model = m.Given
			f.samples = func() (*report.SampleTable, error) { return &single, nil }
			f.hashes, s.Models[0].Name, taken[s] = s.hashes, m.Name, true
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f *File) bool { return taken[f] })
}

// otherDocuments says where two files have different documents of one number, empty where they do not.
func otherDocuments(a, b *File) string {
	var docs []string
	for doc, hash := range a.hashes {
		if other := b.hashes[doc]; hash != "" && other != "" && hash != other {
			docs = append(docs, doc)
		}
	}
	if len(docs) == 0 {
		return ""
	}
	slices.SortFunc(docs, func(x, y string) int {
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
	return fmt.Sprintf("the doc_hash of %s differs between %s and %s, for example of doc_id %s",
		text.Count(len(docs), "document"), a.Path, b.Path, docs[0])
}
