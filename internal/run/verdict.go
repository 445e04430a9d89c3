// Checks of a run that decide its exit status, for people and for continuous integration.

package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"repscope/report/junit"
)

// Verdict enters checks. They go into a JUnit file if path names one, all files are written, and then a failure fails
// the run. GitHub Actions, which sets GITHUB_ACTIONS, shows failures as errors of the result file: it reads both
// outputs of a step, and standard output may be the result.
func (e *Env) Verdict(path string, cases []junit.Check) error {
	if path != "" {
		if err := e.Files.Elsewhere(Expand(path), func(w io.Writer) error {
			return junit.Write(w, e.Command.Name,
				cases)
		}); err != nil {
			return err
		}
	}
	var failures []string
	for _, c := range cases {
		if c.Failure != "" {
			failures = append(failures, c.Failure)
		}
	}
	if failures == nil {
		return nil
	}
	e.AfterCommit(func() error {
		if os.Getenv("GITHUB_ACTIONS") == "true" {
			file := filepath.ToSlash(filepath.Join(e.Options.Out, e.Command.Name+".json"))
			for _, line := range junit.Annotations(e.Command.Name, file, cases) {
				fmt.Fprintln(e.stderr, line)
			}
		}
		return errors.New(strings.Join(failures, "\n"))
	})
	return nil
}

// JUnitName is wrong usage of a name of a JUnit file, and of one without checks.
func JUnitName(path, flag string, checks bool) error {
	switch {
	case path == "":
		return nil
	case filepath.Ext(path) != ".xml":
		return Usage("--junit %s: want a name that ends in .xml", path)
	case !checks:
		return Usage("--junit is for the checks of --%s; there are none", flag)
	}
	return nil
}
