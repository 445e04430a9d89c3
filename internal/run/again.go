// Runs that would write what an earlier one has written.

package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/report"
)

// AsBefore reports whether a run has found what an earlier one with the same --out has: the files so far
// and the result, but for its time, have the same bytes, and every figure that would be drawn is there. It is called
// before the figures are drawn. The warnings of figures come from the earlier run.
func (e *Env) AsBefore(ctx context.Context, drawings []Drawing) (bool, error) {
	if e.Options.Methods || !e.Files.Unchanged() {
		return false, nil
	}
	earlier, err := report.Read(filepath.Join(e.Options.Out, e.Command.Name+".json"))
	if err != nil {
		return false, nil // there is none, or none that could stay
	}
	result := *e.Result
	result.Started, result.Elapsed = earlier.Started, earlier.Elapsed
	ofFigures := slices.DeleteFunc(slices.Clone(earlier.Warnings), func(w string) bool {
		return !strings.HasPrefix(w, "figure ")
	})
	result.Warnings = slices.Concat(result.Warnings, ofFigures)
	var before, now bytes.Buffer
	if err := earlier.Write(&before); err != nil {
		return false, err
	}
	if err := result.Write(&now); err != nil || !bytes.Equal(before.Bytes(), now.Bytes()) {
		return false, err
	}
	for _, d := range drawings {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if e.drawn(d.Name) {
			continue
		}
		if figure, err := d.Draw(); err != nil || figure != nil {
			return false, err
		}
	}
	for _, w := range ofFigures {
		e.Warn("%s", w)
	}
	return true, nil
}

// drawn reports whether the files of a figure are there.
func (e *Env) drawn(name string) bool {
	for _, format := range e.Options.figures() {
		info, err := os.Stat(filepath.Join(e.Options.Out, filepath.FromSlash(name)+"."+format))
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// largestEarlier bounds the earlier results that are read to name what a run replaces.
const largestEarlier = 16 << 20

// replaced names the inputs of the earlier result in --out that this run does not have: that result is lost. Empty
// where there is none, all its inputs are here, or it is large.
func (e *Env) replaced() string {
	path := filepath.Join(e.Options.Out, e.Command.Name+".json")
	if info, err := os.Stat(path); err != nil || info.Size() > largestEarlier {
		return ""
	}
	earlier, err := report.Read(path)
	if err != nil {
		return ""
	}
	var lost []string
	for _, in := range earlier.Inputs {
		same := func(now report.Input) bool { return now.SHA256 == in.SHA256 }
		if in.SHA256 == "" || slices.ContainsFunc(e.Result.Inputs, same) {
			continue
		}
		lost = append(lost, strings.TrimSpace(in.Role+" "+in.Name)+" ("+in.Path+")")
	}
	if len(lost) == 0 {
		return ""
	}
	const limit = 3
	if more := len(lost) - limit; more > 0 {
		lost = append(lost[:limit], fmt.Sprintf("%d more", more))
	}
	return "it replaces an earlier result with " + strings.Join(lost, ", ") + "; use --out for another folder"
}
