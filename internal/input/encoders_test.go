// What is said of layers that are not there.

package input

import "testing"

func TestOtherCase(t *testing.T) {
	t.Parallel()
	names := []string{"/conv1/Conv_output_0", "/act/Relu_output_0", "/act/Relu", "Ü/Ärger"}
	for _, c := range []struct{ pattern, want string }{
		{"*relu*", "*Relu*"},
		{"*RELU", "*Relu"},
		{"/ACT/re?u", "/act/Re?u"},
		{"*gelu*", ""},
		{"ü*", "Ü*"},
		{"*(", ""},
		{"*", "*"},
		{"", ""},
	} {
		if got := otherCase(c.pattern, names); got != c.want {
			t.Errorf("%q: got %q, want %q", c.pattern, got, c.want)
		}
	}
}
