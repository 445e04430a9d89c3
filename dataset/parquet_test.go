// Parquet files and folders as arrays, tables and recordings.

package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// openSpec opens an array of testdata/parquet until the test ends.
func openSpec(t *testing.T, spec string) *Array {
	t.Helper()
	a, err := Open(filepath.Join("testdata/parquet", spec))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// pictured are the pixels of a picture of testdata/parquet.py.
func pictured(i int) (pixels []float32) {
	for channel := range 3 {
		for k := range 20 {
			pixels = append(pixels, float32(uint8(3*(3*k+channel)+7*i)))
		}
	}
	return pixels
}

func TestParquet_Arrays(t *testing.T) {
	t.Parallel()
	a := openSpec(t, "table.parquet:vec")
	if v, err := readAll(a); err != nil || !slices.Equal(a.Shape(), []int{4, 2}) || v[7] != 2 || a.DType() != Float32 {
		t.Errorf("%v %v, %v", a.Shape(), v, err)
	}
	for spec, want := range map[string]string{
		"table.parquet":                "contains 8 columns; name one",
		"table.parquet:vek":            `no column "vek" (there are id, code, score, count, good, word, vec, at); did you mean "vec"?`,
		"table.parquet:word":           "text",
		"table.parquet:at":             "times are not supported here",
		"missing.parquet:image":        "row 1: is null, want the bytes of an image",
		"plain.parquet:raw":            "text",
		"partial:x":                    "has 1 of the 3 files of split train",
		"mixed:x":                      `column "x" is int64, but float64 in the first file`,
		"hub:image":                    "has the splits test, train; name one and a column as",
		"hub:train/imago":              `did you mean "image"?`,
		"robot:observation.images.top": "is stored as videos",
	} {
		a, err := Open(filepath.Join("testdata/parquet", spec))
		if err == nil {
			_, err = readAll(a)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	a = openSpec(t, "table.parquet:count")
	if _, err := readAll(a); err == nil || !strings.Contains(err.Error(), "row 1 is null") {
		t.Error(err)
	}
}

func TestParquet_Images(t *testing.T) {
	t.Parallel()
	for spec, numbers := range map[string][]int{
		"images.parquet:image": {0, 1, 2}, "images.parquet:image.bytes": {0, 1, 2}, "plain.parquet:png": {0, 1},
		"hub:train/image": {0, 1, 2, 3}, "hub:test/image": {10, 11, 12, 13}, "robot:observation.image": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
	} {
		a := openSpec(t, spec)
		var want []float32
		for _, i := range numbers {
			want = append(want, pictured(i)...)
		}
		if got, err := readAll(a); err != nil || !slices.Equal(a.Shape(), []int{len(numbers), 3, 4, 5}) || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", spec, a.Shape(), err)
		}
	}
}

func TestParquet_Tables(t *testing.T) {
	t.Parallel()
	columns, err := ReadTable("testdata/parquet/table.parquet")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"id", "code", "score", "count", "good", "word", "at"}) {
		t.Error(names)
	}
	id, code, score, count, good, word := columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]
	if !slices.Equal(id.Ints, []int64{5, 6, 7, 8}) || !slices.Equal(code.Texts, []string{"007", "08", "007", "9"}) || !slices.Equal(code.Ints, []int64{0, 1, 0, 2}) ||
		score.Empty() != 1 || score.Floats[3] != 4 || score.Whole || count.Empty() != 1 || count.Floats[2] != 3 || !count.Whole || !good.Bool ||
		word.Empty() != 1 || word.Floats[0] != 1 {
		t.Errorf("%+v", columns)
	}
	for key, want := range map[string]int{"id": -1, "code": -1, "count": 1, "word": 1, "good": -1} {
		a, err := OpenColumn("testdata/parquet/table.parquet:" + key)
		if err != nil {
			t.Error(key, err)
			continue
		}
		v := make([]float64, 4)
		if err := a.ReadFloat64(v, 0, 4); err != nil || slices.IndexFunc(v, func(x float64) bool { return x != x }) != want {
			t.Errorf("%s: %v, %v", key, v, err)
		}
	}
	// Several columns are a matrix.
	a, err := Open("testdata/parquet/table.parquet:score,id")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	v := make([]float64, 8)
	if err := a.ReadFloat64(v, 0, 4); err != nil || fmt.Sprint(a.Shape(), v) != "[4 2] [1.5 5 NaN 6 -2 7 4 8]" {
		t.Error(a.Shape(), v, err)
	}
	_, err = Open("testdata/parquet/table.parquet:score,word")
	if err == nil || !strings.Contains(err.Error(), `column "word" has texts`) {
		t.Error(err)
	}
	// Readers of text read lines of CSV.
	f, err := OpenText("testdata/parquet/table.parquet")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	want := "id,code,score,count,good,word,at\n5,007,1.5,1,true,b,0\n6,08,,,false,,1\n7,007,-2,3,true,a,2\n8,9,4,4,true,b,3\n"
	if err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
	sum, err := f.SHA256()
	if of, _ := FileSHA256("testdata/parquet/table.parquet"); err != nil || sum != of {
		t.Error(sum, err)
	}
}

