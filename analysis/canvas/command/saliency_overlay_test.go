// Pictures of saliency: sizes, colors and fixations.

package command

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/casetest"
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/store"
	"repscope/internal/run"
	"repscope/internal/runtest"
)

func TestSaliencyPlot(t *testing.T) {
	t.Parallel()
	screen := image.NewGray(image.Rect(0, 0, 40, 60))
	for i := range screen.Pix {
		screen.Pix[i] = 200
	}
	files := casetest.Files{"r": casetest.PNG(t, screen), "p": casetest.GrayPNG(t, 2, 0, 255, 0, 255), "q": casetest.GrayPNG(t, 3, 7, 7, 7, 7, 7, 7),
		"f": []byte("x,y\n10.5,20.5\n")}
	c := source.Case{ID: "a", Sample: "a", Snapshot: -1, Reference: source.Side{Image: "r"}, ReferenceSaliency: "p", GeneratedSaliency: "q",
		Fixations: "f"}
	o := &canvas.Setting{}
	o.Picture = saliencyPlot
	score := func() (row *canvas.Row) {
		k := slices.IndexFunc(canvas.Kinds(), func(k canvas.Kind) bool { return k.Name == "saliency" })
		done := func(_ int, of *canvas.CaseRow) error { row = of.Row; return nil }
		_, err := canvas.Analyze(t.Context(), canvas.Input{Cases: []source.Case{c}, Read: files.Read}, canvas.Options{Setting: o, Kinds: canvas.Kinds()[k : k+1], Done: done})
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	row := score()
	picture, ok := row.Reports[canvas.SaliencyPicture].(*image.NRGBA)
	if !ok {
		t.Fatal(row.Reports, row.Failures)
	}
	if b := picture.Bounds(); b.Dx() != 40+16+2 || b.Dy() != 60 {
		t.Errorf("a picture of %v", b)
	}
	light := func(x, y int) int { c := picture.NRGBAAt(x, y); return int(c.R) + int(c.G) + int(c.B) }
	if light(38, 50) <= light(1, 50) || light(50, 30) != 3*255 {
		t.Error("high values are not lighter than low ones, or the gap is not white")
	}
	// The center of pixel (0, 0) of 2 × 2 is (10, 15) of the screen.
	if at := picture.NRGBAAt(10+4, 15); at != (color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("no ring at the fixation, but %v", at)
	}
	if left, right := picture.NRGBAAt(56, 0), picture.NRGBAAt(57, 1); left != right {
		t.Errorf("a constant map has the colors %v and %v", left, right)
	}
	var out bytes.Buffer
	if err := encodeReport(&out, row.Reports[canvas.SaliencyPicture]); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&out); err != nil {
		t.Error(err)
	}
	c.Snapshot = 3
	if got, want := store.ReportPath(&c, canvas.SaliencyPicture), filepath.Join("saliency_visualizations", "a-snapshot-3.png"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	delete(files, "r")
	if row = score(); len(row.Failures) != 1 || row.Reports[canvas.SaliencyPicture] != nil ||
		!row.Values["saliency_sim"].Defined() {
		t.Error(row.Failures, row.Reports)
	}
}

// TestSaliencyPlots: pictures are written for the cases of a tree, and a resumed run draws the one that is gone.
func TestSaliencyPlots(t *testing.T) {
	runtest.Long(t, "it runs the whole example")
	t.Parallel()
	dir := t.TempDir()
	screen, m := casetest.PNG(t, image.NewGray(image.Rect(0, 0, 20, 30))), casetest.GrayPNG(t, 3, 9, 1, 2, 3, 4, 5)
	for name, data := range map[string][]byte{
		"benchmarks/design_gt/gid1-1.png": screen, "benchmarks/design_gt/gid1-1-saliency.png": m,
		"results/design_gen/v/gid1-1-a-v/gid1-1-a-v-canvas.png": screen, "results/design_gen/v/gid1-1-a-v/gid1-1-a-v-saliency.png": m,
		"results/design_gen/v/gid1-1-b-v/gid1-1-b-v-canvas.png": screen, "results/design_gen/v/gid1-1-b-v/gid1-1-b-v-saliency.png": m,
	} {
		casetest.Touch(t, dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	score := func(more ...string) {
		t.Helper()
		args := append([]string{"--base-dir", dir, "--task", "design_gen", "--variant", "v", "--metrics", "saliency",
			"--bootstrap", "0", "--format", "svg", "--quiet", "--out", out}, more...)
		var stdout, stderr bytes.Buffer
		if code := run.Run(t.Context(), Command, args, &stdout, &stderr); code != 0 {
			t.Fatal(code, stderr.String())
		}
	}
	picture := func(name string) []byte {
		data, _ := os.ReadFile(filepath.Join(out, "saliency_visualizations", name+".png"))
		return data
	}
	score()
	if picture("gid1-1-a-v") != nil {
		t.Error("a picture that nobody asked for")
	}
	score("--save-saliency-vis")
	first := picture("gid1-1-a-v")
	if first == nil || picture("gid1-1-b-v") == nil {
		t.Fatal("no pictures")
	}
	if err := os.Remove(filepath.Join(out, "saliency_visualizations", "gid1-1-a-v.png")); err != nil {
		t.Fatal(err)
	}
	score("--resume", "--saliency-plots")
	if !bytes.Equal(picture("gid1-1-a-v"), first) {
		t.Error("the resumed run did not draw the picture that was gone")
	}
}
