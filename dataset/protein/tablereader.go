// Tables whose rows are read from the file one at a time.

package protein

import (
	"encoding/csv"
	"io"

	"repscope/dataset"
	"repscope/internal/tabular"
)

// openRows opens the table of a file; its records begin at offset.
func openRows(file dataset.TextFile) (rows *csv.Reader, names []string, offset int64, err error) {
	offset = markSize(file)
	head := make([]byte, min(tabular.HeadBytes, file.Size()-offset))
	_, _ = file.ReadAt(head, offset)
	o := tabular.Options{Separator: tabular.Separator(file.Path(), head)}
	rows, names, err = tabular.Open(file.Path(), io.NewSectionReader(file, offset, file.Size()-offset), o)
	return rows, names, offset, err
}

// markSize is the number of bytes of a mark at the beginning of a file.
func markSize(file io.ReaderAt) int64 {
	var first [len(tabular.Mark)]byte
	if n, _ := file.ReadAt(first[:], 0); string(first[:n]) == tabular.Mark {
		return int64(n)
	}
	return 0
}
