// Tests of encoders that do not take what they are given, and of what is said of the
// others.

package input_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"repscope/dataset"
)

const models = "../../latent/testdata/"

// encoderFolder holds frames of 84x84 and of 12x16 pixels.
func encoderFolder(t *testing.T) string {
	dir := folder(t)
	large, small := make([]uint8, 12*84*84), make([]uint8, 12*12*16)
	for i := range large {
		large[i] = uint8(i * 7)
	}
	for i := range small {
		small[i] = uint8(i * 7)
	}
	for _, err := range []error{
		dataset.WriteNPY(filepath.Join(dir, "large.npy"), []int{12, 84, 84}, large),
		dataset.WriteNPY(filepath.Join(dir, "small.npy"), []int{12, 12, 16}, small),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestEncoderHints(t *testing.T) {
	dir := encoderFolder(t)
	for _, c := range []struct{ args, want, hint string }{
		{"large.npy --model con=dqn_opset17.onnx", "states have shape [84 84], the encoder wants [4 84 84]", "--window 4 makes them fit"},
		{"small.npy --model con=dqn_opset17.onnx --baseline pca", "states have shape [12 16], the encoder wants [4 84 84]", "--window con=4 --resize con=84x84 makes them fit"},
		{"large.npy --model tok=tokens_opset17.onnx --pool mean", "states have shape [84 84], the encoder wants [1 12 16]", "--resize 12x16 makes them fit"},
		{"small.npy --model tok=tokens_opset17.onnx", "13 16], 13 vectors per state: choose pooling last, mean, cls, flatten or index:K", "choose with --pool tok=MODE"},
		{"small.npy --model tok=tokens_opset17.onnx", "", "or use another value of its graph with --layer tok=LAYER; encode --model tok=FILE --layers list shows them"},
		{"large.npy --window 4 --model con=dqn_opset17.onnx --layer /conv2/Conv_output_0", "maps of vectors: choose pooling flatten", "choose with --pool con=MODE"},
	} {
		args := strings.ReplaceAll(c.args, "con=dqn", "con="+models+"dqn")
		args = strings.ReplaceAll(args, "tok=tokens", "tok="+models+"tokens")
		code, _, stderr := runIn(t.Context(), dir, "--out {}/no --frames {}/"+args)
		if code != 1 || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "stand: hint: "+c.hint+"\n") {
			t.Errorf("%s: exit %d, %s\nwant %s, hint %s", c.args, code, stderr, c.want, c.hint)
		}
	}
}

// With --verbose one line describes the input of each model, and the result holds it.
func TestGiven(t *testing.T) {
	dir := encoderFolder(t)
	const con = " --model con=" + models + "dqn_opset17.onnx"
	for args, want := range map[string]string{
		"large.npy --window 4" + con:                    "con: input [4 84 84] float32, windows of 4 frames, pixels as stored, 0..255 (--input-scale unit for 0..1)\n",
		"large.npy --window 4 --input-scale raw" + con:  "windows of 4 frames, pixels as stored, 0..255\n",
		"large.npy --window 4 --input-scale unit" + con: "windows of 4 frames, pixels 0..255 scaled to 0..1\n",
		"large.npy --window 4 --pixel-range 0,1" + con:  "windows of 4 frames, pixels as stored, 0..1\n",
		"small.npy --window 4 --resize 84x84 --input-scale unit --mean 0.5 --std 0.25" + con: "windows of 4 frames, resized to 84x84 (bilinear), " +
			"pixels 0..255 scaled to 0..1 minus 0.5 divided by 0.25\n",
		"small.npy --baseline random:4":   "random: input [1 1 12 16] float32, pixels as stored",
		"frames.npy --latents z={}/z.npy": "z: latents [20 4] float32, one per frame\n",
	} {
		code, stdout, stderr := runIn(t.Context(), dir, "--verbose --out {}/out --frames {}/"+args)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, %s%s\nwant %s", args, code, stdout, stderr, want)
		}
	}
	result := mustRun(t, dir, "--frames {}/large.npy --window con=4 --baseline pca:2 --input-scale con=unit --std con=0.5"+con)
	for _, in := range result.Inputs {
		details, _ := in["details"].(map[string]any)
		switch in["name"] {
		case "con":
			r := details["input_range"].([]any)
			if details["window"] != 4.0 || len(details["input_shape"].([]any)) != 3 || details["input_dtype"] != "float32" || r[0] != 0.0 || r[1] != 2.0 {
				t.Errorf("details of con %v", details)
			}
		case "pca":
			if r := details["input_range"].([]any); details["window"] != 0.0 || r[1] != 255.0 {
				t.Errorf("details of pca %v", details)
			}
		}
	}
}

// Means and standard deviations of another scale than the pixels'.
func TestScaleWarnings(t *testing.T) {
	dir := encoderFolder(t)
	const con = "--frames {}/large.npy --window 4 --model con=" + models + "dqn_opset17.onnx "
	for args, want := range map[string]string{
		"":                                     "",
		"--mean 0.5":                           "model con: --mean or --std is set without --input-scale: pixels 0..255 are scaled to 0..1 first; confirm with --input-scale unit, or turn scaling off with raw",
		"--mean 0.5 --input-scale unit":        "",
		"--mean 123.7 --input-scale raw":       "",
		"--mean 123.7":                         "model con: the mean 123.7 is outside the range of the pixels, 0..1; see --input-scale",
		"--std 0.229 --input-scale raw":        "model con: the standard deviation 0.229 does not fit the range of the pixels, 0..255; see --input-scale",
		"--std 58 --input-scale unit":          "model con: the standard deviation 58 does not fit the range of the pixels, 0..1; see --input-scale",
		"--mean 127 --std 1 --input-scale raw": "",
		"--mean 0.5 --pixel-range 0,1":         "",
	} {
		if got := strings.Join(mustRun(t, dir, con+args).Warnings, "\n"); got != want {
			t.Errorf("%s: warnings %q, want %q", args, got, want)
		}
	}
	if mean := mustRun(t, dir, con).Models["con"]["mean"].(float64); math.IsNaN(mean) {
		t.Error("no latents")
	}
}
