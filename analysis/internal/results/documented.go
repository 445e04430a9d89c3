// Results in the layouts of published scripts.

package results

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"repscope/internal/run"
	"repscope/report"
)

// JSONName checks the name of a file for [Documented].
func JSONName(path string) error {
	if !strings.HasSuffix(path, ".json") {
		return fmt.Errorf("%q: want a name that ends in .json", path)
	}
	return nil
}

// Documented writes a value as JSON to a path of the user's own when all other files of the run
// have their names; an empty path is none.
func Documented(env *run.Env, path string, value any) error {
	if path == "" {
		return nil
	}
	var content bytes.Buffer
	if err := report.Encode(&content, value); err != nil {
		return err
	}
	dir, name := filepath.Split(path)
	env.AfterCommit(func() error {
		files, err := report.Begin(filepath.Clean(dir))
		if err != nil {
			return err
		}
		defer files.Abort()
		if err := files.File(name, func(w io.Writer) error { _, err := w.Write(content.Bytes()); return err }); err != nil {
			return err
		}
		return files.Commit()
	})
	return nil
}