// A table as text is that of lines of CSV.
func TestParquet_Text(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/parquet/sequences.parquet")
	if err != nil {
		t.Fatal(err)
	}
	text, err := TableText("sequences.parquet", data)
	if err != nil || string(text) != "id,heavy,light\na,EVQL,DIQM\nb,QVQLV,\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestParquet_LeRobot(t *testing.T) {
	t.Parallel()
	r, err := OpenRecording("testdata/parquet/robot:observation.state", ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !slices.Equal(r.Frames.Shape(), []int{12, 2}) || !slices.Equal(r.Episodes, []int64{0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2}) || r.Kind != "LeRobot" || len(r.Folders) != 3 {
		t.Errorf("%v %v %v", r.Frames.Shape(), r.Episodes, r.Folders)
	}
	l, err := List("testdata/parquet/robot")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range l.Items {
		names = append(names, i.Name+" "+i.Type)
	}
	want := "observation.state float32, action float32, next.reward float32, episode_index int64, index int64, timestamp float32, observation.image images, observation.images.top video"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if files := FilesOf("testdata/parquet/robot:action"); len(files) != 2 {
		t.Error(files)
	}
	// A download that is incomplete.
	dir := t.TempDir()
	err = errors.Join(os.CopyFS(dir, os.DirFS("testdata/parquet/robot")), os.Remove(filepath.Join(dir, "data/chunk-000/file-001.parquet")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir + ":action"); err == nil || !strings.Contains(err.Error(), "have 8 rows, meta/info.json says 12") {
		t.Error(err)
	}
}

// TestParquet_LeRobotEpisodes has folders whose parts contradict each other.
func TestParquet_LeRobotEpisodes(t *testing.T) {
	t.Parallel()
	const info, lengths = "meta/info.json", "meta/episodes.jsonl"
	stated := func(episodes int) string {
		return fmt.Sprintf(`{"total_episodes": %d, "total_frames": 12, "features": {"action": {"dtype": "float32"}}}`, episodes)
	}
	for name, c := range map[string]struct {
		rows string // a folder of rows
		file string
		text string
		want string
	}{
		"fewer":        {file: info, text: stated(4), want: "has no rows of episode 3, meta/info.json says 4 episodes"},
		"huge":         {file: info, text: stated(1 << 60), want: "has no rows of episode 3"},
		"more":         {file: info, text: stated(2), want: "row 8 is of episode 2, meta/info.json says 2 episodes"},
		"negative":     {file: info, text: stated(-1), want: "row 0 is of episode 0, meta/info.json says -1 episodes"},
		"length":       {file: lengths, text: `{"episode_index": 1, "length": 7}` + "\n", want: "episode 1 has length 7 there, the data files have 3 rows"},
		"an episode":   {file: lengths, text: `{"episode_index": 9, "length": 7}`, want: "episode 9 has length 7 there, the data files have 0 rows"},
		"no length":    {file: lengths, text: `{"episode_index": 1}`, want: "episodes.jsonl:1: want an object with episode_index and length"},
		"a text":       {file: lengths, text: "\n" + `{"episode_index": "1"}`, want: "episodes.jsonl:2: episode_index is a string, want a whole number"},
		"gap":          {rows: "robot_gap", want: "has no rows of episode 1, meta/info.json says 3 episodes"},
		"again":        {rows: "robot_again", want: "row 8 is of episode 0 again, want the rows of an episode next to each other"},
		"order":        {rows: "robot_order", want: "row 6 of episode 1 has the frame_index 2, want 1: frames are missing, or in another order"},
		"episodes say": {rows: "robot_lengths", want: "episode 2 has length 9 there, the data files have 4 rows"},
	} {
		dir := t.TempDir()
		err := os.CopyFS(dir, os.DirFS("testdata/parquet/robot"))
		if c.rows != "" {
			err = errors.Join(os.RemoveAll(filepath.Join(dir, "data")), os.RemoveAll(filepath.Join(dir, "meta/episodes")), os.CopyFS(dir, os.DirFS("testdata/parquet/"+c.rows)), err)
		}
		if c.file != "" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, "meta/episodes")), os.RemoveAll(filepath.Join(dir, c.file)), os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		if r, err := OpenRecording(dir+":action", ImageOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want %q", name, r, err, c.want)
		}
	}
}

// The index of a data frame is no column of a matrix, unless it is named; an index without a name is no column of a table.
func TestParquet_Index(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][]float32{
		"indexed.parquet:*":                   {1, 4, 2, 5, 3, 6},
		"indexed.parquet:a,__index_level_0__": {1, 2, 2, 0, 3, 1},
		"framed.parquet:*":                    {1, 2, 3},
		"framed.parquet:f*":                   nil,
		"framed.parquet:frame,a":              {7, 1, 8, 2, 9, 3},
		"framed.parquet":                      {1, 2, 3},
		"framed.parquet:frame":                {7, 8, 9},
	} {
		a, err := Open("testdata/parquet/" + key)
		if err != nil {
			if want != nil {
				t.Errorf("%s: %v", key, err)
			}
			continue
		}
		if got, err := readAll(a); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", key, got, err, want)
		}
	}
	for name, want := range map[string][]string{"indexed": {"a", "b"}, "framed": {"a", "frame"}} {
		columns, err := ReadTable("testdata/parquet/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range columns {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: columns %q, want %q", name, names, want)
		}
	}
}
