// The records that verify knows, and where what they name is now.

package repscope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/gunzip"
	"repscope/internal/regular"
	"repscope/latent"
	"repscope/report"
	"repscope/shard"
)

// file looks at a file by what it holds; known is false of one that is no record.
func (v *verifier) file(path string) (record bool, err error) {
	if v.done[path] {
		return true, nil
	}
	name := filepath.Base(path)
	look := func(string) (bool, error) { return false, nil }
	switch {
	case name == ".evaluate.json" || name == "scale.json":
		look = v.record
	case strings.HasSuffix(name, report.SumsEnding):
		look = v.sums
	case strings.HasSuffix(gunzip.Name(name), ".json"):
		look = v.result
	case strings.HasSuffix(name, ".shard"):
		look = v.shard
	case strings.HasSuffix(name, ".npy"):
		look = v.entry
	}
	record, err = look(path)
	v.done[path] = record
	return record, err
}

// sums looks at the files of a run.
func (v *verifier) sums(path string) (bool, error) {
	sums, err := report.ReadSums(path)
	if err != nil {
		v.add(difference{State: stateDamaged, Path: path, What: "list of digests", Found: err.Error()})
		return true, nil
	}
	for _, s := range sums {
		v.checked.Files++
		if name := filepath.FromSlash(s.Name); !filepath.IsAbs(name) && !filepath.IsLocal(name) {
			v.add(difference{State: stateDamaged, Path: path, What: "list of digests", Found: fmt.Sprintf("%q is outside its folder", s.Name)})
			continue
		}
		v.hold(claim{path: s.Name, sum: s.SHA256, what: "file", of: path, beside: true})
	}
	return true, nil
}

// entry looks at an cache entry.
func (v *verifier) entry(path string) (bool, error) {
	valid, err := latent.CheckEntry(path)
	if valid {
		v.checked.Cache++
	}
	if err != nil {
		v.add(difference{State: stateDamaged, Path: path, What: "cache entry", Found: err.Error()})
	}
	return valid, nil
}

// shardFile is a shard that can be computed again.
type shardFile struct {
	path  string
	state *shard.State
}

// shard looks at a part of a divided work.
func (v *verifier) shard(path string) (bool, error) {
	v.checked.Shards++
	state, err := shard.Open(path)
	if err != nil {
		v.add(difference{State: stateDamaged, Path: path, What: "shard", Found: regular.PathError(err).Error()})
		return true, nil
	}
	v.shards = append(v.shards, shardFile{path, state})
	if state.Origin == nil {
		return true, nil
	}
	for _, in := range state.Origin.Inputs {
		v.input(report.Input{Role: in.Role, Name: in.Name, Path: in.Path, SHA256: in.SHA256}, path, state.Origin.Folder)
	}
	return true, nil
}

// result looks at the inputs of a result, and at the files whose digests it holds itself.
func (v *verifier) result(path string) (bool, error) {
	data, err := regular.ReadContext(v.ctx, path, regular.Table)
	if err != nil {
		v.add(difference{State: stateMissing, Path: path, What: "file", Found: regular.PathError(err).Error()})
		return true, nil
	}
	if data, err = gunzip.Bytes(data); err != nil {
		v.add(difference{State: stateDamaged, Path: path, What: "file", Found: err.Error()})
		return true, nil
	}
	head := data[:min(len(data), 512)]
	if !bytes.Contains(head, []byte(`"schema"`)) || !bytes.Contains(head, []byte(`"`+report.Schema+`"`)) || !bytes.Contains(head, []byte(`"analysis"`)) {
		return false, nil
	}
	v.checked.Results++
	r, err := report.ReadFrom(path, bytes.NewReader(data))
	if err != nil {
		v.add(difference{State: stateDamaged, Path: path, What: "result", Found: err.Error()})
		return true, nil
	}
	for _, in := range r.Inputs {
		v.input(in, path, "")
	}
	sums := strings.TrimSuffix(gunzip.Name(path), ".json") + report.SumsEnding
	if _, err := os.Stat(sums); errors.Is(err, fs.ErrNotExist) {
		v.note("%s: there is no %s next to it, so not all of its files are checked", path, filepath.Base(sums))
		for _, s := range ownSums(r) {
			v.checked.Files++
			v.hold(claim{path: s.Name, sum: s.SHA256, what: "file", of: path, beside: true, packed: true})
		}
	}
	return true, nil
}

