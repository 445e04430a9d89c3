// The journal of a run: the rows of the cases that are finished, so that nothing is lost when it is
// interrupted.

package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"repscope/internal/atomicfile"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
)

// JournalFile is its name in the folder of the run.
const JournalFile = "evaluation_results.partial"

// syncEvery is how much work a power cut may cost; the end of the process costs none.
const syncEvery = time.Second

// journal is a file of lines: the checksum of the rest of the line in eight hexadecimal digits, and
// a record as JSON. Lines are only ever added, whole but for the last when the process was killed,
// and the file is gone when its rows are in the files of rows. A run holds its lock.
type journal struct {
	path    string
	file    *os.File
	records []record // of a run that was interrupted
	synced  time.Time
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
func openJournal(dir string) (*journal, error) {
	j := &journal{path: filepath.Join(dir, JournalFile), synced: time.Now()}
	var err error
	if j.file, err = atomicfile.OpenLocked(j.path); err != nil {
		if errors.Is(err, atomicfile.ErrLocked) {
			return nil, run.Hint(fmt.Errorf("%s: another run is writing into this folder", dir), "wait for it, or choose another folder with --out")
		}
		return nil, run.PathError(err)
	}
	data, err := regular.All(context.Background(), j.path, j.file, regular.Table)
	if err == nil {
		var whole int
		j.records, whole = parseJournal(data)
		if whole < len(data) { // what the next line would be added to
			err = j.file.Truncate(int64(whole))
		}
		if err == nil {
			_, err = j.file.Seek(int64(whole), io.SeekStart)
		}
	}
	if err != nil {
		return nil, errors.Join(run.PathError(err), j.file.Close())
	}
	return j, nil
}

// parseJournal reads records, and says how much of the data is whole lines. A line that a broken
// disk has changed is passed over.
func parseJournal(data []byte) (records []record, whole int) {
	whole = bytes.LastIndexByte(data, '\n') + 1
	for line := range bytes.Lines(data[:whole]) {
		if r, ok := parseRecord(bytes.TrimSuffix(line, []byte{'\n'})); ok {
			records = append(records, r)
		}
	}
	return records, whole
}

// checksumLength is the length of a line's checksum.
const checksumLength = 8

// parseRecord reads a line.
func parseRecord(line []byte) (record, bool) {
	var r record
	if len(line) <= checksumLength || string(line[:checksumLength]) != checksum(line[checksumLength:]) {
		return r, false
	}
	value, err := report.Parse(JournalFile, line[checksumLength:])
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

// checksum is the checksum of a line without its beginning.
func checksum(text []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) }

// add adds a record with one write, which outlives the process.
func (j *journal) add(r record) error {
	var object report.Object
	object.Set("file", r.file)
	object.Set("alone", r.alone)
	object.Set("steps", r.steps)
	object.Set("row", r.row)
	var text, line bytes.Buffer
	if err := report.Encode(&text, object); err != nil {
		return err
	}
	line.WriteString(strings.Repeat(" ", checksumLength))
	if err := json.Compact(&line, text.Bytes()); err != nil {
		return err
	}
	copy(line.Bytes(), checksum(line.Bytes()[checksumLength:]))
	line.WriteByte('\n')
	if _, err := j.file.Write(line.Bytes()); err != nil {
		return run.PathError(err)
	}
	if time.Since(j.synced) < syncEvery {
		return nil
	}
	j.synced = time.Now()
	return j.file.Sync()
}

// close leaves the journal to the next run, or to none if it is empty.
func (j *journal) close() error {
	if info, err := j.file.Stat(); err == nil && info.Size() == 0 {
		return j.remove()
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}

// remove removes the journal, before others can have its lock.
func (j *journal) remove() error { return errors.Join(run.Remove(j.path), j.file.Close()) }
