// The journal of a run that is not complete: what it is, and how far it has come.

package encode

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/atomicfile"
	"repscope/internal/regular"
	"repscope/latent"
)

// JournalName is the journal's name in the output folder.
const JournalName = "encode.partial.json"

// resultName is the name of the result file beside the arrays.
const resultName = "encode.json"

const journalSchema = "repscope/encode-journal/2"

// journal is the file. A position never points behind what is on disk.
//
// The file has two slots of a fixed size, which is that of the longest state the run can
// reach, and is written in full when the run begins. A new state goes into the slot of the
// older one, under a checksum: it takes no more room on a disk that has become full, and
// whenever the writing stops, one of the two is whole. While a run is at work it holds the
// file's lock.
type journal struct {
	Schema   string     `json:"schema"`
	Sequence int64      `json:"sequence"` // of the states, from 1; the higher one counts
	PID      int        `json:"pid"`      // the process that wrote it
	Run      []property `json:"run"`
	Files    []entry    `json:"files"`

	path string
	slot int // bytes of a slot
	file *os.File
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
func openJournal(o Options, run []property, files []File) (_ *journal, err error) {
	j := &journal{Schema: journalSchema, Run: run, path: filepath.Join(o.Dir, JournalName)}
	for _, f := range files {
		j.Files = append(j.Files, entry{Name: f.Name})
	}
	if j.file, err = lockJournal(j.path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.file.Close())
		}
	}()
	old, err := readJournal(j.file, j.path)
	switch {
	case errors.Is(err, errNew):
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
	case err != nil && !j.hasParts():
		// The run ended before its journal was written.
	case err != nil:
		return nil, fmt.Errorf("%w (--restart starts over)", err)
	default:
		if err := j.continues(old); err != nil {
			return nil, err
		}
		return j, j.write() // the process is another one
	}
	return j, j.begin()
}

// continues takes over the state of an interrupted run.
func (j *journal) continues(old *journal) error {
	if err := old.same(j.Run); err != nil {
		return err
	}
	for i := range j.Files {
		k := slices.IndexFunc(old.Files, func(e entry) bool { return e.Name == j.Files[i].Name })
		if k < 0 {
			return fmt.Errorf("%s: file %s is missing (--restart starts over)", j.path, j.Files[i].Name)
		}
		j.Files[i] = old.Files[k]
	}
	j.slot, j.Sequence = old.slot, old.Sequence
	return nil
}

// hasParts reports whether a file of the run has been begun.
func (j *journal) hasParts() bool {
	return slices.ContainsFunc(j.Files, func(e entry) bool {
		_, err := os.Lstat(filepath.Join(filepath.Dir(j.path), e.Name+Partial))
		return err == nil
	})
}

// lockJournal opens the file for this process alone.
func lockJournal(path string) (*os.File, error) {
	f, err := atomicfile.OpenLocked(path)
	if !errors.Is(err, atomicfile.ErrLocked) {
		return f, err
	}
	busy := &BusyError{Dir: filepath.Dir(path)}
	if other, err := regular.Open(path); err == nil {
		if j, err := readJournal(other, path); err == nil {
			busy.PID = j.PID
		}
		_ = other.Close() // it was only read
	}
	return nil, busy
}

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

// errNew says that a journal is empty.
var errNew = errors.New("a new journal")

// readJournal reads the newer of the two states that is whole.
func readJournal(file io.ReaderAt, path string) (*journal, error) {
	data, err := io.ReadAll(io.NewSectionReader(file, 0, maxJournal))
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, errNew
	}
	var newest *journal
	for _, at := range []int{0, len(data) / 2} {
		if j := parseSlot(data[at:]); j != nil && (newest == nil || j.Sequence > newest.Sequence) {
			newest = j
		}
	}
	if newest == nil {
		var other struct{ Schema string }
		if json.Unmarshal(data, &other) == nil && other.Schema != "" {
			return nil, fmt.Errorf("%s: journal of schema %q, want %q", path, other.Schema, journalSchema)
		}
		return nil, fmt.Errorf("%s: the journal of an interrupted run cannot be read", path)
	}
	newest.path = path
	return newest, nil
}

// maxJournal bounds what is read of a journal.
const maxJournal = 1 << 28

// slotHeader begins a slot: its size, that of the state in it, and the state's SHA-256.
const slotHeader = "slot %010d %010d %064x\n"

// slotHead is the length of the header.
const slotHead = len("slot ") + 10 + 1 + 10 + 1 + 64 + 1

// parseSlot reads the state at the beginning of data; nil if it is not whole.
func parseSlot(data []byte) *journal {
	if len(data) < slotHead {
		return nil
	}
	var slot, length int
	var sum []byte
	if n, err := fmt.Sscanf(string(data[:slotHead]), "slot %d %d %x\n", &slot, &length, &sum); n != 3 || err != nil ||
		length < 0 || slot < 0 || length > len(data)-slotHead || slot < slotHead+length {
		return nil
	}
	state := data[slotHead : slotHead+length]
	if want := sha256.Sum256(state); !bytes.Equal(sum, want[:]) {
		return nil
	}
	j := &journal{slot: slot}
	if json.Unmarshal(state, j) != nil || j.Schema != journalSchema {
		return nil
	}
	return j
}

// begin writes both slots in full, so that further states find their room.
func (j *journal) begin() error {
	longest := *j
	longest.Sequence, longest.PID = math.MaxInt64, math.MaxInt64
	longest.Files = slices.Clone(j.Files)
	for i := range longest.Files {
		e := &longest.Files[i]
		e.Position = dataset.AppendPosition{Rows: math.MaxInt64, CRC: math.MaxUint32}
		e.Complete, e.SHA256 = false, strings.Repeat("f", 2*sha256.Size) // "false" is the longer word
	}
	state, err := longest.encode()
	if err != nil {
		return err
	}
	j.slot, j.Sequence = slotHead+len(state)+1, 0
	err = j.file.Truncate(0)
	if err == nil {
		_, err = j.file.WriteAt(bytes.Repeat([]byte{'\n'}, 2*j.slot), 0)
	}
	if err == nil {
		err = j.write()
	}
	if err != nil {
		return errors.Join(err, os.Remove(j.path))
	}
	return nil
}

func (j *journal) encode() ([]byte, error) { return json.MarshalIndent(j, "", "  ") }

// write puts the state into the slot of the older one and forces it to disk.
func (j *journal) write() error {
	j.Sequence, j.PID = j.Sequence+1, os.Getpid()
	state, err := j.encode()
	if err != nil {
		return err
	}
	data := fmt.Appendf(make([]byte, 0, j.slot), slotHeader, j.slot, len(state), sha256.Sum256(state))
	data = append(data, state...)
	if len(data) >= j.slot {
		return fmt.Errorf("%s: a state of %d bytes in a slot of %d", j.path, len(data), j.slot)
	}
	data = append(data, bytes.Repeat([]byte{'\n'}, j.slot-len(data))...)
	if _, err := j.file.WriteAt(data, j.Sequence%2*int64(j.slot)); err != nil {
		return err
	}
	return j.file.Sync()
}

// close gives the folder to other processes.
func (j *journal) close() error { return j.file.Close() }

// remove ends the run. The file goes before its lock where the system allows that.
func (j *journal) remove() error {
	err := os.Remove(j.path)
	closed := j.file.Close()
	if err != nil {
		err = os.Remove(j.path)
	}
	return errors.Join(err, closed)
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
	return fmt.Sprintf("folder %s contains an unfinished run that differs from this run: %s", e.Dir, strings.Join(e.Differences, "; "))
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
	return errors.Join(append(errs, j.remove())...)
}
