// Fuzzing of the files that a divided job leaves.

package scale

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A manifest is read whole with folders below its own, or an error names it.
func FuzzReadJob(f *testing.F) {
	for _, s := range []string{`{"form":"` + manifestForm + `","pieces":[{"name":"a","folder":"a","shards":3}]}`, `{"form":"` + manifestForm + `"}`, `{"form":"x"}`, `{`, `null`,
		`{"form":"` + manifestForm + `","pieces":[{"folder":"../x","shards":1}]}`, `{"form":"` + manifestForm + `","pieces":[{"folder":"a","shards":9223372036854775807}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, manifestName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := readJob(root)
		if err != nil {
			if !strings.Contains(err.Error(), root) {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, p := range j.Pieces {
			if p.Shards < 1 || !filepath.IsLocal(p.Folder) {
				t.Errorf("%+v", p)
			}
		}
	})
}

// Times of plans are positive.
func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"20m", "2h", "0s", "-1h", "1h30m", "1e9h", "9999999999h", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseTime(text); err == nil {
			if again, err := parseTime(d.String()); d <= 0 || err != nil || again != d {
				t.Errorf("%q is %v, and that %v: %v", text, d, again, err)
			}
		}
	})
}
