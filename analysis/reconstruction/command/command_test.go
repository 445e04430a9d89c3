// The binary end to end: numbers of scikit-image through files, and what files may hold.

package command

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

	"repscope/analysis/reconstruction"
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
// of colors beside predictions with channels last, in frames of odd sizes.
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
	for _, c := range []struct{ frames, window string }{{"bytes", ""}, {"bytes", reconstruction.WindowGaussian}, {"colours", ""}, {"colours", reconstruction.WindowGaussian}} {
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

// Channels may come last, in frames as in predictions, and with --predicts same every
// state is a sample, in episodes of one state too.
func TestChannelsLastAndStatesThemselves(t *testing.T) {
	t.Parallel()
	const n, h, w = 12, 8, 9
	bytes := func(name string, last bool, add int) string {
		var values []uint8
		value := func(i, c, y, x int) uint8 { return uint8((i*37 + c*59 + y*x*11 + x + add) % 251) }
		for i := range n {
			for k := range 3 * h * w {
				if last {
					values = append(values, value(i, k%3, k/3/w, k/3%w))
				} else {
					values = append(values, value(i, k/(h*w), k/w%h, k%w))
				}
			}
		}
		shape := []int{n, 3, h, w}
		if last {
			shape = []int{n, h, w, 3}
		}
		path := filepath.Join(t.TempDir(), name+".npy")
		if err := dataset.WriteNPY(path, shape, values); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(last bool, more string) (mse []float64, text string) {
		dir := t.TempDir()
		args := []string{"--frames", bytes("f", last, 0), "--predictions", "m=" + bytes("p", last, 3), "--format", "svg", "--quiet", "--save-frames", "--out", dir}
		if code, _, stderr := execute(t, append(args, strings.Fields(more)...)...); code != 0 {
			t.Fatalf("%s: exit %d: %s", more, code, stderr)
		}
		content, err := os.ReadFile(filepath.Join(dir, "reconstruction_metrics.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return raw(t, dir, "m", "MSE"), string(content)
	}
	for _, more := range []string{"", "--predicts same"} {
		first, a := run(false, more)
		last, b := run(true, more)
		if !slices.Equal(first, last) || a != b {
			t.Errorf("%q: channels that come last have other scores: %v and %v", more, first, last)
		}
		if want := map[string]int{"": n - 1, "--predicts same": n}[more]; len(first) != want {
			t.Errorf("%q: %d samples, want %d", more, len(first), want)
		}
	}
	var episodes []int64
	for i := range n {
		episodes = append(episodes, int64(i))
	}
	path := filepath.Join(t.TempDir(), "episodes.npy")
	if err := dataset.WriteNPY(path, []int{n}, episodes); err != nil {
		t.Fatal(err)
	}
	whole, _ := run(true, "--predicts same")
	single, _ := run(true, "--predicts same --episodes "+path)
	if !slices.Equal(whole, single) {
		t.Errorf("the errors of single images are %v, in one episode %v", single, whole)
	}
	if code, _, stderr := execute(t, "--frames", bytes("f", true, 0), "--episodes", path, "--out", t.TempDir()); code == 0 || !strings.Contains(stderr, "--predicts same") {
		t.Errorf("exit %d: %s", code, stderr)
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
		{"bytes", "m=testdata/bytes.npy", "pixel range 0 to 255 (range of the frames, which have the same type)", 0},
		{"bytes", "m=testdata/bytes_predicted.npy --predictions-range m=frames",
			"pixel range 0 to 255 (range of the frames, as given)", 0},
		{"bytes", "m=testdata/bytes_predicted.npy --predictions-range 0,2", "pixel range 0 to 2 (given)", 0},
		{"bytes_predicted", "m=testdata/bytes.npy", "pixel range 0 to 255 (from the type uint8)", 0},
		{"bytes_predicted", "m=testdata/bytes_predicted.npy", "(range of the frames; the values lie in", 0},
	} {
		args := strings.Fields("--frames testdata/" + c.frames + ".npy --bootstrap 0 --samples-shown 0 --format svg --predictions " + c.predictions)
		code, stdout, stderr := execute(t, append(args, "--verbose", "--out", t.TempDir())...)
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
		if copied := raw(t, dir, reconstruction.CopyLast, column); !slices.Equal(raw(t, dir, "m", column), copied) {
			t.Errorf("%s of the frames themselves is not that of copy_last", column)
		}
		for _, model := range []string{"m", "p", reconstruction.CopyLast, reconstruction.MeanFrame} {
			want := raw(t, dir, model, column)
			for i, v := range raw(t, other, model, column) {
				if math.Abs(v-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
					t.Errorf("%s of %s, sample %d: %v in another range, %v", column, model, i, v, want[i])
				}
			}
		}
	}
}
