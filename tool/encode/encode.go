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
	"repscope/internal/filename"
	"repscope/internal/regular"
	"repscope/latent"
	"repscope/report"
)

// Model is an encoder and how it is run.
type Model struct {
	Name    string
	Encoder latent.Encoder
	// Options without a Progress.
	Options latent.EncodeOptions
	// States are the states of the run as this model sees them, where it sees a part of
	// each; nil: the states themselves.
	States latent.Source
}

// Options say which outputs go where.
type Options struct {
	Dir string // an existing folder
	// Format is npy (the default), npz or safetensors; Float16 stores half
	// precision, float32 otherwise.
	Format  string
	Float16 bool
	// Pattern names the files by {model} and {layer}; empty means
	// "{model}.EXT" for models of one output, "{model}.{layer}.EXT" for others.
	Pattern string
	// Announce, if not nil, is told the names of all files before any is made; its error ends the run.
	Announce func(names []string) error
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

// Writing is a run whose files are complete but do not have their names yet. It holds the
// folder until Done or Close.
type Writing struct {
	Files   []File
	Resumed int // rows, over all models, that an earlier run had written
	Encoded int // rows, over all models, that this one has
	dir     string
	journal *progress
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
		seen := states
		if m.States != nil {
			seen = m.States
		}
		if seen.Len() != states.Len() {
			return nil, fmt.Errorf("model %s: %d states of %d", m.Name, seen.Len(), states.Len())
		}
		stream, err := latent.NewStream(ctx, m.Encoder, seen, m.Options)
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
	if o.Announce != nil {
		if err := o.Announce(w.names()); err != nil {
			return nil, err
		}
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
				return nil, errors.Join(err, j.discard())
			}
			return nil, errors.Join(err, j.close())
		}
	}
	w.journal = j
	return w, nil
}

// output is the files of one model while they are written, and what the journal
// says of them.
type output struct {
	o         Options
	journal   *progress
	files     []File
	entries   []entry
	appenders []*dataset.Appender
}

// encode writes the files lo ≤ k < hi, the files of one model.
func (w *Writing) encode(ctx context.Context, stream *latent.Stream, rows, lo, hi int, j *progress,
	o Options) (err error) {
	out := &output{o: o, journal: j, files: w.Files[lo:hi], entries: j.Files[lo:hi]}
	start, err := out.begin(rows)
	w.Resumed += start
	if err != nil || out.entries[0].Complete {
		return err
	}
	if start > 0 && o.Notify != nil {
		o.Notify(fmt.Sprintf("continuing %s at row %d of %d", out.files[0].Model, start, rows))
	}
	defer func() { err = errors.Join(err, out.close()) }()
	if err := out.open(start); err != nil {
		return err
	}
	if err := out.run(ctx, stream, start, &w.Encoded); err != nil {
		return err
	}
	return out.finish()
}

// begin returns the row to begin at: all of them are done where the files are
// complete.
func (out *output) begin(rows int) (int, error) {
	start := out.entries[0].Position.Rows
	for k, e := range out.entries {
		if e.Complete {
			// It may have got its name before the run was interrupted.
			if err := out.files[k].verify(out.o.Dir, e.SHA256); err != nil {
				return 0, err
			}
			start = rows
		}
	}
	return start, nil
}

// open opens the files for the rows from start on.
func (out *output) open(start int) error {
	for k, f := range out.files {
		path := filepath.Join(out.o.Dir, f.Name+Partial)
		var a *dataset.Appender
		var err error
		if start == 0 {
			a, err = dataset.NewAppender(path, out.o.Format, ArrayName, f.DType, f.Shape)
		} else {
			a, err = dataset.ResumeAppender(path, out.o.Format, ArrayName, f.DType, f.Shape, out.entries[k].Position)
		}
		if err != nil {
			return fmt.Errorf("%w (--restart starts over)", err)
		}
		out.appenders = append(out.appenders, a)
	}
	return nil
}

// positions are where the files stand.
func (out *output) positions() []dataset.AppendPosition {
	list := make([]dataset.AppendPosition, len(out.appenders))
	for k, a := range out.appenders {
		list[k] = a.Position()
	}
	return list
}

// note forces the output to disk and puts into the journal how far the files have come.
func (out *output) note(positions []dataset.AppendPosition) error {
	for k, a := range out.appenders {
		if err := a.Sync(); err != nil {
			return err
		}
		out.entries[k].Position = positions[k]
	}
	return out.journal.note(out.entries)
}

