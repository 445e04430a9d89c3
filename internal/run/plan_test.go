// What --dry-run says of options.

package run

import (
	"testing"

	"repscope/report"
)

// TestOptionText: trees of a configuration are written as in one, whatever Go makes of them.
func TestOptionText(t *testing.T) {
	t.Parallel()
	var inner, tree report.Object
	inner.Set("min_seq_sep", 12)
	inner.Set("logistic", true)
	tree.Set("p_at_l", inner)
	tree.Set("only", []any{"loss", "ppl"})
	tree.Set("none", nil)
	for _, c := range []struct {
		value any
		want  string
	}{
		{tree, "{p_at_l: {min_seq_sep: 12, logistic: true}, only: [loss, ppl], none: null}"}, {[]string{"a", "b"}, "a b"}, {[]string{}, ""}, {[]any{}, ""},
		{0.15, "0.15"}, {"uniform", "uniform"}, {report.Object{}, "{}"},
	} {
		if got := optionText(c.value); got != c.want {
			t.Errorf("%v: %s, want %s", c.value, got, c.want)
		}
	}
}
