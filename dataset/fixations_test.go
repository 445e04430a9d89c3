// Fixations: tables with and without a header, pictures, arrays, and errors.

package dataset

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParseFixations(t *testing.T) {
	t.Parallel()
	marked := image.NewGray(image.Rect(0, 0, 3, 2))
	marked.SetGray(2, 0, color.Gray{255})
	marked.SetGray(0, 1, color.Gray{255})
	for name, c := range map[string]struct {
		data string
		want Fixations
	}{
		"no header":    {"1,2\n3.5,-4\n", Fixations{X: []float64{1, 3.5}, Y: []float64{2, -4}}},
		"header":       {"x,y\n1,2\n", Fixations{X: []float64{1}, Y: []float64{2}}},
		"other names":  {"Y , time, X\n2,0.1,1\n4,0.2,3\n", Fixations{X: []float64{1, 3}, Y: []float64{2, 4}}},
		"mark":         {"\ufeffx;y\r\n1;2\r\n", Fixations{X: []float64{1}, Y: []float64{2}}},
		"tabs":         {"FIXATION_X\tFIXATION_Y\n1e1\t2\n", Fixations{X: []float64{10}, Y: []float64{2}}},
		"savetxt":      {"# x,y\n1.0e+00,2.0e+00\n", Fixations{X: []float64{1}, Y: []float64{2}}},
		"blinks":       {"x,y\nnan,2\n1,2\n,\n3,\n", Fixations{X: []float64{1}, Y: []float64{2}, Missing: 3}},
		"nothing seen": {"x,y\n", Fixations{}},
		"samples": {"sample,x,y\na,1,2\nb,3,4\na,nan,5\na,6,7\n", Fixations{X: []float64{1, 3, 6}, Y: []float64{2, 4, 7},
			Samples: []string{"a", "b", "a"}, Missing: 1}},
		"no sample seen": {"gid,x,y\na,nan,5\n", Fixations{Samples: []string{}, Missing: 1}},
		"picture":        {string(pngOf(t, marked)), Fixations{Width: 3, Height: 2, X: []float64{2.5, 0.5}, Y: []float64{0.5, 1.5}}},
		"no mark":        {string(pngOf(t, image.NewGray(image.Rect(0, 0, 3, 2)))), Fixations{Width: 3, Height: 2}},
		"array of marks": {string(npyOf(t, []int{2, 3}, []bool{false, false, true, true, false, false})), Fixations{Width: 3, Height: 2,
			X: []float64{2.5, 0.5}, Y: []float64{0.5, 1.5}}},
		"points": {string(npyOf(t, []int{3, 2}, []float32{1, 2, float32(math.NaN()), 0, 3.5, 4})),
			Fixations{X: []float64{1, 3.5}, Y: []float64{2, 4}, Missing: 1}},
	} {
		f, err := ParseFixations("f", []byte(c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same := f.Width == c.want.Width && f.Height == c.want.Height && f.Missing == c.want.Missing && (f.Samples == nil) == (c.want.Samples == nil)
		if !same || !slices.Equal(f.X, c.want.X) || !slices.Equal(f.Y, c.want.Y) || !slices.Equal(f.Samples, c.want.Samples) {
			t.Errorf("%s: %+v, want %+v", name, f, c.want)
		}
	}
}

func TestParseFixationsErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"empty":         {" \n", "the file is empty; want rows x,y"},
		"other header":  {"a,b\n1,2\n", `there is no column "x"; the columns are a, b, want x, y`},
		"x twice":       {"x,X,y\n1,2,3\n", "the columns x and X both contain x; want one of them"},
		"three":         {"1,2,3\n", "rows of 3 numbers without a header, want x,y"},
		"text":          {"x,y\n1,2\n1,two\n", `line 3: "two" is not a number`},
		"infinite":      {"x,y\n1,inf\n", "line 2: the point (1, +Inf), want finite numbers"},
		"short":         {"x,y\n1\n", "line 2 does not have the same number of cells as the first line"},
		"quote":         {"x,y\n\"1,2\n", "line 2"},
		"density":       {string(npyOf(t, []int{2, 3}, []float32{0, 1, 2, 3, 4, 5})), "found 1 and 2 at column 2, row 0; want an image of 0"},
		"not a number":  {string(npyOf(t, []int{1, 3}, []float32{0, 1, float32(math.NaN())})), "found 1 and NaN"},
		"infinite rows": {string(npyOf(t, []int{2, 2}, []float64{0, 1, 2, math.Inf(-1)})), "row 1: the point (2, -Inf)"},
		"other bytes":   {"\x00\x01\x02", "not a PNG, JPEG, WebP or TIFF file"},
	} {
		f, err := ParseFixations("dir/f.csv", []byte(c.data))
		if err == nil || !strings.HasPrefix(err.Error(), "dir/f.csv: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %q", name, f, err, c.want)
		}
	}
}

func FuzzParseFixations(f *testing.F) {
	for _, text := range []string{"x,y\n1,2\n", "1;2\n", "sample\tx\ty\na\t1\t\n", "# x,y\n", "\ufeffx,y\n\"1\",2\n"} {
		f.Add([]byte(text))
	}
	f.Add(npyOf(f, []int{2, 2}, []float32{1, 2, 3, 4}))
	f.Add(pngOf(f, image.NewGray(image.Rect(0, 0, 3, 2))))
	f.Fuzz(func(t *testing.T, data []byte) {
		matches, err := ParseFixations("the file", data)
		if err != nil {
			if !strings.Contains(err.Error(), "the file") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if len(matches.X) != len(matches.Y) || matches.Samples != nil && len(matches.Samples) != len(matches.X) {
			t.Errorf("%d x, %d y, %d samples", len(matches.X), len(matches.Y), len(matches.Samples))
		}
		for i := range matches.X {
			if math.IsInf(matches.X[i], 0) || math.IsInf(matches.Y[i], 0) || matches.X[i] != matches.X[i] || matches.Y[i] != matches.Y[i] {
				t.Errorf("fixation %d is (%v, %v)", i, matches.X[i], matches.Y[i])
			}
		}
	})
}
