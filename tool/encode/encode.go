// Package encode writes what encoders make of states into files, one array per
// model or layer, in memory that does not depend on the number of states, and
// continues where an interrupted run stopped:
//
//	w, err := encode.Write(ctx, states, []encode.Model{{Name: "jepa", Encoder: encoder}}, encode.Options{Dir: "latents"})
//	if err == nil {
//		err = w.Commit() // latents/jepa.npy appears
//	}
//
// While a run is not complete, its folder holds NAME.partial files and a journal
// (JournalName). A run with the same states, models and options takes them up
// and writes the same bytes as one without interruption.
package encode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repscope/dataset"
	"repscope/latent"
)

// Model is an encoder and how it is run.
type Model struct {
	Name    string
	Encoder latent.Encoder
	// Options without a Progress.
	Options latent.EncodeOptions
}

// Options say what is written where.
type Options struct {
	Dir string // an existing folder
	// Format is npy (the default), npz or safetensors; Float16 stores half
	// precision, float32 otherwise.
	Format  string
	Float16 bool
	// Pattern names the files by {model} and {layer}; empty means
	// "{model}.EXT" for models of one output, "{model}.{layer}.EXT" for others.
	Pattern string
	// Restart throws away what an interrupted run left.
	Restart bool
	// Interval is the time between two entries in the journal; 0 means a second.
	// Every entry forces the rows to disk.
	Interval time.Duration
	// Program identifies what computes: a run of another one is not continued.
	Program string
	// Progress starts the progress of one model, Notify tells of something
	// worth knowing; both may be nil.
	Progress func(label string) func(done, total int)
	Notify   func(text string)
}

// ArrayName is the name of the array in npz and safetensors files.
const ArrayName = "latents"

// Partial is appended to the names of files that are not complete.
const Partial = ".partial"

// File is one file of a run.
type File struct {
	Name   string              `json:"file"` // in the folder
	Model  string              `json:"-"`
	Output latent.StreamOutput `json:"-"`
	DType  dataset.DType       `json:"dtype"`
	Shape  []int               `json:"shape"` // [N, …]
	Bytes  int64               `json:"bytes"`
	SHA256 string              `json:"sha256"`

	renamed bool // it has its final name already
}

// Writing is a run whose files are complete but do not have their names yet.
type Writing struct {
	Files   []File
	Resumed int // rows, over all models, that an earlier run had written
	Encoded int // rows, over all models, that this one has
	dir     string
}

// Write encodes the states with every model. Wrong shapes, poolings and
// preprocessing are found before a file is touched. On an error, including the
// end of ctx, rows that are written stay for the next run. NaN and Inf, and
// elements too large for float16, are errors.
func Write(ctx context.Context, states latent.Source, models []Model, o Options) (*Writing, error) {
	if o.Format == "" {
		o.Format = "npy"
	}
	if !slices.Contains(dataset.AppendFormats(), o.Format) {
		return nil, fmt.Errorf("format %q: want %s", o.Format, strings.Join(dataset.AppendFormats(), ", "))
	}
	if o.Interval == 0 {
		o.Interval = time.Second
	}
	kind := dataset.Float32
	if o.Float16 {
		kind = dataset.Float16
	}
	streams := make([]*latent.Stream, len(models))
	w := &Writing{dir: o.Dir}
	first := make([]int, len(models)+1) // of each model among the files
	for i, m := range models {
		if o.Progress != nil {
			m.Options.Progress = o.Progress("encoding " + m.Name)
		}
		stream, err := latent.NewStream(ctx, m.Encoder, states, m.Options)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		streams[i] = stream
		for _, out := range stream.Outputs() {
			w.Files = append(w.Files, File{Model: m.Name, Output: out, DType: kind, Shape: append([]int{states.Len()}, out.Shape...)})
		}
		first[i+1] = len(w.Files)
	}
	if err := name(w.Files, o); err != nil {
		return nil, err
	}
	run, err := describe(states, models, w.Files, o)
	if err != nil {
		return nil, err
	}
	j, err := openJournal(o, run, w.Files)
	if err != nil {
		return nil, err
	}
	for i := range models {
		if err := w.encode(ctx, streams[i], states.Len(), first[i], first[i+1], j, o); err != nil {
			err = fmt.Errorf("model %s: %w", models[i].Name, err)
			if j.empty() && !errors.Is(err, dataset.ErrLocked) {
				err = errors.Join(err, j.discard())
			}
			return nil, err
		}
	}
	return w, nil
}

