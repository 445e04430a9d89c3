// Tests of arrays that are joined.

package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Arrays of a file that a pattern names are read as one, in the natural order of their names, with an episode each.
func TestJoined(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "e.npz")
	var fields []Field
	want := map[string][]float32{}
	for _, name := range []string{"ep10", "ep2", "ep1", "other", "wide1", "wide2", "byte1", "byte2"} {
		rows := map[string]int{"ep1": 3, "ep2": 0, "ep10": 4}[name]
		width := 2
		if name == "wide2" {
			width = 3
		}
		rows = max(rows, map[bool]int{true: 0, false: 2}[name == "ep2"])
		var data any
		floats := make([]float32, rows*width)
		for i := range floats {
			floats[i] = float32(100*len(fields) + i)
		}
		want[name], data = floats, floats
		if name == "byte2" {
			data = make([]uint8, rows*width)
		}
		fields = append(fields, Field{name, []int{rows, width}, data})
	}
	if err := WriteNPZ(path, fields...); err != nil {
		t.Fatal(err)
	}
	a, err := Open(path + ":ep*")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all := slices.Concat(want["ep1"], want["ep2"], want["ep10"])
	if got, err := readAll(a); err != nil || !slices.Equal(got, all) || !slices.Equal(a.Shape(), []int{7, 2}) {
		t.Errorf("%v of shape %v, %v, want %v", got, a.Shape(), err, all)
	}
	for lo := range 7 {
		for hi := lo + 1; hi <= 7; hi++ {
			got := make([]float32, 2*(hi-lo))
			if err := a.ReadFloat32(got, lo, hi); err != nil || !slices.Equal(got, all[2*lo:2*hi]) {
				t.Errorf("rows %d to %d: %v, %v, want %v", lo, hi-1, got, err, all[2*lo:2*hi])
			}
		}
	}
	number, names := a.Joined()
	if fmt.Sprint(number, names) != "[0 0 0 2 2 2 2] [ep1 ep2 ep10]" {
		t.Errorf("joined %v of %v", number, names)
	}
	if e, err := ReadEpisodes(a, ""); err != nil || !slices.Equal(e.Numbers, number) {
		t.Errorf("episodes %v, %v", e, err)
	}
	r, err := OpenRecording(path+":ep?", ImageOptions{})
	if err != nil || fmt.Sprint(r.Episodes, r.Folders) != "[0 0 0] [ep1 ep2]" {
		t.Errorf("a recording: %+v, %v", r, err)
	} else {
		r.Close()
	}
	for key, want := range map[string]string{
		"x*":    `no array matches "x*"`,
		"wide*": "joined arrays differ in their numbers of rows alone",
		"byte*": "joined arrays differ in their numbers of rows alone",
		"":      "or join several as " + path + ":ep*",
	} {
		if _, err := Open(path + ":" + key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", key, err, want)
		}
	}
	if number, names := counting(t, 3, 2).Joined(); number != nil || names != nil {
		t.Errorf("one array joins %v", names)
	}
}

// The same of HDF5, whose groups a pattern does not cross.
func TestJoined_HDF5(t *testing.T) {
	t.Parallel()
	const file = "hdf5/testdata/ordered.h5"
	a, err := Open(file + ":z0[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if number, names := a.Joined(); len(names) != 10 || len(number) != 12+11+10+9+8+7+6+5+4+3 || a.Len() != len(number) {
		t.Errorf("%d rows of %v", len(number), names)
	}
	_, err = Open("hdf5/testdata/groups_latest.h5:member_*")
	if err == nil || !strings.Contains(err.Error(), "no array matches") {
		t.Errorf("a pattern of another group: %v", err)
	}
}

// Episodes by their lengths or first rows, given or found out by the numbers of rows.
func TestReadEpisodes_PerEpisode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []int64
		kind   string
		rows   []int
		want   string // numbers and kind, or a part of the error
	}{
		{[]int64{2, 0, 3}, "", []int{5}, "[0 0 2 2 2] lengths"},
		{[]int64{2, 0, 3}, "lengths", []int{9, 5}, "[0 0 2 2 2] lengths"},
		{[]int64{0, 2, 3}, "", []int{5}, "[1 1 2 2 2] lengths"}, // lengths before offsets
		{[]int64{0, 2, 4}, "", []int{5}, "[0 0 1 1 2] offsets"},
		{[]int64{0, 2, 3}, "offsets", []int{5}, "[0 0 1 2 2] offsets"},
		{[]int64{2, 0, 3}, "", []int{3}, "[2 0 3] numbers"},
		{[]int64{2, 0, 3}, "", nil, "[2 0 3] numbers"},
		{[]int64{1, 2, 4}, "", []int{5}, "[1 2 4] numbers"},
		{[]int64{2, 0, 3}, "lengths", []int{6}, "3 lengths of episodes with the sum 5, want 6 rows"},
		{[]int64{2, -1, 3}, "lengths", []int{4}, "element 1 is -1"},
		{[]int64{2, 3}, "lengths", nil, "want lengths of episodes and the number of rows"},
		{[]int64{1, 3}, "offsets", []int{5}, "offsets that begin with 1 and end with 3"},
		{[]int64{0, 5}, "offsets", []int{5}, "want offsets that rise from 0 to less than 5"},
		{[]int64{0, 3, 3, 4}, "offsets", []int{5}, "offset 2 is 3 after 3"},
		{[]int64{1 << 40, 1 << 40}, "lengths", []int{5}, "element 0 is 1099511627776"},
	} {
		a, err := NewArray("a", []int{len(c.values)}, c.values)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ReadEpisodes(a, c.kind, c.rows...)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(e.Numbers, " ", e.Kind)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v as %q of %v rows: %s, want %s", c.values, c.kind, c.rows, got, c.want)
		}
	}
}
