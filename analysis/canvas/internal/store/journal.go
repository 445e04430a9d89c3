// The journal of a run: the rows of the cases that are finished, so that nothing is lost when it is
// interrupted.

package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"repscope/internal/atomicfile"
	"repscope/internal/journal"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
)

// JournalFile is its name in the folder of the run.
const JournalFile = "evaluation_results.partial"

// syncEvery is how much work a power cut may cost; the end of the process costs none.
const syncEvery = time.Second

// rowJournal has the rows of the cases that are finished, as JSON. It is gone when its rows are in the files of rows.
type rowJournal struct {
	*journal.Journal
	records []record // of a run that was interrupted
}

// record is the row of a case.
type record struct {
	file  string // of the row
	key   rowKey
	row   report.Object
	alone bool // it takes the place of rows of other definitions too
	steps bool // the run writes snapshots too
}

// openJournal opens the journal in a folder and reads its records.
func openJournal(dir string) (*rowJournal, error) {
	file, lines, err := journal.Open(filepath.Join(dir, JournalFile), journal.Options{SyncEvery: syncEvery})
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return nil, run.Hint(fmt.Errorf("%s: another run is writing into this folder", dir),
			"wait for it, or choose another folder with --out")
	case err != nil:
		return nil, regular.PathError(err)
	}
	return &rowJournal{file, parseRecords(lines)}, nil
}

// parseRecords reads records. A line that is none is passed over.
func parseRecords(lines [][]byte) (records []record) {
	for _, line := range lines {
		if r, ok := parseRecord(line); ok {
			records = append(records, r)
		}
	}
	return records
}

// parseRecord reads a line.
func parseRecord(line []byte) (record, bool) {
	var r record
	value, err := report.Parse(JournalFile, line)
	object, ok := value.(report.Object)
	if err != nil || !ok {
		return r, false
	}
	r.file, _ = ofText(object, "file")
	alone, _ := object.Get("alone")
	steps, _ := object.Get("steps")
	r.alone, _ = alone.(bool)
	r.steps, _ = steps.(bool)
	r.row = objectOf(object, "row")
	r.key, err = parseKey(r.row)
	return r, err == nil && (r.file == ResultsFile || r.file == baseFile)
}

// add adds a record.
func (j *rowJournal) add(r record) error {
	var object report.Object
	object.Set("file", r.file)
	object.Set("alone", r.alone)
	object.Set("steps", r.steps)
	object.Set("row", r.row)
	var text, line bytes.Buffer
	if err := report.Encode(&text, object); err != nil {
		return err
	}
	if err := json.Compact(&line, text.Bytes()); err != nil {
		return err
	}
	return regular.PathError(j.Add(line.Bytes()))
}

// close leaves the journal to the next run, or to none if it is empty.
func (j *rowJournal) close() error {
	if j.Empty() {
		return regular.PathError(j.Remove())
	}
	return j.Close()
}