// encode writes the files lo ≤ k < hi, which are those of one model.
func (w *Writing) encode(ctx context.Context, stream *latent.Stream, rows, lo, hi int, j *journal, o Options) (err error) {
	files, entries := w.Files[lo:hi], j.Files[lo:hi]
	start := entries[0].Position.Rows
	for k := range entries {
		if entries[k].Complete {
			// It may have got its name before the run was interrupted.
			if err := files[k].verify(o.Dir, entries[k].SHA256); err != nil {
				return err
			}
			start = rows
		}
	}
	w.Resumed += start
	if entries[0].Complete {
		return nil
	}
	if start > 0 && o.Notify != nil {
		o.Notify(fmt.Sprintf("continuing %s at row %d of %d", files[0].Model, start, rows))
	}

	appenders := make([]*dataset.Appender, len(files))
	defer func() {
		for _, a := range appenders {
			if a != nil {
				err = errors.Join(err, a.Close())
			}
		}
	}()
	for k, f := range files {
		var open error
		if appenders[k], open = f.append(o, start, entries[k].Position); open != nil {
			return fmt.Errorf("%w (--restart begins anew)", open)
		}
	}
	note := func() error {
		for k, a := range appenders {
			if err := a.Sync(); err != nil {
				return err
			}
			entries[k].Position = a.Position()
		}
		return j.write()
	}
	noted := time.Now()
	err = stream.Run(ctx, start, func(lo, hi int, parts [][]float32) error {
		for k, a := range appenders {
			if err := a.Append(parts[k]); err != nil {
				return err
			}
		}
		w.Encoded += hi - lo
		if time.Since(noted) < o.Interval {
			return nil
		}
		err := note()
		noted = time.Now()
		return err
	})
	if err != nil {
		// Rows of a batch that failed half way are in some files and not in
		// others: the journal keeps the entry before.
		for _, a := range appenders[1:] {
			if a.Position().Rows != appenders[0].Position().Rows {
				return err
			}
		}
		return errors.Join(err, note())
	}
	if err := note(); err != nil {
		return err
	}
	if err := finish(o.Dir, files, appenders); err != nil {
		return err
	}
	for k := range entries {
		entries[k].Complete, entries[k].SHA256 = true, files[k].SHA256
	}
	return j.write()
}

// append opens the file for its rows from start on, where an earlier run left it.
func (f *File) append(o Options, start int, position dataset.AppendPosition) (*dataset.Appender, error) {
	path := filepath.Join(o.Dir, f.Name+Partial)
	if start == 0 {
		return dataset.NewAppender(path, o.Format, ArrayName, f.DType, f.Shape)
	}
	return dataset.ResumeAppender(path, o.Format, ArrayName, f.DType, f.Shape, position)
}

// finish completes files whose rows are all written, and takes their digests. Every
// appender that it has looked at is nil afterwards.
func finish(dir string, files []File, appenders []*dataset.Appender) error {
	for k, a := range appenders {
		appenders[k] = nil
		if err := a.Finish(); err != nil {
			return err
		}
		var err error
		if files[k].SHA256, files[k].Bytes, err = digest(filepath.Join(dir, files[k].Name+Partial)); err != nil {
			return err
		}
	}
	return nil
}

// verify finds the complete file, under its final or its temporary name.
func (f *File) verify(dir, want string) error {
	path := filepath.Join(dir, f.Name)
	for _, candidate := range []string{path + Partial, path} {
		sum, size, err := digest(candidate)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if sum == want {
			f.SHA256, f.Bytes, f.renamed = sum, size, candidate == path
			return nil
		}
	}
	return fmt.Errorf("%s: the file that an earlier run completed is missing or has changed (--restart begins anew)", path)
}

func digest(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// Commit gives the files their names. The journal stays until Done, so that a
// run that is interrupted between the two has only to be started again.
func (w *Writing) Commit() error {
	for i := range w.Files {
		f := &w.Files[i]
		if f.renamed {
			continue
		}
		path := filepath.Join(w.dir, f.Name)
		if err := os.Rename(path+Partial, path); err != nil {
			return err
		}
		f.renamed = true
	}
	return nil
}

// Done ends the run: the journal is removed.
func (w *Writing) Done() error { return os.Remove(filepath.Join(w.dir, JournalName)) }

// name gives the files their names.
func name(files []File, o Options) error {
	models := map[string]int{}
	for _, f := range files {
		models[f.Model]++
	}
	taken := map[string]bool{}
	for i := range files {
		f := &files[i]
		pattern := o.Pattern
		if pattern == "" {
			pattern = "{model}." + o.Format
			if models[f.Model] > 1 {
				pattern = "{model}.{layer}." + o.Format
			}
		}
		layer := f.Output.Layer.Name
		name := strings.NewReplacer("{model}", plain(f.Model), "{layer}", plain(layer)).Replace(pattern)
		if strings.ContainsAny(name, `/\{}`) || strings.Trim(name, ".") == "" || name == JournalName || name == resultName {
			return fmt.Errorf("file name %q from the pattern %q: want a plain name made of {model} and {layer}", name, pattern)
		}
		if taken[name] {
			switch {
			case len(models) > 1 && !strings.Contains(pattern, "{model}"):
				return fmt.Errorf("the pattern %q gives two files the name %s: put {model} in it", pattern, name)
			case models[f.Model] > 1 && !strings.Contains(pattern, "{layer}"):
				return fmt.Errorf("the pattern %q gives two files the name %s: put {layer} in it", pattern, name)
			}
			// Names that differ only in characters that file names do not have.
			stem, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
			for n := 2; taken[name]; n++ {
				name = fmt.Sprintf("%s~%d%s", stem, n, ext)
			}
		}
		taken[name] = true
		f.Name = name
	}
	return nil
}

// plain turns a name into part of a file name.
func plain(name string) string {
	mapped := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|{}`, r) || r <= ' ' {
			return '_'
		}
		return r
	}, name)
	return strings.Trim(mapped, "_")
}
