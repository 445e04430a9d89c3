// Tests of what is read: labels by their names, validity, groups, first samples of labels.

package command

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/generation"
	"repscope/analysis/generation/climbing"
	"repscope/dataset"
	"repscope/internal/run"
)

// loaded is what a command line of generation reads.
func loaded(t *testing.T, args ...string) (*generation.Input, string) {
	t.Helper()
	var in *generation.Input
	command := run.Command{Name: "generation", Out: "none", Setup: func(flags *run.Flags) run.Job {
		f := register(flags)
		return run.Job{Check: func(*run.Options) error { return f.check() }, Run: func(ctx context.Context, env *run.Env) (err error) {
			in, _, err = f.load(ctx, env)
			return err
		}}
	}}
	var stdout, stderr bytes.Buffer
	if code := run.Run(t.Context(), command, append(args, "--out", filepath.Join(t.TempDir(), "out")), &stdout, &stderr); code != 0 {
		return nil, stderr.String()
	}
	return in, stderr.String()
}

// in writes files into a folder and returns their paths.
func in(t *testing.T, texts map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range texts {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// problemOf is a valid problem of a grade.
func problemOf(grade, more string) string {
	return fmt.Sprintf(`{"grade":%q,"moves":[{"description":"A1","isStart":true},{"description":"B4"},{"description":"C9"},{"description":"D12"},{"description":"E18","isEnd":true}]%s}`, grade, more)
}

// Names of labels hold for all inputs: grades of problems, texts of tables.
func TestLabelNames(t *testing.T) {
	t.Parallel()
	path := in(t, map[string]string{"names.json": `{"0":"6A","1":"6B"}`, "p.json": "[" + problemOf("6B", "") + "," + problemOf("7A", "") + "," + problemOf("6A", "") + "]",
		"c.csv": "target,predicted\n6A,6B\n6B,6B\n", "twice.json": `{"0":"6A","1":"6A"}`, "odd.json": `{"x":"6A"}`, "list.json": `["6A"]`, "other.csv": "target,predicted\n6A,9Z\n"})
	got, stderr := loaded(t, "--label-names", path("names.json"), "--generated", "a="+path("p.json"), "--predictions", "a="+path("c.csv"))
	if got == nil {
		t.Fatal(stderr)
	}
	g := got.Generators[0]
	if !slices.Equal(g.Generated.Labels, []int{1, 0}) || len(g.Generated.LeftOut) != 1 || !strings.Contains(stderr, `problem 1: grade "7A" is not a label name of the other inputs; left out`) {
		t.Errorf("%v, %v: %s", g.Generated.Labels, g.Generated.LeftOut, stderr)
	}
	if !slices.Equal(g.Predictions.Target, []int{0, 1}) || !slices.Equal(g.Predictions.Predicted, []int{1, 1}) || got.LabelNames[1] != "6B" || g.Predictions.Generated[0] != 1 {
		t.Errorf("%+v", g.Predictions)
	}
	got, _ = loaded(t, "--generated", "a="+path("p.json"))
	if !slices.Equal(got.Generators[0].Generated.Labels, []int{3, 7, 1}) || got.LabelNames[18] != "8C+" {
		t.Errorf("grades: %v", got.Generators[0].Generated.Labels)
	}
	for name, want := range map[string]string{"twice.json": `the labels 0 and 1 are both named "6A"`, "odd.json": `the key "x" is not a label`, "list.json": `want {"0": "name", …}`} {
		if _, stderr := loaded(t, "--label-names", path(name), "--generated", "a="+path("p.json")); !strings.Contains(stderr, want) || !strings.Contains(stderr, name) {
			t.Errorf("%s: %s, want %q", name, stderr, want)
		}
	}
	if _, stderr := loaded(t, "--label-names", path("names.json"), "--predictions", "a="+path("other.csv")); !strings.Contains(stderr, `row 0 is "9Z", which is not a label name`) {
		t.Error(stderr)
	}
}

// Labels of a file with names of its own are translated by name.
func TestAdopt(t *testing.T) {
	t.Parallel()
	l := &loader{}
	if err := l.adopt(labels{0: "x", 1: "y"}, []int{0, 1}, "first"); err != nil || l.names[1] != "y" {
		t.Errorf("%v, %v", l.names, err)
	}
	of := []int{5, 4, 5}
	if err := l.adopt(labels{4: "x", 5: "y"}, of, "second"); err != nil || !slices.Equal(of, []int{1, 0, 1}) {
		t.Errorf("%v, %v", of, err)
	}
	for want, own := range map[string]labels{"label 1 of sample 0 has no name in its label_to_grade": {0: "x"},
		`"z", the name of label 1 of sample 0, is unknown`: {1: "z"}} {
		if err := l.adopt(own, []int{1}, "third"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// What a file says of a problem's validity counts, unless --revalidate is given; where our
// rule says otherwise is counted.
func TestValidity(t *testing.T) {
	t.Parallel()
	path := in(t, map[string]string{"p.json": "[" + problemOf("6B", `,"validation":{"valid":false}`) + "," + problemOf("6A", `,"validation":{"valid":true}`) +
		`,{"grade":"6A","moves":[{"description":"A1"}],"validation":{"valid":true}},{"grade":"6A","moves":[{"description":"A1"}]}]`})
	for flag, want := range map[string][]bool{"--revalidate=false": {false, true, true, false}, "--revalidate": {true, true, false, false}} {
		got, stderr := loaded(t, "--generated", "a="+path("p.json"), flag)
		if got == nil {
			t.Fatal(stderr)
		}
		if s := got.Generators[0].Generated; !slices.Equal(s.Valid, want) || s.Disagreements != 2 {
			t.Errorf("%s: valid %v, %d disagreements", flag, s.Valid, s.Disagreements)
		}
	}
}

// Grids of the shape of a board have its statistics; --num-samples takes the first of every
// label; groups are for what has as many samples.
func TestGrids(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	cells := make([]uint8, 6*climbing.Cells)
	for i := range 6 {
		for k := range 3 + i {
			cells[i*climbing.Cells+boardCell(k)] = 1
		}
	}
	shape := append([]int{6}, climbing.Shape()...)
	for _, err := range []error{
		dataset.WriteNPZ(path("g.npz"), dataset.Field{Name: "grids", Shape: shape, Data: cells}, dataset.Field{Name: "labels", Shape: []int{6}, Data: []int64{2, 2, 5, 2, 5, 5}}),
		dataset.WriteNPY(path("groups.npy"), []int{6}, []int64{1, 1, 2, 2, 3, 3}),
		dataset.WriteNPY(path("few.npy"), []int{5}, []int64{1, 1, 2, 2, 3}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got, stderr := loaded(t, "--generated", "a="+path("g.npz"), "--groups", "a="+path("groups.npy"))
	if got == nil {
		t.Fatal(stderr)
	}
	s := got.Generators[0].Generated
	if !slices.Equal(s.Labels, []int{2, 2, 5, 2, 5, 5}) || s.Groups[5] != 3 || s.Statistics[0].Name != "num_holds" || s.Statistics[0].Values[5] != 8 || s.Statistics[5].Published || s.Channels[1] != "middle" {
		t.Errorf("%+v", s)
	}
	got, _ = loaded(t, "--generated", "a="+path("g.npz"), "--num-samples", "2")
	if s := got.Generators[0].Generated; !slices.Equal(s.Labels, []int{2, 2, 5, 5}) || !slices.Equal(s.Statistics[0].Values, []float64{3, 4, 5, 7}) {
		t.Errorf("the first 2: %v, %v", s.Labels, s.Statistics[0].Values)
	}
	got, _ = loaded(t, "--generated", "a="+path("g.npz"), "--block", "4")
	if s := got.Generators[0].Generated; !slices.Equal(s.Groups, []int{0, 0, 0, 0, 1, 1}) {
		t.Errorf("blocks of 4: %v", s.Groups)
	}
	// Groups of the real samples do not apply to latents of another number of samples.
	got, stderr = loaded(t, "--generated", "a="+path("g.npz"), "--real", path("g.npz"), "--groups", "real="+path("groups.npy"))
	if got == nil || !slices.Equal(got.Real.Groups, []int{1, 1, 2, 2, 3, 3}) || got.Generators[0].Generated.Groups != nil {
		t.Errorf("groups of real samples: %s", stderr)
	}
	if _, stderr := loaded(t, "--generated", "a="+path("g.npz"), "--real", path("g.npz"), "--groups", "real="+path("few.npy")); !strings.Contains(stderr, "groups real: ") ||
		!strings.Contains(stderr, "few.npy has 5 numbers, but no input of real has as many samples") {
		t.Error(stderr)
	}
	if _, stderr := loaded(t, "--generated", "a="+path("g.npz"), "--groups", "a="+path("few.npy")); !strings.Contains(stderr, "few.npy has 5 numbers, but no input of a has as many samples") {
		t.Error(stderr)
	}
}

// array is an array of an npz file.
func array[T any](name string, kind dataset.DType, shape []int, values []T) dataset.StreamedField {
	return dataset.StreamedField{Name: name, DType: kind, Shape: shape, Write: func(w io.Writer) error {
		return binary.Write(w, binary.LittleEndian, values)
	}}
}

// npz writes an npz file.
func npz(t *testing.T, path string, fields ...dataset.StreamedField) {
	t.Helper()
	var file bytes.Buffer
	if err := dataset.StreamNPZ(&file, fields...); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Labels of files are joined by name, in whatever order the files are read: a board without
// names has the grades, and two arrays of labels that differ are refused.
func TestLabelsOfSeveralFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	grids := array("grids", dataset.Uint8, append([]int{4}, climbing.Shape()...), make([]uint8, 4*climbing.Cells))
	of := func(name string, values ...int64) dataset.StreamedField {
		return array(name, dataset.Int64, []int{len(values)}, values)
	}
	npz(t, path("plain.npz"), grids, of("label", 2, 3, 3, 2)) // 6A+ and 6B are grades 2 and 3
	npz(t, path("named.npz"), grids, of("label", 0, 1, 1, 0), dataset.TextField("label_to_grade", `{"0":"6A+","1":"6B"}`))
	npz(t, path("unknown.npz"), grids, of("label", 2, 5, 3, 2))
	npz(t, path("twice.npz"), grids, of("label", 2, 3, 3, 2), of("grade", 2, 3, 3, 3))
	npz(t, path("same.npz"), grids, of("label", 2, 3, 3, 2), of("grade", 2, 3, 3, 2))
	npz(t, path("z.npz"), array("latent", dataset.Float32, []int{4, 2}, make([]float32, 8)), of("label", 0, 1, 1, 0))
	for _, order := range [][2]string{{"plain.npz", "named.npz"}, {"named.npz", "plain.npz"}} {
		got, stderr := loaded(t, "--generated", "a="+path(order[0]), "--real", path(order[1]))
		if got == nil {
			t.Fatal(stderr)
		}
		if a, b := got.Generators[0].Generated.Labels, got.Real.Labels; !slices.Equal(a, b) ||
			got.LabelNames[a[0]] != "6A+" || got.LabelNames[a[1]] != "6B" {
			t.Errorf("%v: labels %v and %v of %v", order, a, b, got.LabelNames)
		}
	}
	got, stderr := loaded(t, "--latents", "a="+path("z.npz"), "--generated", "a="+path("named.npz"))
	if got == nil || !strings.Contains(stderr, "note: the numeric labels of "+path("z.npz")+" are named by "+
		"label_to_grade of "+path("named.npz")) {
		t.Errorf("%v: %s", got, stderr)
	}
	for _, c := range []struct{ generated, want string }{
		{"twice.npz", "twice.npz: grade of sample 3 is 3, but label is 2: want one array of labels"},
		{"unknown.npz", `"6C", the name of label 5 of sample 1, is unknown in the other inputs`},
	} {
		if got, stderr := loaded(t, "--generated", "b="+path("named.npz"), "--generated",
			"a="+path(c.generated)); got == nil || len(got.Generators) != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %s", c.generated, stderr)
		}
	}
	if got, stderr := loaded(t, "--generated", "a="+path("same.npz")); got == nil {
		t.Error(stderr)
	}
}

// A threshold is compared in the type of the probabilities: float32(0.3) is not above 0.3, as NumPy
// and PyTorch have it (numpy.float32([0.3]) > 0.3 is False, though it is 0.30000001192…).
func TestThresholdOfFloat32(t *testing.T) {
	t.Parallel()
	path, shape := filepath.Join(t.TempDir(), "r.npz"), []int{2, 1, 3}
	original := array("original", dataset.Uint8, shape, []uint8{1, 0, 1, 1, 0, 0})
	for _, probability := range []dataset.StreamedField{
		array("recon_prob", dataset.Float32, shape, []float32{0.3, 0.3, 0.31, 0.3, 0.1, 0.3}),
		array("recon_prob", dataset.Float64, shape, []float64{0.3, 0.3, 0.31, 0.3, 0.1, 0.3}),
		array("recon_prob", dataset.Float16, shape, []uint16{0x34cd, 0x34cd, 0x34f6, 0x34cd, 0x2e66, 0x34cd}),
		// numpy.float16 of them
	} {
		npz(t, path, original, probability)
		var stdout, stderr bytes.Buffer
		run.Run(t.Context(), Command, []string{"--reconstruction", "a=" + path, "--threshold", "0.3", "--bootstrap", "0",
			"--json", "--quiet",
			"--format", "none", "--out", filepath.Join(t.TempDir(), "out")}, &stdout, &stderr)
		if !strings.Contains(stdout.String(), `"mean_iou": 0.25,`) { // of 0.5 and 0
			t.Errorf("%v: %s%s", probability.DType, stderr.String(), stdout.String())
		}
	}
}

// boardCell is the k-th middle hold.
func boardCell(k int) int { return climbing.Cells/climbing.Channels + 12*k }
