// Arrays of WebDataset archives.

package dataset

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeSamples writes an archive of members.
func writeSamples(t *testing.T, path string, members ...[2]string) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		if err := w.WriteHeader(&tar.Header{Name: m[0], Size: int64(len(m[1])), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sampleOf are the members of a sample: an image of lossless WebP or PNG, and what is known of it.
func sampleOf(t *testing.T, i int) [][2]string {
	t.Helper()
	var photo photoCase
	for _, c := range photoCases(t) {
		if c.Name == "lossless_7x5.webp" {
			photo = c
		}
	}
	var npy bytes.Buffer
	if err := encodeNPY(&npy, Field{Shape: []int{2}, Data: []float32{float32(i), 0.5}}); err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("%06d", i)
	return [][2]string{{key + ".webp", string(photo.Data)}, {key + ".cls", fmt.Sprint(i%2, "\n")}, {key + ".npy", npy.String()}, {key + ".txt", fmt.Sprint("class ", i%3)},
		{key + ".json", fmt.Sprintf(`{"label": %d, "box": [%d, 2.5], "deep": {"name": "n%d"}, "good": true}`, i, i, i)}}
}

func TestWebDataset(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var whole [][2]string
	for shard := range 3 {
		var members [][2]string
		for i := range 2 {
			members = append(members, sampleOf(t, 2*shard+i)...)
		}
		whole = append(whole, members...)
		writeSamples(t, filepath.Join(dir, fmt.Sprintf("s-%03d.tar", shard)), members...)
	}
	writeSamples(t, filepath.Join(dir, "whole.tar"), whole...)
	for _, file := range []string{"whole.tar", "s-{000..002}.tar"} {
		spec := filepath.Join(dir, file)
		for key, shape := range map[string][]int{"": {6, 3, 5, 7}, ":webp": {6, 3, 5, 7}, ":npy": {6, 2}, ":cls": {6}, ":json.label": {6}, ":json.box": {6, 2}} {
			a, err := Open(spec + key)
			if err != nil {
				t.Error(file, key, err)
				continue
			}
			v, err := readAll(a)
			if err != nil || !slices.Equal(a.Shape(), shape) {
				t.Errorf("%s%s: %v, %v", file, key, a.Shape(), err)
				continue
			}
			want := map[string][]float32{":npy": {0, .5, 1, .5, 2, .5, 3, .5, 4, .5, 5, .5}, ":cls": {0, 1, 0, 1, 0, 1}, ":json.label": {0, 1, 2, 3, 4, 5},
				":json.box": {0, 2.5, 1, 2.5, 2, 2.5, 3, 2.5, 4, 2.5, 5, 2.5}}[key]
			if want != nil && !slices.Equal(v, want) {
				t.Errorf("%s%s: %v, want %v", file, key, v, want)
			}
			if sum, err := a.SHA256(); err != nil || len(sum) != 64 {
				t.Error(sum, err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}
		a, err := OpenColumn(spec + ":txt")
		if err != nil || len(a.Classes()) != 3 {
			t.Errorf("%s: texts: %v, %v", file, a, err)
		}
		l, err := List(spec)
		if err != nil || len(l.Items) != 5 || l.Items[0].Type != "images" || l.Items[2].Type != "float32" || l.Items[4].Problem == "" {
			t.Errorf("%s: %+v, %v", file, l, err)
		}
		if n := len(FilesOf(spec)); n != strings.Count(file, "..")*2+1 {
			t.Errorf("%s: %d files", file, n)
		}
		if err := Exists(spec + ":cls"); err != nil {
			t.Error(err)
		}
	}
	for spec, want := range map[string]string{
		"whole.tar:cla":          `no ending "cla" (there are webp, cls, npy, txt, json); did you mean "cls"?`,
		"whole.tar:json":         "is an object, want a number, a text or a list; name a member as json.NAME (there are box, deep, good, label)",
		"whole.tar:json.labels":  `has no "labels" (there are box, deep, good, label)`,
		"whole.tar:txt":          "elements are texts, want numbers",
		"s-{000..003}.tar":       "s-003.tar",
		"s-{003..000}.tar":       "is empty or too long",
		"s-{0..99999999999}.tar": "is empty or too long",
	} {
		a, err := Open(filepath.Join(dir, spec))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", spec, a, err, want)
		}
		r, err := OpenRecording(filepath.Join(dir, spec), ImageOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: recording %v, %v, want %q", spec, r, err, want)
		}
	}
}

func TestWebDatasetErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.tar")
	good := sampleOf(t, 0)
	for name, c := range map[string]struct {
		members [][2]string
		key     string
		want    string
	}{
		"a sample without": {[][2]string{{"a.cls", "1"}, {"b.txt", "x"}}, "cls", `sample "b" has no member .cls (it has txt)`},
		"no image":         {[][2]string{{"a.png", "abc"}}, "", "a.png: not a PNG, JPEG, WebP or TIFF file"},
		"two images":       {[][2]string{good[0], {"000000.png", "x"}}, "", `sample "000000" has 2 images, want one`},
		"a damaged array":  {[][2]string{{"a.npy", good[2][1][:70]}}, "npy", "truncated"},
		"ragged arrays":    {[][2]string{{"a.npy", good[2][1]}, {"b.npy", strings.Replace(good[2][1], "(2,)", "(1,)", 1)}}, "npy", "b.npy: shape [1]"},
		"ragged lists":     {[][2]string{{"a.json", "[1, 2]"}, {"b.json", "[1]"}}, "json", "differs from the first"},
		"a mixed list":     {[][2]string{{"a.json", `[1, "x"]`}}, "json", "element 1 of its list is x, want a number"},
		"an empty object":  {[][2]string{{"a.json", `{}`}}, "json.b", `a.json: has no "b": the object is empty`},
		"no JSON":          {[][2]string{{"a.json", `{`}}, "json", "a.json"},
		"a video":          {[][2]string{{"a.mp4", "\x00\x00\x00\x20ftypisom"}}, "mp4", "is neither a text nor a number"},
		"a large text":     {[][2]string{{"a.txt", strings.Repeat("x", 1<<20+1)}}, "txt", "want a text or a number of at most"},
	} {
		writeSamples(t, path, c.members...)
		spec := path
		if c.key != "" {
			spec += ":" + c.key
		}
		a, err := Open(spec)
		if err == nil {
			_, err = readAll(a)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
