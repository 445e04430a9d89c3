// Results in short: headline numbers, and parts of a file by their pointer.

package mcp

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const (
	mostHeadlines   = 6  // numbers of a model
	mostModels      = 50 // of a summary
	mostComparisons = 20
	mostWarnings    = 20
	mostEntries     = 100_000 // of roots that are searched for results
	mostBytes       = 256 << 10
	plainBytes      = 16 << 10 // of a part that is read, unless a call wants more
	mostResult      = 64 << 20 // bytes of a result that is read
)

// plain is a value as JSON, with the marshaling of results.
func plain(value any) (json.RawMessage, error) {
	var long, short bytes.Buffer
	if err := report.Encode(&long, value); err != nil {
		return nil, err
	}
	if err := json.Compact(&short, long.Bytes()); err != nil {
		return nil, err
	}
	return short.Bytes(), nil
}

// headline is one number of a model, with its interval or the reason why it is none.
type headline struct {
	Metric    string           `json:"metric"`
	Value     *float64         `json:"value"`
	Interval  []float64        `json:"interval,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	Unit      string           `json:"unit,omitempty"`
	Direction report.Direction `json:"direction,omitempty"`
}

// headlines are the numbers that stand for a model.
func headlines(r *report.Result, model report.Object) []headline {
	var all []report.Named
	var paths []string
	for e := range model.Estimates() {
		all, paths = append(all, e), append(paths, e.Path)
	}
	out := []headline{}
	for _, i := range report.Headlines(paths, r.Headline, mostHeadlines) {
		out = append(out, *headlineOf(r, &all[i]))
	}
	return out
}

// headlineOf is a number as clients see it.
func headlineOf(r *report.Result, e *report.Named) *headline {
	h := &headline{Metric: e.Path, Reason: e.Value.Reason}
	if e.Value.Defined() {
		h.Value = &e.Value.V
	}
	if e.Interval.Defined() {
		h.Interval = []float64{e.Interval.Low, e.Interval.High}
	}
	metric, _ := r.MetricOf(e.Path)
	h.Unit, h.Direction = metric.Unit, metric.Direction
	return h
}

// summary is a result in short.
func summary(r *report.Result) (object, error) {
	models := []object{}
	shown := []string{}
	for _, name := range r.Models.Keys()[:min(r.Models.Len(), mostModels)] {
		if reason := r.Unmeasured(name); reason != "" {
			models = append(models, object{"name": name, "reason": reason})
			continue
		}
		model, err := r.Model(name)
		if err != nil {
			return nil, err
		}
		numbers := headlines(r, model)
		for _, h := range numbers {
			shown = append(shown, report.Family(h.Metric))
		}
		models = append(models, object{"name": name, "numbers": numbers})
	}
	comparisons := []report.Comparison{}
	for _, c := range r.Comparisons {
		path := c.Path
		if path == "" {
			path = c.Metric
		}
		if slices.Contains(shown, report.Family(path)) && len(comparisons) < mostComparisons {
			comparisons = append(comparisons, c)
		}
	}
	compared, err := plain(comparisons)
	if err != nil {
		return nil, err
	}
	out := object{"analysis": r.Analysis, "version": r.Version, "elapsed_s": r.Elapsed, "models": models,
		"comparisons": compared, "comparisons_in_file": len(r.Comparisons),
		"warnings": append([]string{}, r.Warnings[:min(len(r.Warnings), mostWarnings)]...)}
	if more := r.Models.Len() - len(models); more > 0 {
		out["models_left_out"] = more
	}
	return out, nil
}

// readAll reads a file inside the roots.
func (s *server) readAll(q *request, path string) ([]byte, error) {
	file, err := s.roots.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := regular.All(q.ctx, path, file, mostResult)
	if err != nil {
		return nil, err
	}
	return expanded(path, data, mostResult)
}

// expanded is the content of a file that may be compressed by gzip, if it has at most that many bytes.
func expanded(path string, data []byte, limit int64) ([]byte, error) {
	data, err := gunzip.Bytes(data)
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it has %s, want at most %s", text.Bytes(int64(len(data))), text.Bytes(limit))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// readCall asks for a part of a result.
type readCall struct {
	Path     string `json:"path"`
	Pointer  string `json:"pointer"`
	Model    string `json:"model"`
	Metric   string `json:"metric"`
	MaxBytes int    `json:"max_bytes"`
}

// readResult returns a part of a result, or one number of a model.
func (s *server) readResult(q *request, data json.RawMessage) (*answer, error) {
	call := readCall{MaxBytes: plainBytes}
	if err := decode(data, &call); err != nil {
		return nil, err
	}
	if call.MaxBytes < 1 || call.MaxBytes > mostBytes {
		return nil, run.Usage("max_bytes %d: want 1 to %d", call.MaxBytes, mostBytes)
	}
	content, err := s.readAll(q, call.Path)
	if err != nil {
		return nil, err
	}
	switch {
	case call.Metric != "" && call.Pointer != "":
		return nil, run.Usage("pointer and metric: give one of them")
	case call.Metric != "":
		return numberOf(&call, content)
	case call.Pointer == "" && call.Model == "":
		r, err := report.ReadFrom(call.Path, bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		out, err := summary(r)
		if err != nil {
			return nil, err
		}
		out["path"], out["members"] = call.Path, membersOf(content)
		return structured(out)
	case call.Model != "" && call.Pointer == "":
		call.Pointer = "/models/" + pointerEscapes.Replace(call.Model)
	}
	root, err := report.Parse(call.Path, content)
	if err != nil {
		return nil, err
	}
	value, reason, err := follow(root, call.Pointer)
	if err != nil {
		return nil, err
	}
	out := object{"path": call.Path, "pointer": call.Pointer}
	if reason != "" {
		out["reason"] = reason
	}
	encoded, err := plain(value)
	if err != nil {
		return nil, err
	}
	if out["value"] = encoded; len(encoded) > call.MaxBytes {
		out["value"], out["left_out"] = outline(value, call.MaxBytes), fmt.Sprintf(
			"the value has %s; ask for one of its parts", text.Bytes(int64(len(encoded))))
	}
	return structured(out)
}

// membersOf are the keys of a result, for pointers.
func membersOf(content []byte) []string {
	root, err := report.Parse("", content)
	if o, ok := root.(report.Object); ok && err == nil {
		return o.Keys()
	}
	return nil
}

// numberOf is one number with its interval, or the reason why there is none.
func numberOf(call *readCall, content []byte) (*answer, error) {
	r, err := report.ReadFrom(call.Path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	names := r.Models.Keys()
	if call.Model != "" {
		names = []string{call.Model}
	}
	numbers := []object{}
	for _, name := range names[:min(len(names), mostModels)] {
		model, err := r.Model(name)
		if err != nil {
			return nil, run.Usage("%w", err)
		}
		number, err := estimateOf(r, model, call.Metric)
		if err != nil {
			return nil, run.Hint(run.Usage("model %s: %w", name, err), "paths are such as by_k[k=10].trustworthiness")
		}
		numbers = append(numbers, object{"model": name, "number": number})
	}
	return structured(object{"path": call.Path, "numbers": numbers})
}

// estimateOf is the number at a path with its interval, if it has one.
func estimateOf(r *report.Result, model report.Object, path string) (*headline, error) {
	if place, ok := model.Place(path); ok {
		for e := range model.Estimates() {
			if e.Path == place {
				return headlineOf(r, &e), nil
			}
		}
	}
	value, err := model.Number(path)
	if err != nil {
		return nil, err
	}
	return headlineOf(r, &report.Named{Path: path, Value: value}), nil
}

// Escapes of JSON pointers (RFC 6901).
var (
	pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
	pointerTexts   = strings.NewReplacer("~1", "/", "~0", "~")
)

// follow returns the value at a JSON pointer, and of a null why it is one.
func follow(value any, pointer string) (target any, reason string, err error) {
	if pointer != "" && pointer[0] != '/' {
		return nil, "", run.Usage("pointer %q: want /KEY/KEY or nothing", pointer)
	}
	if pointer == "" || pointer == "/" {
		return value, "", nil
	}
	passed := ""
	for step := range strings.SplitSeq(pointer[1:], "/") {
		step = pointerTexts.Replace(step)
		reason = ""
		switch v := value.(type) {
		case report.Object:
			next, ok := v.Get(step)
			if !ok {
				return nil, "", run.Hint(run.Usage("pointer %s: %q is no key there", pointer, step),
					"the keys of "+passed+"/ are "+text.Few(v.Keys(), 20))
			}
			if number, err := v.Number(step); next == nil && err == nil {
				reason = number.Reason
			}
			value = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil, "", run.Usage("pointer %s: %q: want 0 to %d", pointer, step, len(v)-1)
			}
			value = v[i]
		default:
			return nil, "", run.Usage("pointer %s: %s is no object or list", pointer, passed)
		}
		passed += "/" + pointerEscapes.Replace(step)
	}
	return value, reason, nil
}

// outline names the parts of a large value, in about limit bytes.
func outline(value any, limit int) any {
	kind := func(v any) string {
		switch v := v.(type) {
		case report.Object:
			return fmt.Sprintf("object of %s", text.Count(v.Len(), "key"))
		case []any:
			return fmt.Sprintf("list of %d", len(v))
		case string:
			return fmt.Sprintf("text of %s", text.Bytes(int64(len(v))))
		case nil:
			return "null"
		}
		return fmt.Sprint(v)
	}
	switch v := value.(type) {
	case report.Object:
		parts := object{}
		for _, key := range v.Keys() {
			member, _ := v.Get(key)
			if limit -= len(key) + 32; limit < 0 {
				break
			}
			parts[key] = kind(member)
		}
		return object{"keys": v.Len(), "parts": parts}
	case []any:
		parts := []string{}
		for _, item := range v {
			if limit -= 32; limit < 0 {
				break
			}
			parts = append(parts, kind(item))
		}
		return object{"length": len(v), "parts": parts}
	case string:
		return strings.ToValidUTF8(v[:min(len(v), limit)], "")
	}
	return kind(value)
}

// resultFile is a result in the roots.
type resultFile struct {
	path string
	size int64
}

// results are the results below a folder by their paths, and whether there may be more.
func (s *server) results(q *request, folder string) (list []resultFile, cut bool, err error) {
	entries := 0
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch entries++; {
		case q.ctx.Err() != nil:
			return q.ctx.Err()
		case entries > mostEntries:
			cut = true
			return fs.SkipAll
		case err != nil:
			return nil
		case entry.IsDir() && path != folder && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(gunzip.Name(path)) != ".json" || !s.begins(path):
			return nil
		}
		if info, err := entry.Info(); err == nil {
			list = append(list, resultFile{path, info.Size()})
		}
		return nil
	})
	return list, cut, err
}

// begins reports whether a file begins as a result does.
func (s *server) begins(path string) bool {
	file, err := s.roots.open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var content io.Reader = file
	if gunzip.Name(path) != path {
		if content, err = gzip.NewReader(file); err != nil {
			return false
		}
	}
	head := make([]byte, 256)
	n, _ := io.ReadFull(content, head)
	return bytes.HasPrefix(bytes.TrimLeft(head[:n], "{ \r\n\t"), []byte(`"schema"`)) && bytes.Contains(head[:n],
		[]byte(`"`+report.Schema+`"`))
}

// listCall asks for results.
type listCall struct {
	Folder string `json:"folder"`
	Cursor string `json:"cursor"`
	Limit  int    `json:"limit"`
}

// listResults returns results with their models.
func (s *server) listResults(q *request, data json.RawMessage) (*answer, error) {
	call := listCall{Limit: pageSize}
	if err := decode(data, &call); err != nil {
		return nil, err
	}
	if call.Limit < 1 || call.Limit > pageSize {
		return nil, run.Usage("limit %d: want 1 to %d", call.Limit, pageSize)
	}
	folders := s.roots.folders
	if call.Folder != "" {
		folder, _, err := s.roots.resolve(call.Folder)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(folder)
		if err != nil {
			return nil, regular.PathError(err)
		}
		if !info.IsDir() {
			return nil, run.Usage("folder %s: want a folder; read_result reads a file", call.Folder)
		}
		folders = []string{folder}
	}
	list, cut, err := s.inFolders(q, folders)
	if err != nil {
		return nil, err
	}
	page, next, err := pageOf(list, call.Cursor, call.Limit)
	if err != nil {
		return nil, err
	}
	results := []object{}
	for _, file := range page {
		results = append(results, s.entry(q, file))
	}
	out := object{"results": results, "found": len(list)}
	if next != "" {
		out["next_cursor"] = next
	}
	if cut {
		out["left_out"] = fmt.Sprintf("the folders have more than %d entries; name one of them", mostEntries)
	}
	return structured(out)
}

// inFolders are the results of folders, each once.
func (s *server) inFolders(q *request, folders []string) (list []resultFile, cut bool, err error) {
	for _, folder := range folders {
		more, short, err := s.results(q, folder)
		if err != nil {
			return nil, false, err
		}
		list, cut = append(list, more...), cut || short
	}
	slices.SortFunc(list, func(a, b resultFile) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(list), cut, nil
}

// entry is a result in a list.
func (s *server) entry(q *request, file resultFile) object {
	one := object{"path": file.path, "bytes": file.size}
	content, err := s.readAll(q, file.path)
	if err == nil {
		var r *report.Result
		if r, err = report.ReadFrom(file.path, bytes.NewReader(content)); err == nil {
			one["analysis"], one["models"], one["started"] = r.Analysis, text.Few(r.Models.Keys(), 20), r.Started
			one["warnings"] = len(r.Warnings)
			return one
		}
	}
	one["problem"] = err.Error()
	return one
}

// pageOf is a part of a list behind a cursor, and the cursor of the next part.
func pageOf[T any](list []T, cursor string, limit int) (page []T, next string, err error) {
	first := 0
	if cursor != "" {
		if first, err = strconv.Atoi(cursor); err != nil || first < 0 || first > len(list) {
			return nil, "", faultOf(codeInvalidParams, "cursor %q: want the cursor of an earlier answer", cursor)
		}
	}
	end := min(first+limit, len(list))
	if end < len(list) {
		next = strconv.Itoa(end)
	}
	return list[first:end], next, nil
}
