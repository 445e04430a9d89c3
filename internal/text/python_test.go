// Literals of Python; values as ast.literal_eval has them.

package text

import (
	"fmt"
	"strings"
	"testing"
)

func TestPythonLiteral(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]string{
		`{'descr': '<f8', "b": (3,), 'c': [1, -2.5e-3, 0.5, True, None]}`:                       `map[b:[3] c:[1 -0.0025 0.5 true <nil>] descr:<f8]`,
		`{'a': nan, 'b': -inf, 'c': np.float64(0.5), 'd': np.bool_(True), 'e': numpy.int32(7)}`: `map[a:NaN b:-Inf c:0.5 d:true e:7]`,
		`'it\'s "so"\n\x41\u00e9\\'`: "it's \"so\"\nAé\\",
		`"C:\data"`:                  `C:\data`,
		`u'x'`:                       `x`,
		`123456789012345678901234`:   `1.2345678901234569e+23`,
		`12L`:                        `12`,
		` { } `:                      `map[]`,
	} {
		if got, err := PythonLiteral(literal); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v, want %s", literal, got, err, want)
		}
	}
	for literal, want := range map[string]string{
		"":                      "the text ends where a value is expected",
		"{'a' 1}":               `no colon after key "a"`,
		"{'a': 1":               `no comma or brace after key "a"`,
		"{1: 2}":                "a key that is a number",
		"{'a':1,'a':2}":         `key "a" twice`,
		"[1 2]":                 "no comma or ']'",
		"'a":                    "a string without a closing quote at character 0",
		`'a\`:                   "a string without a closing quote",
		"-":                     `"-" is no number`,
		"1 2":                   "text follows the value at character 2",
		"array([1])":            `unexpected "array([1])"`,
		"np.float64(1":          "no bracket after a scalar of NumPy",
		"[[[[[[[[[[1]]]]]]]]]]": "nested too deep",
	} {
		if got, err := PythonLiteral(literal); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %s", literal, got, err, want)
		}
	}
}

func FuzzPythonLiteral(f *testing.F) {
	f.Add(`{'a': [1, 2.5, np.float64(nan)], "b": 'c\'\x'}`)
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := PythonLiteral(s); err != nil && v != nil {
			t.Errorf("%v with %v", v, err)
		}
	})
}
