// The journal of a run that is not complete: what it is, and how far it has come.

package encode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/atomicfile"
	"repscope/internal/journal"
	"repscope/internal/regular"
	"repscope/latent"
)

// JournalName is the journal's name in the output folder.
const JournalName = "encode.partial.json"

// resultName is the name of the result file next to the arrays.
const resultName = "encode.json"

const journalSchema = "repscope/encode-journal/3"

// progress is what a run is, and how far its files have come. A position never points behind the data on disk.
type progress struct {
	Run   []property
	Files []entry

	path  string
	lines *journal.Journal
}

// record is a line of the journal. A record with a schema has all of the progress; another one has files that went on.
type record struct {
	Schema string     `json:"schema,omitempty"`
	PID    int        `json:"pid,omitempty"` // the process that wrote it
	Run    []property `json:"run,omitempty"`
	Files  []entry    `json:"files"`
}

// property is something that two runs must share to be one.
type property struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

type entry struct {
	Name     string                 `json:"file"`
	Position dataset.AppendPosition `json:"position"`
	Complete bool                   `json:"complete"`
	SHA256   string                 `json:"sha256,omitempty"` // of a complete file
}

// describe lists everything that the bytes of a run depend on.
func describe(states latent.Source, models []Model, files []File, o Options) ([]property, error) {
	text, err := statesText(states)
	if err != nil {
		return nil, err
	}
	run := []property{{"program", o.Program}, {"states", text}}
	for _, m := range models {
		if m.States != nil {
			if text, err = statesText(m.States); err != nil {
				return nil, err
			}
			run = append(run, property{"states of " + m.Name, text})
		}
		run = append(run,
			property{"model " + m.Name, m.Encoder.Info().Identity},
			property{"preprocessing of " + m.Name, preprocessingText(m.Options.Preprocessing)})
	}
	for _, f := range files {
		run = append(run, property{"file " + f.Name, fmt.Sprintf("%s %v, model %s, layer %s, pooling %s, format %s",
			f.DType, f.Shape, f.Model, f.Output.Layer.Label(), poolName(f.Output.Pool), o.Format)})
	}
	return run, nil
}

func statesText(states latent.Source) (string, error) {
	sum, err := states.Fingerprint()
	return fmt.Sprintf("%d of shape %v, SHA-256 %s", states.Len(), states.Shape(), sum), err
}

func preprocessingText(p latent.Preprocessing) string {
	var parts []string
	if p.Height > 0 {
		parts = append(parts, fmt.Sprintf("resized to %dx%d (%s)", p.Height, p.Width, cmp.Or(p.Interpolation, latent.Bilinear)))
	}
	if p.Crop[2] > 0 {
		parts = append(parts, fmt.Sprintf("part %v", p.Crop))
	}
	if p.Channels > 0 {
		parts = append(parts, fmt.Sprintf("one channel repeated to %d", p.Channels))
	}
	scale := "scale " + string(cmp.Or(p.Scale, latent.ScaleRaw))
	if p.Scale == latent.ScaleUnit {
		scale += fmt.Sprintf(" of %v to %v", p.Low, p.High)
	}
	parts = append(parts, scale)
	if len(p.Mean)+len(p.Std) > 0 {
		parts = append(parts, fmt.Sprintf("mean %v, std %v, layout %s", p.Mean, p.Std, p.Layout))
	}
	return strings.Join(parts, ", ")
}

// openJournal finds the journal of an interrupted run, or begins a new one. It holds the
// folder until it is closed.
func openJournal(o Options, run []property, files []File) (_ *progress, err error) {
	p := &progress{Run: run, path: filepath.Join(o.Dir, JournalName)}
	for _, f := range files {
		p.Files = append(p.Files, entry{Name: f.Name})
	}
	var lines [][]byte
	if p.lines, lines, err = journal.Open(p.path, journal.Options{}); err != nil {
		if errors.Is(err, atomicfile.ErrLocked) {
			err = busy(p.path)
		}
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.lines.Close())
		}
	}()
	if p.lines.Empty() {
		return p, p.begin()
	}
	old, _, err := parseJournal(p.path, lines)
	switch {
	case o.Restart:
		// What an unreadable journal left is found by the names of this run.
		files := p.Files
		if err == nil {
			files = append(files, old.Files...)
		}
		for _, e := range files {
			if err := dataset.DiscardAppended(filepath.Join(o.Dir, filepath.Base(e.Name)+Partial)); err != nil {
				return nil, err
			}
		}
	case err != nil && !p.hasParts():
		// The run ended before its journal was written.
	case err != nil:
		return nil, fmt.Errorf("%w (--restart starts over)", err)
	default:
		if err := p.continues(old); err != nil {
			return nil, err
		}
		return p, p.write() // the process is another one
	}
	return p, p.begin()
}

