// Tests of inputs that are larger than memory.

package input

import (
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

// What the headers announce is refused before it is read, all inputs together, in words.
func TestRoom(t *testing.T) {
	before := available
	defer func() { available = before }()
	dir := t.TempDir()
	for name, rows := range map[string]int{"a": 100, "b": 150} { // 8 float64 in a row: 6400 and 9600 bytes
		if err := dataset.WriteNPY(dir+"/"+name+".npy", []int{rows, 8}, make([]float64, 8*rows)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		most int64
		want string
	}{
		{0, ""}, {16000, ""}, {15999, "b.npy: 10 kB would be held in memory, with 6 kB of other inputs, but this process may use 16 kB"},
		{6399, "a.npy: 6 kB would be held in memory, but this process may use 6 kB"},
	} {
		available = func() int64 { return test.most }
		d := &Data{}
		var err error
		for _, name := range []string{"a", "b"} {
			a, failed := dataset.Open(dir + "/" + name + ".npy")
			if failed != nil {
				t.Fatal(failed)
			}
			defer a.Close()
			if err == nil {
				err = d.holdLatents(a, "")
			}
		}
		if text := ""; err != nil {
			if text = err.Error(); test.want == "" || !strings.Contains(text, test.want) {
				t.Errorf("%d bytes: %s", test.most, text)
			}
		} else if test.want != "" {
			t.Errorf("%d bytes: no error, want %s", test.most, test.want)
		}
		if d := (&Data{plan: &run.Plan{}}); d.hold(1<<40, "x") != nil {
			t.Error("a plan holds nothing")
		}
	}
}
