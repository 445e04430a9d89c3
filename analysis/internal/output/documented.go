// Results in the layouts of published scripts.

package output

import (
	"fmt"
	"io"
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

// Documented writes a value as JSON to a path of the user's own, among the files of the run; an empty path is none.
func Documented(env *run.Env, path string, value any) error {
	if path == "" {
		return nil
	}
	return env.Files.Elsewhere(path, func(w io.Writer) error { return report.Encode(w, value) })
}
