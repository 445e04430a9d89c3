// Why an input is not there.

package canvas

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Absent is why a metric has no number where nothing is wrong: an input that nobody gave.
type Absent string

func (a Absent) Error() string { return string(a) }

// absent returns an [Absent] error.
func absent(format string, args ...any) error { return Absent(fmt.Sprintf(format, args...)) }

// few names some of the texts.
func few(texts []string) string {
	const most = 5
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// reasonOf takes the path out of an error of a file system, which knows a part of it alone.
func reasonOf(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// pathError takes the name of the system call out of an error of a file.
func pathError(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return fmt.Errorf("%s: %w", of.Path, of.Err)
	}
	return err
}
