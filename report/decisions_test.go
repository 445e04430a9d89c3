// What is said of decisions.

package report

import "testing"

func TestDecisions_Words(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]Decisions{
		"":                                   {},
		"1 of 1 test decided, in one family": {1, 1, 1, 1},
		"3 of 48 tests decided, in 2 families; 1 with --family run": {2, 48, 3, 1},
	} {
		if got := d.Words(); got != want {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
}
