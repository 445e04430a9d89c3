// WebP and JPEG files, and files with an orientation, against Pillow.

package dataset

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// photoCase is a file that testdata/photos.py wrote.
type photoCase struct {
	Name         string
	Data, Pixels []byte
	Shape        []int
	Tolerance    float64
	// Error is in the message if the file is refused, Note in the notes.
	Error, Note string
}

func photoCases(t testing.TB) (cases []photoCase) {
	t.Helper()
	data, err := os.ReadFile("testdata/photos.json")
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	return cases
}

// The pixels equal Pillow's, turned upright, or the file is refused.
func TestPhotos(t *testing.T) {
	t.Parallel()
	for _, c := range photoCases(t) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.Name), c.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Open(dir)
		var pixels []float32
		if err == nil {
			pixels, err = readAll(a)
		}
		switch {
		case c.Error != "" && (err == nil || !strings.Contains(err.Error(), c.Error)):
			t.Errorf("%s: error %v, want %q", c.Name, err, c.Error)
		case c.Error != "":
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
		case !slices.Equal(a.Shape(), append([]int{1}, c.Shape...)):
			t.Errorf("%s: %v, want %v", c.Name, a.Shape(), c.Shape)
		default:
			most := 0.0
			for i, v := range pixels {
				most = max(most, math.Abs(float64(v)-float64(c.Pixels[i])))
			}
			if most > c.Tolerance {
				t.Errorf("%s: a pixel differs by %v, want at most %v", c.Name, most, c.Tolerance)
			}
			if notes := strings.Join(a.Notes(), "\n"); c.Note == "" && notes != "" || !strings.Contains(notes, c.Note) {
				t.Errorf("%s: notes %q, want %q", c.Name, notes, c.Note)
			}
		}
		if a != nil {
			a.Close()
		}
	}
}
