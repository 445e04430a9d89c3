// The preprocessing of folders against the libraries that wrote them.

package latent

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/latent/picture"
)

// folderWith is a folder with one file.
func folderWith(t testing.TB, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFolderPictures: frames are preprocessed as by the processors of transformers on Pillow, timm and open_clip: the
// bytes are equal after resizing and cutting, and the numbers within rounding. On PyTorch, whose resizing rounds in
// another way, a byte may be one off.
func TestFolderPictures(t *testing.T) {
	t.Parallel()
	values, shapes := archive(t, "processors.npz")
	cases := 0
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name, file, ok := strings.Cut(key, "|")
		if !ok {
			continue
		}
		cases++
		var text strings.Builder
		for _, v := range values[key] {
			text.WriteByte(byte(v))
		}
		p, from, err := picture.Folder(folderWith(t, file, text.String()))
		if err != nil || from != file {
			t.Fatalf("%s: %s, %v", name, from, err)
		}
		for _, size := range [][2]int{{60, 84}, {84, 60}, {33, 33}} {
			label := fmt.Sprintf("%dx%d", size[0], size[1])
			pre, err := PreprocessingOf(p, size[0], size[1])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			pre.Layout, pre.High = "CHW", 255
			src := &memorySource{values: values["frames "+label], shape: shapes["frames "+label]}
			seen, err := Prepared(src, pre)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want, shape := values[name+" "+label], shapes[name+" "+label]
			if !slices.Equal(seen.Shape(), shape[1:]) {
				t.Errorf("%s: frames of %s become %v, want %v", name, label, seen.Shape(), shape[1:])
				continue
			}
			got := make([]float32, len(want))
			if err := seen.Float32(got, 0, shape[0]); err != nil {
				t.Fatal(err)
			}
			off := 0
			for i, v := range got {
				level := 1 / 255. // of this channel
				if len(pre.Std) > 0 {
					c := i / (shape[2] * shape[3]) % 3
					level /= pre.Std[c]
				}
				if pre.Scale == ScaleRaw {
					level *= 255
				}
				d := math.Abs(float64(v-want[i])) / level
				if d > 1e-3 {
					off++
				}
				if d > 1e-3 && !strings.HasPrefix(name, "fast_") || d > 1.001 {
					t.Fatalf("%s %s: value %d is %v, want %v", name, label, i, v, want[i])
				}
			}
			if off > 0 {
				t.Logf("%s %s: %d of %d values are one level off", name, label, off, len(got))
			}
			if share := float64(off) / float64(len(got)); share > 0.03 || name == "fast_dinov3" && off > 0 {
				t.Errorf("%s %s: a share of %.3f is one level off", name, label, share)
			}
		}
	}
	if cases < 25 {
		t.Errorf("%d cases", cases)
	}
}

// TestFolderPictures_Noise: pixels that are no bytes are not rounded to bytes.
func TestFolderPictures_Noise(t *testing.T) {
	t.Parallel()
	p := &picture.Processor{Shortest: 8, CropHeight: 6, CropWidth: 6, Scale: 1}
	pre, err := PreprocessingOf(p, 16, 20)
	if err != nil {
		t.Fatal(err)
	}
	pre.Layout = "HW"
	clean := make([]float32, 16*20)
	for i := range clean {
		clean[i] = float32(i % 251)
	}
	noisy := slices.Clone(clean)
	for i := range noisy {
		noisy[i] += 0.01 * float32(i%3)
	}
	encode := func(frame []float32) []float32 {
		seen, err := Prepared(&memorySource{values: frame, shape: []int{1, 16, 20}}, pre)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float32, 3*6*6)
		if err := seen.Float32(out, 0, 1); err != nil {
			t.Fatal(err)
		}
		return out
	}
	a, b := encode(clean), encode(noisy)
	for i, v := range a {
		if v != float32(math.Round(float64(v))) || math.Abs(float64(b[i]-v)) > 1.1 {
			t.Errorf("pixel %d is %v, with noise %v", i, v, b[i])
		}
	}
	if !slices.ContainsFunc(b, func(v float32) bool { return v != float32(math.Round(float64(v))) }) {
		t.Errorf("pixels with noise are bytes: %v", b)
	}
}

// TestPreprocessingOf: sizes that frames cannot have.
func TestPreprocessingOf(t *testing.T) {
	t.Parallel()
	p := &picture.Processor{CropHeight: 8, CropWidth: 8}
	if _, err := PreprocessingOf(p, 7, 9); err == nil || !strings.Contains(err.Error(), "no center crop") {
		t.Errorf("a frame smaller than its middle: %v", err)
	}
	if _, err := PreprocessingOf(&picture.Processor{Shortest: 1000}, 1, 1000); err == nil ||
		!strings.Contains(err.Error(), "want sides up to") {
		t.Errorf("a frame that becomes too large: %v", err)
	}
}
