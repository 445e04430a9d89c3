// Tests of the names of checkpoints.

package text

import "testing"

func TestCutStep(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		run  string
		step float64
		ok   bool
	}{"run/a/100": {"run/a", 100, true}, "run/a/step_2.5": {"run/a", 2.5, true}, "run": {}, "run/a": {}, "/1": {}} {
		if run, step, ok := CutStep(name); run != want.run || step != want.step || ok != want.ok {
			t.Errorf("%s is step %v of %q, %v", name, step, run, ok)
		}
	}
}
