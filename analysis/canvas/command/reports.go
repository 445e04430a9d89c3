// Reports of cases.

package command

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/store"
	"repscope/internal/atomicfile"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/report"
)

// encodeReport writes a picture as a PNG file, any other value as JSON.
func encodeReport(w io.Writer, value any) error {
	if picture, ok := value.(image.Image); ok {
		return png.Encode(w, picture)
	}
	return report.Encode(w, value)
}

// writeReports writes the reports of a case at once, so that they are not held until the end.
func (s *settings) writeReports(env *run.Env, row *canvas.CaseRow) error {
	for name, value := range row.Row.Reports {
		path := filepath.Join(env.Files.Dir(), store.ReportPath(row.Case, name)+store.Partial)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return regular.PathError(err)
		}
		err := atomicfile.Write(path, atomicfile.Options{}, func(w io.Writer) error { return encodeReport(w, value) })
		if err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}

// adoptReports gives the reports of this run, and of one that was interrupted, their names with the other files.
func adoptReports(files *report.Transaction) error {
	for _, folder := range store.ReportFolders {
		err := filepath.WalkDir(filepath.Join(files.Dir(), folder), func(path string, d fs.DirEntry, err error) error {
			name, whole := strings.CutSuffix(path, store.Partial)
			if err != nil || d.IsDir() || !whole {
				return err
			}
			if name, err = filepath.Rel(files.Dir(), name); err != nil {
				return err
			}
			return files.Adopt(filepath.ToSlash(name), path, "")
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
