// Why an input is not there.

package source

import (
	"errors"
	"fmt"
	"io/fs"

	"repscope/internal/text"
)

// Absent is why a metric has no number where nothing is wrong: an input that nobody gave.
type Absent string

func (a Absent) Error() string { return string(a) }

// Absentf returns an [Absent] error.
func Absentf(format string, args ...any) error { return Absent(fmt.Sprintf(format, args...)) }

// Few names some of the texts.
func Few(texts []string) string { return text.Few(texts, 5) }

// Reason takes the path out of an error of a file system, which knows a part of it alone.
func Reason(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
