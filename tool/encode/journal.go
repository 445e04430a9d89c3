// The journal of a run that is not complete: what it is, and how far it has come.

package encode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/atomicfile"
	"repscope/latent"
)

// JournalName is the journal's name in the output folder.
const JournalName = "encode.partial.json"

// resultName is the name of the result file beside the arrays.
const resultName = "encode.json"

const journalSchema = "repscope/encode-journal/1"

// journal is the file. A position never points behind what is on disk.
type journal struct {
	Schema string     `json:"schema"`
	Run    []property `json:"run"`
	Files  []entry    `json:"files"`

	path string
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
			f.DType, f.Shape, f.Model, f.Output.Layer.Name, poolName(f.Output.Pool), o.Format)})
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

// openJournal finds the journal of an interrupted run, or begins a new one.
func openJournal(o Options, run []property, files []File) (*journal, error) {
	j := &journal{Schema: journalSchema, Run: run, path: filepath.Join(o.Dir, JournalName)}
	for _, f := range files {
		j.Files = append(j.Files, entry{Name: f.Name})
	}
	old, err := readJournal(j.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case o.Restart:
		// What an unreadable journal left is found by the names of this run.
		left := j.Files
		if err == nil {
			left = append(left, old.Files...)
		}
		for _, e := range left {
			if err := dataset.DiscardAppended(filepath.Join(o.Dir, filepath.Base(e.Name)+Partial)); err != nil {
				return nil, err
			}
		}
	case err != nil:
		return nil, fmt.Errorf("%w (--restart begins anew)", err)
	default:
		if err := old.same(run); err != nil {
			return nil, err
		}
		for i := range j.Files {
			k := slices.IndexFunc(old.Files, func(e entry) bool { return e.Name == j.Files[i].Name })
			if k < 0 {
				return nil, fmt.Errorf("%s: file %s is missing (--restart begins anew)", j.path, j.Files[i].Name)
			}
			j.Files[i] = old.Files[k]
		}
		return j, nil
	}
	return j, j.write()
}

func readJournal(path string) (*journal, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	j := &journal{path: path}
	if err := json.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("%s: the journal of an interrupted run cannot be read: %w", path, err)
	}
	if j.Schema != journalSchema {
		return nil, fmt.Errorf("%s: journal of schema %q, want %q", path, j.Schema, journalSchema)
	}
	return j, nil
}

// same says how the interrupted run differs from this one.
func (j *journal) same(run []property) error {
	old := map[string]string{}
	for _, p := range j.Run {
		old[p.What] = p.Value
	}
	var differences []string
	for _, p := range run {
		if was, ok := old[p.What]; !ok {
			differences = append(differences, p.What+" is new")
		} else if was != p.Value {
			differences = append(differences, fmt.Sprintf("%s was %s, is %s", p.What, was, p.Value))
		}
		delete(old, p.What)
	}
	for _, p := range j.Run {
		if _, ok := old[p.What]; ok {
			differences = append(differences, p.What+" is gone")
		}
	}
	if len(differences) == 0 {
		return nil
	}
	return &OtherRunError{Dir: filepath.Dir(j.path), Differences: differences}
}

// OtherRunError says that the folder holds an unfinished run of something else.
type OtherRunError struct {
	Dir         string
	Differences []string
}

func (e *OtherRunError) Error() string {
	return fmt.Sprintf("folder %s holds an unfinished run that differs from this one: %s", e.Dir, strings.Join(e.Differences, "; "))
}

// empty reports whether no row of the run has been kept.
func (j *journal) empty() bool {
	return !slices.ContainsFunc(j.Files, func(e entry) bool { return e.Complete || e.Position.Rows > 0 })
}

// discard removes the journal and the files that are not complete.
func (j *journal) discard() error {
	var errs []error
	for _, e := range j.Files {
		errs = append(errs, dataset.DiscardAppended(filepath.Join(filepath.Dir(j.path), e.Name+Partial)))
	}
	return errors.Join(append(errs, os.Remove(j.path))...)
}

// write replaces the journal, which is complete or the one before at any time.
func (j *journal) write() error {
	o := atomicfile.Options{Sync: true, Temporary: j.path + ".tmp"} // a killed run leaves one such file, not many
	return atomicfile.Write(j.path, o, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(j)
	})
}
