// The flags of saliency maps.

package command

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/saliencymap"
	"repscope/internal/option"
	"repscope/internal/run"
)

// parseSaliency are the values of a command line, and what it prints where it is wrong.
func parseSaliency(t *testing.T, args ...string) (*saliencyFlags, string) {
	t.Helper()
	o := saliencyFlags{Options: &saliencymap.Options{}}
	command := run.Command{Name: "maps", Summary: "nothing", Out: filepath.Join(t.TempDir(), "out"), Setup: func(flags *run.Flags) run.Job {
		flags.Declare(option.Of(&o))
		return run.Job{Check: func(*run.Options) error { return o.check() }, Run: func(context.Context, *run.Env) error { return nil }}
	}}
	var out, errs bytes.Buffer
	if code := run.Run(t.Context(), command, args, &out, &errs); code == 0 {
		return &o, ""
	}
	return nil, errs.String()
}

func TestSaliencyFlags(t *testing.T) {
	t.Parallel()
	o, text := parseSaliency(t, strings.Fields("--fixations top:5.5 --borji-splits 100 --saliency-model m.onnx --saliency-size 240x320 "+
		"--saliency-mean 103.9,116.7,123.6 --saliency-std 2 --saliency-channels bgr --saliency-scale raw --saliency-plots")...)
	if text != "" {
		t.Fatal(text)
	}
	m := &o.Model
	if o.Top != 5.5 || o.Splits != 100 || !o.plots || m.Path != "m.onnx" || m.Height != 240 || m.Width != 320 || !m.BGR || !m.Raw ||
		!slices.Equal(m.Mean, []float64{103.9, 116.7, 123.6}) || !slices.Equal(m.Std, []float64{2}) {
		t.Errorf("%+v", o)
	}
	for _, c := range []struct{ args, want string }{
		{"--fixations top:0", "want a number above 0 and below 100 after top:"},
		{"--fixations top:100", "want a number above 0 and below 100"},
		{"--fixations top:", "want a number above 0 and below 100"},
		{"--fixations f-{case}.csv", "--fixations f-{case}.csv: a reference belongs to a sample; want {sample} or {variant}"},
		{"--saliency-reference {model}.png", "a reference belongs to a sample"},
		{"--saliency-generated {id}.png", "{id} is unknown; want {sample}, {case}, {model}, {variant}, {snapshot}"},
		{"--borji-splits -1", "borji-splits"},
		{"--saliency-kl none", "none"},
		{"--saliency-size 3x", `"3x" is not a size such as 240x320`},
		{"--saliency-size 9000x2", `"9000x2" is not a size such as 240x320`},
		{"--saliency-size 32x32", "need --saliency-model"},
		{"--saliency-channels bgr", "need --saliency-model"},
		{"--saliency-channels gray", "gray"},
		{"--saliency-mean 1,2", "2 numbers, want one or one per channel"},
		{"--saliency-mean a", `"a" is not a number`},
		{"--saliency-model m.onnx --saliency-mean 103.9", "--saliency-mean 103.9 is outside the pixel range 0..1"},
		{"--saliency-model m.onnx --saliency-std 1,0,1", "--saliency-std 0, want numbers above 0"},
	} {
		if _, text := parseSaliency(t, strings.Fields(c.args)...); !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.args, text, c.want)
		}
	}
}
