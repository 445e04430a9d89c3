// Tests of what files tell of episodes, and of files that cannot.

package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenRecording(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "plain.npy")
	if err := WriteNPY(plain, []int{4, 2}, make([]uint8, 8)); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(experienceFile)
	if err != nil {
		t.Fatal(err)
	}
	renamed := filepath.Join(t.TempDir(), "dataset.bin") // its content decides, not its name
	if err := os.WriteFile(renamed, content, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		spec     string
		rows     int
		episodes bool
	}{
		{plain, 4, false},
		{experienceFile, 12, true},
		{experienceFile + ":val", 12, true},
		{experienceFile + ":train", 20, true},
		{renamed, 12, true},
		{experienceFile + ":val.states", 12, false}, // one array of it is an array
	} {
		r, err := OpenRecording(test.spec, ImageOptions{})
		if err != nil {
			t.Errorf("%s: %v", test.spec, err)
			continue
		}
		if r.Frames.Len() != test.rows || (r.Ends != nil) != test.episodes || (r.Window > 0) != test.episodes || test.episodes && len(r.Ends) != test.rows {
			t.Errorf("%s: %d rows, %d ends, window %d; want %d rows, episodes %v", test.spec, r.Frames.Len(), len(r.Ends), r.Window, test.rows, test.episodes)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", test.spec, err)
		}
	}
	for spec, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.pth"): "no such file",
		experienceFile + ":test":               "test",
		plain + ":x":                           "has one array without a name",
	} {
		if _, err := OpenRecording(spec, ImageOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}

// A published dataset that is damaged is an error, not an array without episodes.
func TestDamagedRecording(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(experienceFile)
	if err != nil {
		t.Fatal(err)
	}
	damaged := strings.ReplaceAll(string(content), "sequence_length", "sequence_lenght")
	if damaged == string(content) {
		t.Skip("the file does not spell out its attributes")
	}
	path := filepath.Join(t.TempDir(), "damaged.pth")
	if err := os.WriteFile(path, []byte(damaged), 0o666); err != nil {
		t.Fatal(err)
	}
	if r, err := OpenRecording(path, ImageOptions{}); err == nil {
		t.Errorf("opened with window %d and %d ends", r.Window, len(r.Ends))
	}
}
