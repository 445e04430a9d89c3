// Tests of JSON with numbers that JSON does not have.

package text

import "testing"

func TestWithoutNaN(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		changed    bool
	}{
		{`{"a": NaN, "b": [-Infinity, Infinity, -1]}`, `{"a": null, "b": [null, null, -1]}`, true},
		{`{"NaN": "a \" NaN \\", "b": 1}`, `{"NaN": "a \" NaN \\", "b": 1}`, false},
		{"", "", false}, {`"\`, `"\`, false}, {"NaNN", "nullN", true},
	} {
		got, changed := WithoutNaN([]byte(c.text))
		if string(got) != c.want || changed != c.changed {
			t.Errorf("WithoutNaN(%s) = %s, %v, want %s, %v", c.text, got, changed, c.want, c.changed)
		}
	}
}