// run encodes the rows from start on and adds to encoded how many have been
// written; now and then it notes them.
func (out *output) run(ctx context.Context, stream *latent.Stream, start int, encoded *int) error {
	noted := time.Now()
	positions := out.positions() // after the last batch that is in all files
	err := stream.Run(ctx, start, func(lo, hi int, parts [][]float32) error {
		for k, a := range out.appenders {
			if err := a.Append(parts[k]); err != nil {
				return err
			}
		}
		*encoded += hi - lo
		positions = out.positions()
		if time.Since(noted) < out.o.Interval {
			return nil
		}
		err := out.note(positions)
		noted = time.Now()
		return err
	})
	return errors.Join(err, out.note(positions))
}

// finish completes the files, which keep their temporary names.
func (out *output) finish() error {
	for k, a := range out.appenders {
		out.appenders[k] = nil
		if err := a.Finish(); err != nil {
			return err
		}
		f := &out.files[k]
		var err error
		if f.SHA256, f.Bytes, err = digest(filepath.Join(out.o.Dir, f.Name+Partial)); err != nil {
			return err
		}
	}
	for k := range out.entries {
		out.entries[k].Complete, out.entries[k].SHA256 = true, out.files[k].SHA256
	}
	return out.journal.note(out.entries)
}

// close closes unfinished files.
func (out *output) close() error {
	var errs []error
	for _, a := range out.appenders {
		if a != nil {
			errs = append(errs, a.Close())
		}
	}
	return errors.Join(errs...)
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
	return fmt.Errorf("%s: the file completed by an earlier run is missing or has changed (--restart starts over)", path)
}

func digest(path string) (sum string, size int64, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// Adopt gives the files their names together with the files of a transaction of the folder: all, or none. The journal
// stays until Done, so that a run that is interrupted before has only to be started again.
func (w *Writing) Adopt(files *report.Transaction) error {
	for i := range w.Files {
		f := &w.Files[i]
		if f.renamed {
			continue
		}
		if err := files.Adopt(f.Name, filepath.Join(w.dir, f.Name+Partial), f.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// Commit is Adopt for who has no other files.
func (w *Writing) Commit() error {
	files, err := report.Begin(w.dir)
	if err != nil {
		return err
	}
	defer files.Abort()
	if err := w.Adopt(files); err != nil {
		return err
	}
	return files.Commit()
}

// names are the names of the files.
func (w *Writing) names() []string {
	var names []string
	for _, f := range w.Files {
		names = append(names, f.Name)
	}
	return names
}

// Close gives up the folder without ending the run, which can be started again.
func (w *Writing) Close() error { return w.journal.close() }

// Done ends the run: the journal is removed.
func (w *Writing) Done() error { return w.journal.remove() }

// name gives the files their names.
func name(files []File, o Options) error {
	models := map[string]int{}
	for _, f := range files {
		models[f.Model]++
	}
	stems := map[string]bool{} // before what makes them different
	taken := filename.Taken{}
	for _, own := range ownFiles {
		taken.Unique(own, "")
	}
	for i := range files {
		f := &files[i]
		pattern := o.Pattern
		if pattern == "" {
			pattern = "{model}." + o.Format
			if models[f.Model] > 1 {
				pattern = "{model}.{layer}." + o.Format
			}
		}
		name := fromPattern(pattern, filename.Of(f.Model), filename.Of(f.Output.Layer.Label()))
		stem, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
		if strings.ContainsAny(name, `/\{}`) || strings.HasPrefix(name, ".") || stem == "" {
			return fmt.Errorf("file name %q from the pattern %q: want a plain name with {model} and {layer}", name, pattern)
		}
		switch {
		case !stems[name]:
		case len(models) > 1 && !strings.Contains(pattern, "{model}"):
			return fmt.Errorf("the pattern %q gives two files the name %s: add {model} to it", pattern, name)
		case models[f.Model] > 1 && !strings.Contains(pattern, "{layer}"):
			return fmt.Errorf("the pattern %q gives two files the name %s: add {layer} to it", pattern, name)
		}
		stems[name] = true
		if len(stem) > filename.Longest {
			stem = filename.Of(stem)
		}
		// Names may differ only in characters that file names do not have, or in case.
		f.Name = taken.Unique(stem, ext)
	}
	return nil
}

// fromPattern is a pattern with the names of a model and of a layer.
func fromPattern(pattern, model, layer string) string {
	return strings.NewReplacer("{model}", model, "{layer}", layer).Replace(pattern)
}
