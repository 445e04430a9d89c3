// Package journal keeps records of work that is not complete, so that nothing is lost when its process is killed: a file
// of lines that one process at a time adds to.
//
//	j, records, err := journal.Open("work.partial", journal.Options{})
//	if err != nil {
//		return err // atomicfile.ErrLocked: another process has it
//	}
//	// Take over what the records say is done.
//	err = j.Add([]byte(`{"unit": 7}`))
//	// When all is done:
//	err = j.Remove()
//
// A line is the CRC-32 of its record in eight hexadecimal digits, the record, and a line feed. It is written with one
// write, which outlives the process. A killed process leaves at most a part of its last line.
package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"sync"
	"time"

	"repscope/internal/atomicfile"
	"repscope/internal/regular"
)

// Options say how a journal is kept.
type Options struct {
	// SyncEvery is the work that a power cut may cost; 0: none.
	SyncEvery time.Duration
}

// Journal is a journal that this process has alone, until Close or Remove. Several goroutines may add records.
type Journal struct {
	o    Options
	path string
	file *os.File

	mu     sync.Mutex
	end    int64 // of the last whole line
	clean  bool  // nothing stands behind the end
	synced time.Time
}

// Open opens the journal at path, or makes an empty one, and returns its records: see [Read]. The file changes with the
// first record that is added. Errors: [atomicfile.ErrLocked], and files of more than a gigabyte.
func Open(path string, o Options) (*Journal, [][]byte, error) {
	file, err := atomicfile.OpenLocked(path)
	if err != nil {
		return nil, nil, err
	}
	data, err := regular.All(context.Background(), path, file, regular.Table)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	records, end := Read(data)
	return &Journal{o: o, path: path, file: file, end: int64(end), clean: end == len(data), synced: time.Now()},
		records, nil
}

// checksumLength is the length of a line's checksum.
const checksumLength = 8

func checksum(record []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(record)) }

// Read returns the records of whole lines, and where these end. A line that a broken disk has changed is passed over.
func Read(data []byte) (records [][]byte, end int) {
	end = bytes.LastIndexByte(data, '\n') + 1
	for line := range bytes.Lines(data[:end]) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if len(line) > checksumLength && string(line[:checksumLength]) == checksum(line[checksumLength:]) {
			records = append(records, line[checksumLength:])
		}
	}
	return records, end
}

// Add adds a record, which has no line feed. After an error of writing the journal is as it was before.
func (j *Journal) Add(record []byte) error {
	if bytes.IndexByte(record, '\n') >= 0 {
		return fmt.Errorf("%s: a record of several lines", j.path)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.clean {
		if err := j.file.Truncate(j.end); err != nil {
			return err
		}
	}
	line := fmt.Appendf(nil, "%s%s\n", checksum(record), record)
	n, err := j.file.WriteAt(line, j.end)
	if j.clean = err == nil; err != nil {
		return err
	}
	j.end += int64(n)
	if j.o.SyncEvery > 0 && time.Since(j.synced) < j.o.SyncEvery {
		return nil
	}
	j.synced = time.Now()
	return j.file.Sync()
}

// Clear removes all records.
func (j *Journal) Clear() error {
	j.end, j.clean = 0, true
	return j.file.Truncate(0)
}

// Empty reports whether the file is empty.
func (j *Journal) Empty() bool { return j.end == 0 && j.clean }

// Close leaves the journal to the next process.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }

// Remove removes the journal, before others can have its lock where the system allows that.
func (j *Journal) Remove() error {
	err := os.Remove(j.path)
	closed := j.file.Close()
	if err != nil {
		err = os.Remove(j.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, closed)
}
