// The binary end to end: numbers of scikit-image through files, and what files may hold.

package reconstruction

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

// execute runs the binary and returns its exit code and what it says.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	code = run.Run(t.Context(), Command, args, &out, &messages)
	return code, out.String(), messages.String()
}

// raw reads a column of the scores of a model's samples.
func raw(t *testing.T, dir, model, column string) []float64 {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "reconstruction_raw_data.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, name := range rows[0] {
		if name == column {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("no column %s in %v", column, rows[0])
	}
	var out []float64
	for _, row := range rows[1:] {
		if row[0] != model {
			continue
		}
		v, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// Errors, PSNR and SSIM are those of scikit-image, of bytes beside float64 predictions and
// of colours beside predictions with channels last, in frames of odd sizes.
func TestGolden(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]json.RawMessage
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ frames, window string }{{"bytes", ""}, {"bytes", WindowGaussian}, {"colours", ""}, {"colours", WindowGaussian}} {
		var want map[string][]float64
		if err := json.Unmarshal(golden[c.frames], &want); err != nil {
			t.Fatal(err)
		}
		args := []string{"--frames", "testdata/" + c.frames + ".npy", "--predictions", "m=testdata/" + c.frames + "_predicted.npy", "--bootstrap", "0", "--samples-shown", "0", "--format", "svg", "--quiet"}
		ssim := "ssim"
		if c.window != "" {
			args, ssim = append(args, "--ssim-window", c.window), c.window
		}
		dir := t.TempDir()
		if code, _, stderr := execute(t, append(args, "--out", dir)...); code != 0 {
			t.Fatalf("%s: exit %d: %s", c.frames, code, stderr)
		}
		for column, name := range map[string]string{"MSE": "mse", "MAE": "mae", "PSNR": "psnr", "SSIM": ssim,
			"Sharpness_Ratio": "sharpness_ratio", "Moving_MSE": "moving_mse", "Static_MSE": "static_mse"} {
			got := raw(t, dir, "m", column)
			if len(got) != len(want[name]) || len(got) == 0 {
				t.Errorf("%s: %d values of %s, want %d", c.frames, len(got), column, len(want[name]))
				continue
			}
			for i, v := range got {
				if math.Abs(v-want[name][i]) > 1e-9*max(1, math.Abs(want[name][i])) {
					t.Errorf("%s %s: %s of sample %d is %v, scikit-image says %v", c.frames, c.window, column, i, v, want[name][i])
				}
			}
		}
	}
}

// The pixel range of predictions is that of their type, of the frames or of their values,
// or has to be said.
func TestRanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		frames, predictions string
		want                string // on the console, or a message
		code                int
	}{
		{"bytes", "m=testdata/bytes_predicted.npy", "pixel range 0 to 1 (from the data", 0},
		{"bytes", "m=testdata/bytes.npy", "pixel range 0 to 255 (that of the frames, which have the same type)", 0},
		{"bytes", "m=testdata/bytes_predicted.npy --predictions-range m=frames", "pixel range 0 to 255 (that of the frames, as given)", 0},
		{"bytes", "m=testdata/bytes_predicted.npy --predictions-range 0,2", "pixel range 0 to 2 (given)", 0},
		{"bytes_predicted", "m=testdata/bytes.npy", "pixel range 0 to 255 (from the type uint8)", 0},
		{"bytes_predicted", "m=testdata/bytes_predicted.npy", "(that of the frames; they lie in", 0},
	} {
		args := strings.Fields("--frames testdata/" + c.frames + ".npy --bootstrap 0 --samples-shown 0 --format svg --predictions " + c.predictions)
		code, stdout, stderr := execute(t, append(args, "--out", t.TempDir())...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s %s: exit %d, %s%s", c.frames, c.predictions, code, stdout, stderr)
		}
	}
}

// The frames themselves as predictions of the next ones are copy_last, and frames in
// another type and range have the same scores.
func TestShiftedAndScaled(t *testing.T) {
	t.Parallel()
	run := func(frames string, more ...string) string {
		t.Helper()
		dir := t.TempDir()
		args := []string{"--frames", frames, "--predictions", "m=testdata/bytes.npy", "--predictions", "p=testdata/bytes_predicted.npy", "--bootstrap", "0", "--samples-shown", "0", "--format", "svg", "--quiet", "--out", dir}
		if code, _, stderr := execute(t, append(args, more...)...); code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return dir
	}
	a, err := dataset.Open("testdata/bytes.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	values := make([]float64, a.Len()*a.RowLen())
	if err := a.ReadFloat64(values, 0, a.Len()); err != nil {
		t.Fatal(err)
	}
	for i := range values {
		values[i] = values[i]/255*6 - 3
	}
	scaled := filepath.Join(t.TempDir(), "scaled.npy")
	if err := dataset.WriteNPY(scaled, a.Shape(), values); err != nil {
		t.Fatal(err)
	}
	dir := run("testdata/bytes.npy")
	other := run(scaled, "--pixel-range=-3,3", "--predictions-range", "p=0,1")
	for _, column := range []string{"MSE", "MAE", "PSNR", "SSIM", "Sharpness_Ratio", "Moving_MSE", "Static_MSE", "Moving_Share", "Motion_Energy_Ratio"} {
		if copied := raw(t, dir, CopyLast, column); !slices.Equal(raw(t, dir, "m", column), copied) {
			t.Errorf("%s of the frames themselves is not that of copy_last", column)
		}
		for _, model := range []string{"m", "p", CopyLast, MeanFrame} {
			want := raw(t, dir, model, column)
			for i, v := range raw(t, other, model, column) {
				if math.Abs(v-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
					t.Errorf("%s of %s, sample %d: %v in another range, %v", column, model, i, v, want[i])
				}
			}
		}
	}
}
