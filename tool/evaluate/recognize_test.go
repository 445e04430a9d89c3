// Tests of --init on files of arrays.

package evaluate

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

// --init names the arrays of a file: frames, episodes, latents; latents of a file of their own go to frames of as
// many states, or are a dataset without frames.
func TestInitRecognizes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	values := func(n int) []float32 { return make([]float32, n) }
	err := errors.Join(
		dataset.WriteNPY(path("z.npy"), []int{20, 3}, values(60)),
		dataset.WriteNPY(path("alone.npy"), []int{7, 3}, values(21)),
		dataset.WriteNPY(path("cube.npy"), []int{5, 2, 2}, values(20)),
		dataset.WriteNPY(path("vector.npy"), []int{20}, values(20)),
		os.WriteFile(path("damaged.npy"), []byte("no array"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	writeNPZ(t, path("d.npz"), func(add func(name string, shape []int)) {
		add("reward", []int{20})
		add("obs", []int{20, 4, 4})
		add("jepa", []int{20, 3})
		add("of_others", []int{19, 3})
	})
	var names []string
	for _, name := range []string{"d.npz", "z.npy", "alone.npy", "cube.npy", "vector.npy", "damaged.npy"} {
		names = append(names, path(name))
	}
	p := &probe{}
	got, err := initial(names, []run.Command{p.command("smoothness"), p.command("robustness"), p.command("geometry")})
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ = strings.Cut(strings.ReplaceAll(got, dir+string(filepath.Separator), ""), "datasets:\n")
	want := `  d:
    frames: "d.npz:obs"  # FILE or FILE:ARRAY
    # episodes: FILE:ARRAY
    latents:  # arrays [N, D] that an encoder computed before
      jepa: "d.npz:jepa"
      z: z.npy
    skip: [robustness]
  cube:
    frames: cube.npy
  vector:
    frames: vector.npy
  damaged:
    frames: damaged.npy
  alone:
    latents:
      alone: alone.npy
    skip: [smoothness, robustness]
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// writeNPZ writes an archive of float32 arrays of zeros.
func writeNPZ(t *testing.T, path string, arrays func(add func(name string, shape []int))) {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	arrays(func(name string, shape []int) {
		size := 4
		for _, k := range shape {
			size *= k
		}
		header, err := dataset.NPYHeader(dataset.Float32, shape)
		if err != nil {
			t.Fatal(err)
		}
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(append(header, make([]byte, size)...)); err != nil {
			t.Fatal(err)
		}
	})
	if err := errors.Join(archive.Close(), os.WriteFile(path, file.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}
