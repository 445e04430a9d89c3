// Tests of inputs that are larger than memory.

package input

import (
	"fmt"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/measure/spectrum"
	"repscope/points"
)

// Products of directions are counted beside what is held, the largest first of all.
func TestRoomForSpectra(t *testing.T) {
	before := remaining
	defer func() { remaining = before }()
	models := []points.Encoded{
		{Name: "narrow", Latents: points.Float32(make([]float32, 4000*3), 3)},
		{Name: "wide", Latents: points.Float32(make([]float32, 1000*2000), 2000)},
	}
	// Twice the products of 1000 directions, 1000 rows of 1000 products, and 512 rows of 2000 coordinates.
	need := int64(8 * (2*1000*1000 + 1000*1000 + 512*2000))
	if got := spectrum.WorkingBytes(1000, 2000); got != need {
		t.Errorf("%d bytes, want %d", got, need)
	}
	need += 1<<20 + 1000*5*12 // of --memory, and of lists of 5 neighbors: an index of 4 bytes, a distance of 8
	for left, want := range map[int64]string{0: "", need: "", need - 1: "wide: the covariance of 1000 latents of 2000 dimensions and its working memory need 33 MB"} {
		d := &Data{env: &run.Env{Options: run.Options{Memory: 1 << 20}}}
		d.held.Add(5 << 20)
		remaining = func(used int64) int64 {
			if used != 5<<20+programBytes {
				t.Errorf("%d bytes are in use", used)
			}
			return left
		}
		err := d.RoomForSpectra(models, d.Searching(1000, 5))
		if text := fmt.Sprint(err); (want == "") != (err == nil) || !strings.Contains(text, want) && want != "" {
			t.Errorf("%d bytes left: %s", left, text)
		}
	}
}

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
		{0, ""}, {16000, ""}, {15999, "b.npy: 10 kB do not fit in memory, with 6 kB of other inputs: this process may use 16 kB"},
		{6399, "a.npy: 6 kB do not fit in memory: this process may use 6 kB"},
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

// unread are states that no test reads, or that count reads.
type unread struct {
	n, read int
}

func (u *unread) Len() int                     { return u.n }
func (u *unread) Shape() []int                 { return []int{4, 4} }
func (u *unread) Fingerprint() (string, error) { return "", nil }
func (u *unread) Float32(dst []float32, lo, hi int) error {
	u.read += hi - lo
	for i := range dst {
		dst[i] = float32(lo + i)
	}
	return nil
}

// Latents are refused before the first state is read; latents that the run keeps stay reserved, others do not.
func TestRoomForLatents(t *testing.T) {
	before := available
	defer func() { available = before }()
	encoder, err := latent.RandomEncoder([]int{4, 4}, latent.RandomOptions{Dim: 8})
	if err != nil {
		t.Fatal(err)
	}
	const bytes = 100 * 8 * 4
	for _, test := range []struct {
		most       int64
		keep, fits bool
		held       int64
	}{
		{0, true, true, bytes}, {1000 + bytes, true, true, 1000 + bytes}, {1000 + bytes, false, true, 1000},
		{999 + bytes, true, false, 1000}, {999 + bytes, false, false, 1000},
	} {
		available = func() int64 { return test.most }
		d := &Data{env: &run.Env{Options: run.Options{Quiet: true}}}
		if test.most > 0 {
			d.held.Add(1000)
		}
		m := &Model{Name: "random", data: d, Encoder: encoder}
		states := &unread{n: 100}
		_, err := m.encode(t.Context(), states, test.keep, "")
		if test.fits != (err == nil) || err != nil && (states.read > 0 || !strings.Contains(err.Error(),
			"latents of 100 states: 3 kB do not fit in memory, with 1 kB of other inputs: this process may use 4 kB")) {
			t.Errorf("%d bytes: %v after %d states", test.most, err, states.read)
		}
		if got := d.held.Load(); got != test.held {
			t.Errorf("%d bytes, kept %t: %d are reserved, want %d", test.most, test.keep, got, test.held)
		}
	}
}