// ownSums are the digests of files that a result holds: the scores per sample, and the arrays of encode.
func ownSums(r *report.Result) []report.Sum {
	var sums []report.Sum
	if r.Samples != nil && r.Samples.SHA256 != "" {
		sums = append(sums, report.Sum{Name: r.Samples.File, SHA256: r.Samples.SHA256})
	}
	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				visit(item)
			}
		case report.Object:
			name, _ := value.Get("file")
			sum, _ := value.Get("sha256")
			if name, ok := name.(string); ok && filepath.IsLocal(filepath.FromSlash(name)) {
				if sum, ok := sum.(string); ok {
					sums = append(sums, report.Sum{Name: name, SHA256: sum})
				}
			}
			for _, key := range value.Keys() {
				item, _ := value.Get(key)
				visit(item)
			}
		}
	}
	visit(r.Models)
	return sums
}

// record looks at what evaluate and scale have written of a task or a work.
func (v *verifier) record(path string) (bool, error) {
	data, err := regular.ReadContext(v.ctx, path, regular.Listing)
	type file struct {
		Path, SHA256, Listing string
		Size                  int64
	}
	var header struct {
		Form            string
		Inputs, Outputs []file
		Dir             string
		Pieces          []struct{ Inputs []file }
	}
	if err == nil {
		err = json.Unmarshal(data, &header)
	}
	family, _, _ := strings.Cut(strings.TrimPrefix(header.Form, "repscope/"), "/")
	switch {
	case err != nil:
		v.add(difference{State: stateDamaged, Path: path, What: "record", Found: err.Error()})
		return true, nil
	case !strings.HasPrefix(header.Form, "repscope/") || family != "study" && family != "scale":
		return false, nil
	}
	for _, p := range header.Pieces {
		header.Inputs = append(header.Inputs, p.Inputs...)
	}
	for _, f := range header.Inputs {
		if f.SHA256 == "" {
			v.size(f.Path, f.Size, path, header.Dir)
			continue
		}
		v.checked.Inputs++
		v.hold(claim{path: f.Path, sum: f.SHA256, what: "input", of: path, folder: header.Dir})
	}
	for _, f := range header.Outputs {
		v.checked.Files++
		v.hold(claim{path: f.Path, sum: f.SHA256, what: "file", of: path, beside: true})
	}
	return true, nil
}

// size checks an input whose size alone is recorded; folders have none.
func (v *verifier) size(path string, size int64, record, folder string) {
	first, _ := places(&claim{path: path, of: record, folder: folder})
	info, err := os.Stat(first[0])
	switch {
	case err != nil:
		v.add(difference{State: stateMissing, Path: path, What: "input", Of: record})
	case info.IsDir():
		v.checked.Unchecked++
		return
	case info.Size() != size:
		v.add(difference{State: stateChanged, Path: path, What: "input", Of: record, Recorded: fmt.Sprintf("%d bytes", size),
			Found: fmt.Sprintf("%d bytes", info.Size())})
	}
	v.checked.Inputs++
}

