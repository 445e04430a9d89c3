// This file is for large files of a run, which are written and read compressed.

package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/regular"
)

// Open opens a file of a run: the one at path, or if there is none the one at path with .gz behind it, as studies write
// large files ([Transaction.CompressOver]). It completes or undoes first what a killed run has begun ([Recover]). The
// error of a missing file names path.
func Open(path string) (*os.File, error) {
	Recover(filepath.Dir(path))
	f, err := regular.Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if f, other := regular.Open(path + gunzip.Ending); other == nil {
		return f, nil
	}
	return nil, err
}

// all is the content of a file that may be compressed by gzip, with bounds before and after it is expanded.
func all(name string, r io.Reader) ([]byte, error) {
	data, err := regular.All(context.Background(), name, r, regular.Table)
	if err != nil {
		return nil, err
	}
	if data, err = gunzip.Bytes(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// pack lets write fill a file, compressed if its name and size want it.
func (t *Transaction) pack(name string, w io.Writer, write func(io.Writer) error) (compressed bool, err error) {
	if ending := filepath.Ext(name); t.CompressOver <= 0 || ending != ".json" && ending != ".csv" {
		return false, write(w)
	}
	z := gunzip.NewWriter(w, t.CompressOver)
	if err := write(z); err != nil {
		return false, err
	}
	return z.Compressed(), z.Close()
}

// Packed returns the name and the content that [Transaction.File] gives a file, so that their digest can be written
// before them.
func (t *Transaction) Packed(name string, content []byte) (string, []byte, error) {
	var b bytes.Buffer
	compressed, err := t.pack(name, &b, func(w io.Writer) error { _, err := w.Write(content); return err })
	if compressed {
		name += gunzip.Ending
	}
	return name, b.Bytes(), err
}

// repeatedCSV writes a table that repeats the result file, unless it is larger than CompressOver.
func (t *Transaction) repeatedCSV(name string, columns []string, fill func(*CSV) error) error {
	if t.CompressOver > 0 {
		size := gunzip.NewWriter(io.Discard, t.CompressOver)
		if err := writeCSV(size, columns, fill); err != nil {
			return err
		}
		if size.Compressed() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.omitted = append(t.omitted, name)
			return nil
		}
	}
	return t.CSV(name, columns, fill)
}

// replaced are the files of an earlier run, by its list of digests, that the transaction leaves out, or writes under
// their other name: compressed and not before, or the other way around.
func (t *Transaction) replaced() (names []string) {
	now := map[string]bool{}
	var earlier []string
	for _, f := range t.files {
		if f.other {
			continue
		}
		now[f.name] = true
		if stem, ok := strings.CutSuffix(f.name, SumsEnding); ok {
			earlier = append(earlier, stem+".json", stem+".json"+gunzip.Ending)
			sums, _ := ReadSums(f.target) // without a list nothing more is known
			for _, s := range sums {
				earlier = append(earlier, s.Name)
			}
		}
	}
	for _, name := range t.omitted {
		earlier = append(earlier, name, name+gunzip.Ending)
	}
	slices.Sort(earlier)
	for _, name := range slices.Compact(earlier) {
		other := gunzip.Name(name)
		if other == name {
			other += gunzip.Ending
		}
		gone := now[other] && !now[name] || slices.Contains(t.omitted, gunzip.Name(name))
		if gone && filepath.IsLocal(filepath.FromSlash(name)) {
			names = append(names, name)
		}
	}
	return names
}
