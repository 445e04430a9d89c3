// Records of tables: the mark before them, what parts their cells, and the names in the first.

package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/mmap"
)

// headerBytes is how much of a first line is looked at for what parts its cells.
const headerBytes = 1 << 16

// TableReader reads the records of a table; name is that of its file. Cells are parted by tabs in a
// .tsv, else by what parts those of the first line: commas, semicolons, tabs or bars, of which it
// has most outside of quotes. A byte order mark is passed over.
func TableReader(name string, r io.Reader) *csv.Reader {
	b := bufio.NewReaderSize(r, headerBytes)
	if first, _ := b.Peek(len(mark)); string(first) == mark {
		_, _ = b.Discard(len(mark))
	}
	head, _ := b.Peek(headerBytes)
	reader := csv.NewReader(b)
	reader.Comma, reader.ReuseRecord = separatorOf(name, head), true
	return reader
}

// fileReader is [TableReader] of an open file, whose records begin at an offset.
func fileReader(file *mmap.File) (reader *csv.Reader, offset int64) {
	offset = markSize(file)
	head := make([]byte, min(headerBytes, file.Size()-offset))
	_, _ = file.ReadAt(head, offset)
	reader = csv.NewReader(io.NewSectionReader(file, offset, file.Size()-offset))
	reader.Comma, reader.ReuseRecord = separatorOf(file.Path(), head), true
	return reader, offset
}

// separatorOf is what parts the cells of a table that begins with head.
func separatorOf(name string, head []byte) rune {
	if strings.EqualFold(filepath.Ext(name), ".tsv") {
		return '\t'
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	const separators = ",;\t|"
	var counts [len(separators)]int
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if k := strings.IndexByte(separators, c); k >= 0 && !quoted {
			counts[k]++
		}
	}
	most := 0
	for k, n := range counts {
		if n > counts[most] {
			most = k
		}
	}
	return rune(separators[most])
}

// readHeader reads the names of columns. The first may be empty, as that of the row numbers that
// pandas writes is.
func readHeader(reader *csv.Reader) ([]string, error) {
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the table is empty; want a line of names and rows")
	}
	if err != nil {
		return nil, tableError(err)
	}
	names := slices.Clone(header)
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		switch {
		case names[i] == "" && (i > 0 || len(names) == 1):
			return nil, fmt.Errorf("column %d has no name in the first line", i+1)
		case slices.Contains(names[:i], names[i]):
			return nil, fmt.Errorf("two columns are named %q", names[i])
		}
	}
	return names, nil
}

// mark is the byte order mark that some programs write before text in UTF-8.
const mark = "\ufeff"

// markSize is the number of bytes of a mark at the beginning of a file.
func markSize(file io.ReaderAt) int64 {
	var first [len(mark)]byte
	if n, _ := file.ReadAt(first[:], 0); string(first[:n]) == mark {
		return int64(n)
	}
	return 0
}

// tableError says what is wrong with a line.
func tableError(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return fmt.Errorf("line %d has another number of cells than the first", parse.Line)
	}
	return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
}