// input looks at an input of a result.
func (v *verifier) input(in report.Input, record, folder string) {
	what := strings.TrimSpace("input " + in.Role + " " + in.Name)
	switch {
	case strings.HasPrefix(in.Path, "example:") || strings.HasPrefix(in.Path, "baseline:") || in.SHA256 == "" || in.Role == "tree":
		v.checked.Unchecked++
		return
	}
	v.checked.Inputs++
	whole := claim{path: in.Path, sum: in.SHA256, what: what, of: record, folder: folder, input: &in}
	v.hold(whole)
	base := filepath.Dir(in.Path)
	first, others := places(&whole)
	if slices.ContainsFunc(append(first, others...), func(place string) bool { info, err := os.Stat(place); return err == nil && info.IsDir() }) {
		base = in.Path
	}
	for _, f := range filesBeside(in) {
		v.checked.Inputs++
		v.hold(claim{path: filepath.Join(base, filepath.FromSlash(f.Name)), sum: f.SHA256, what: what, of: record,
			folder: folder})
	}
}

// filesBeside are the files that were read with a model.
func filesBeside(in report.Input) []report.Sum {
	if in.Details == nil {
		return nil
	}
	value, _ := in.Details.Get("files")
	list, _ := value.([]any)
	var sums []report.Sum
	for _, item := range list {
		o, _ := item.(report.Object)
		name, _ := o.Get("file")
		sum, _ := o.Get("sha256")
		if name, ok := name.(string); ok {
			if sum, ok := sum.(string); ok {
				sums = append(sums, report.Sum{Name: name, SHA256: sum})
			}
		}
	}
	return sums
}

// claim is what a record says of a file.
type claim struct {
	path, sum, what string
	of              string        // the record
	beside          bool          // it lies in the folder of the record, unless its path begins at the root
	folder          string        // from which the path counts, where the record says it
	input           *report.Input // that it is of a result
	packed          bool          // it may be compressed since, under its name and .gz; the digest is of its plain content
}

// hold compares a file, wherever it is now, with its digest.
func (v *verifier) hold(c claim) {
	first, others := places(&c)
	state, path := "", ""
	for i, place := range append(slices.Clone(first), others...) {
		sums, err := v.digestsOf(place, c.input)
		if c.packed && errors.Is(err, fs.ErrNotExist) {
			sums, err = v.expandedDigests(place + gunzip.Ending)
		}
		switch {
		case err == nil && slices.Contains(sums, c.sum):
			return
		case i >= len(first) || path != "" || errors.Is(err, fs.ErrNotExist):
		case err != nil:
			state, path = regular.PathError(err).Error(), place
		default:
			state, path = sums[0], place
		}
	}
	d := difference{State: stateChanged, Path: path, What: c.what, Of: c.of, Found: state}
	switch {
	case path == "":
		d.State, d.Path = stateMissing, c.path
		if c.beside {
			d.Path = first[0]
		}
	case len(state) == len(c.sum):
		d.Recorded = c.sum
	}
	v.add(d)
}

// places are where the file of a claim may be: where its record says, and where it is taken only with the digest that
// is recorded, as folders are moved together: from the folder of the record and from those above it, and, of a path
// from the root, with less and less of its begin.
func places(c *claim) (first, others []string) {
	path := filepath.FromSlash(c.path)
	dir := filepath.Dir(c.of)
	switch whole := filepath.IsAbs(path); {
	case c.beside && !whole:
		return []string{filepath.Join(dir, path)}, nil
	case whole:
		first = []string{path}
	case c.folder != "":
		first = []string{path, filepath.Join(c.folder, path), filepath.Join(dir, path)}
	default:
		first = []string{path, filepath.Join(dir, path)}
	}
	tails := []string{path}
	if filepath.IsAbs(path) {
		parts := strings.Split(strings.Trim(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/"), "/")
		tails = nil
		for i := range parts {
			tails = append(tails, filepath.Join(parts[i:]...))
		}
	}
	dir, err := filepath.Abs(dir)
	for last := ""; err == nil && dir != last; last, dir = dir, filepath.Dir(dir) {
		for _, tail := range tails {
			if place := filepath.Join(dir, tail); dataset.Exists(place) == nil {
				others = append(others, place)
			}
		}
	}
	return first, others
}