// continues takes over the state of an interrupted run.
func (p *progress) continues(old *progress) error {
	if err := old.same(p.Run); err != nil {
		return err
	}
	for i := range p.Files {
		k := slices.IndexFunc(old.Files, func(e entry) bool { return e.Name == p.Files[i].Name })
		if k < 0 {
			return fmt.Errorf("%s: file %s is missing (--restart starts over)", p.path, p.Files[i].Name)
		}
		p.Files[i] = old.Files[k]
	}
	return nil
}

// hasParts reports whether a file of the run has been begun.
func (p *progress) hasParts() bool {
	return slices.ContainsFunc(p.Files, func(e entry) bool {
		_, err := os.Lstat(filepath.Join(filepath.Dir(p.path), e.Name+Partial))
		return err == nil
	})
}

// busy is the error of a folder that another process has.
func busy(path string) error {
	err := &BusyError{Dir: filepath.Dir(path)}
	if data, failed := regular.Read(path, maxJournal); failed == nil {
		lines, _ := journal.Read(data)
		_, err.PID, _ = parseJournal(path, lines)
	}
	return err
}

// maxJournal bounds the bytes read of the journal of another process.
const maxJournal = 1 << 28

// BusyError says that another process is writing into the folder.
type BusyError struct {
	Dir string
	PID int // 0: not known
}

func (e *BusyError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("another process is writing into %s", e.Dir)
	}
	return fmt.Sprintf("another process (pid %d) is writing into %s", e.PID, e.Dir)
}

// Is makes it one of [dataset.ErrLocked].
func (e *BusyError) Is(target error) bool { return target == dataset.ErrLocked }

// parseJournal reads the progress of a run, and the process that wrote last. A line that is none is passed over.
func parseJournal(path string, lines [][]byte) (p *progress, pid int, err error) {
	for _, line := range lines {
		var r record
		switch {
		case json.Unmarshal(line, &r) != nil:
		case r.Schema == journalSchema:
			p, pid = &progress{Run: r.Run, Files: r.Files, path: path}, r.PID
		case r.Schema != "":
			return nil, 0, fmt.Errorf("%s: journal of schema %q, want %q", path, r.Schema, journalSchema)
		case p != nil:
			p.update(r.Files)
		}
	}
	if p == nil {
		return nil, 0, fmt.Errorf("%s: the journal of an interrupted run cannot be read, or another version wrote it", path)
	}
	return p, pid, nil
}

// update enters how far files have come.
func (p *progress) update(files []entry) {
	for _, e := range files {
		if k := slices.IndexFunc(p.Files, func(own entry) bool { return own.Name == e.Name }); k >= 0 {
			p.Files[k] = e
		}
	}
}

// begin begins a journal, with two lines: either is enough.
func (p *progress) begin() error {
	err := errors.Join(p.lines.Clear(), p.write(), p.write())
	if err != nil {
		return errors.Join(err, os.Remove(p.path))
	}
	return nil
}

// write adds all of the progress and forces it to disk.
func (p *progress) write() error {
	return p.add(record{Schema: journalSchema, PID: os.Getpid(), Run: p.Run, Files: p.Files})
}

// note adds how far some files have come.
func (p *progress) note(files []entry) error { return p.add(record{Files: files}) }

func (p *progress) add(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return p.lines.Add(line)
}

// close gives the folder to other processes.
func (p *progress) close() error { return p.lines.Close() }

// remove ends the run.
func (p *progress) remove() error { return p.lines.Remove() }

// same says how the interrupted run differs from this one.
func (p *progress) same(run []property) error {
	old := map[string]string{}
	for _, q := range p.Run {
		old[q.What] = q.Value
	}
	var differences []string
	for _, q := range run {
		if was, ok := old[q.What]; !ok {
			differences = append(differences, q.What+" is new")
		} else if was != q.Value {
			differences = append(differences, fmt.Sprintf("%s was %s, is %s", q.What, was, q.Value))
		}
		delete(old, q.What)
	}
	for _, q := range p.Run {
		if _, ok := old[q.What]; ok {
			differences = append(differences, q.What+" is gone")
		}
	}
	if len(differences) == 0 {
		return nil
	}
	return &OtherRunError{Dir: filepath.Dir(p.path), Differences: differences}
}

// OtherRunError says that the folder holds an unfinished run of something else.
type OtherRunError struct {
	Dir         string
	Differences []string
}

func (e *OtherRunError) Error() string {
	return fmt.Sprintf("folder %s contains an unfinished run that differs from this run: %s",
		e.Dir, strings.Join(e.Differences, "; "))
}

// empty reports whether no row of the run has been kept.
func (p *progress) empty() bool {
	return !slices.ContainsFunc(p.Files, func(e entry) bool { return e.Complete || e.Position.Rows > 0 })
}

// discard removes the journal and the files that are not complete.
func (p *progress) discard() error {
	var errs []error
	for _, e := range p.Files {
		errs = append(errs, dataset.DiscardAppended(filepath.Join(filepath.Dir(p.path), e.Name+Partial)))
	}
	return errors.Join(append(errs, p.remove())...)
}
