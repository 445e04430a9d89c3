// Names of checkpoints.

package text

import (
	"regexp"
	"strconv"
)

// stepName is a run, and a last part that ends with its number.
var stepName = regexp.MustCompile(`^(.*\S)/[^/0-9]*([0-9]+(?:\.[0-9]+)?)$`)

// CutStep cuts the name of a checkpoint into its run and its step: run/a/100 and run/a/step_100 are step 100 of run/a.
func CutStep(name string) (run string, step float64, ok bool) {
	m := stepName.FindStringSubmatch(name)
	if m == nil {
		return "", 0, false
	}
	step, err := strconv.ParseFloat(m[2], 64)
	return m[1], step, err == nil
}
