// Fuzzing of specifications of blocks.

package stat

import "testing"

// What is read as a specification of blocks is shown as a text that is read as the same.
func FuzzParseBlockSpec(f *testing.F) {
	for _, s := range []string{"", "auto", "episode", "episodes", " 5 ", "1", "0", "-3", "1e3", "9999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := ParseBlockSpec(text)
		if err != nil {
			return
		}
		if again, err := ParseBlockSpec(spec.String()); err != nil || again != spec {
			t.Errorf("%q is %+v, shown as %q, which is %+v: %v", text, spec, spec, again, err)
		}
	})
}
