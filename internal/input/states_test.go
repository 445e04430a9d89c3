// Tests of states: windows of models, rows of latents, episodes, the pixel range.

package input_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

// standResult is what the stand-in reports.
type standResult struct {
	Inputs   []map[string]any
	Options  map[string]any
	Models   map[string]map[string]any
	Warnings []string
}

// mustRun runs the stand-in and reads its result.
func mustRun(t *testing.T, dir, args string) (result standResult) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	fields := strings.Fields(strings.ReplaceAll(args+" --json --out {}/out", "{}", dir))
	if code := run.Run(t.Context(), stand, fields, &stdout, &stderr); code != 0 {
		t.Fatalf("%s: %s", args, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// ramp writes latents [n, 1] that are the numbers of their rows.
func ramp(t *testing.T, dir string, n int) {
	t.Helper()
	z := make([]float32, n)
	for i := range z {
		z[i] = float32(i)
	}
	if err := dataset.WriteNPY(filepath.Join(dir, fmt.Sprintf("z%d.npy", n)), []int{n, 1}, z); err != nil {
		t.Fatal(err)
	}
}

// Two episodes of 10 frames make 16 windows of 3, that begin at 0..7 and 10..17. By the
// rule of earlier versions there are as many, but where an episode is a single window or
// end flags forbid the terminal frame.
func TestWindows(t *testing.T) {
	dir := folder(t)
	for _, n := range []int{13, 14, 15, 16, 18, 20} {
		ramp(t, dir, n)
	}
	done := make([]bool, 20)
	done[9], done[19] = true, true
	short := make([]int64, 20) // episodes of 10, 3 and 7 frames
	for i := 10; i < 20; i++ {
		short[i] = 1 + int64(i/13)
	}
	for _, err := range []error{
		dataset.WriteNPY(filepath.Join(dir, "done.npy"), []int{20}, done),
		dataset.WriteNPY(filepath.Join(dir, "cut.npy"), []int{20}, append(slices.Clone(done[:19]), false)),
		dataset.WriteNPY(filepath.Join(dir, "short.npy"), []int{20}, short),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const numbers, flags = "--episodes {}/episodes.npy ", "--episodes {}/done.npy "
	for _, c := range []struct {
		args   string
		states int
		means  map[string]float64
		warned int
	}{
		{numbers + "--window 3 --latents a={}/z16.npy", 16, map[string]float64{"a": 7.5}, 0},
		{flags + "--window 3 --latents a={}/z16.npy", 16, map[string]float64{"a": 7.5}, 0},
		// What was written by the rule of earlier versions: what it lacks is left out for
		// all models.
		{"--episodes {}/cut.npy --window 3 --latents a={}/z15.npy", 15, map[string]float64{"a": 7}, 1},
		{"--episodes {}/cut.npy --window 3 --latents a={}/z15.npy --latents b={}/z16.npy", 15, map[string]float64{"a": 7, "b": (120.0 - 7) / 15}, 1},
		{"--episodes {}/short.npy --window 3 --latents a={}/z13.npy", 13, map[string]float64{"a": 6}, 1},
		{"--episodes {}/cut.npy --window con=3 --latents con={}/z15.npy --latents ae={}/z20.npy", 15, map[string]float64{"con": 7, "ae": (168.0 - 9) / 15}, 1},
		// A window for each: all have the states of the longest, and of these the last frames.
		{numbers + "--window con=3,ae=1 --latents con={}/z16.npy --latents ae={}/z20.npy", 16, map[string]float64{"con": 7.5, "ae": 10.5}, 0},
		{flags + "--window 3 --window ae=1 --latents con={}/z16.npy --latents ae={}/z20.npy", 16, map[string]float64{"con": 7.5, "ae": 10.5}, 0},
		{numbers + "--window con=3 --latents con={}/z16.npy --latents ae={}/z20.npy", 16, map[string]float64{"con": 7.5, "ae": 10.5}, 0},
		{numbers + "--window con=3,two=2 --latents con={}/z16.npy --latents two={}/z18.npy", 16, map[string]float64{"con": 7.5, "two": (153.0 - 0 - 9) / 16}, 0},
		{numbers + "--window con=3,ae=1 --latents con={}/z16.npy --latents ae={}/z16.npy", 16, map[string]float64{"con": 7.5, "ae": 7.5}, 0},
		{numbers + "--latents ae={}/z20.npy", 20, map[string]float64{"ae": 9.5}, 0},
	} {
		result := mustRun(t, dir, "--frames {}/frames.npy "+c.args)
		if result.Inputs[0]["states"] != float64(c.states) || len(result.Warnings) != c.warned {
			t.Errorf("%s: %v states, warnings %v; want %d, %d", c.args, result.Inputs[0]["states"], result.Warnings, c.states, c.warned)
		}
		for name, mean := range c.means {
			if got := result.Models[name]["mean"]; got != mean {
				t.Errorf("%s: mean of %s is %v, want %v", c.args, name, got, mean)
			}
		}
		if pairs := result.Models["a"]["pairs"]; c.states == 16 && pairs != nil && pairs != 14.0 {
			t.Errorf("%s: %v pairs, want 14", c.args, pairs)
		}
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{numbers + "--window 3 --latents a={}/z18.npy", "give 16 states: want 16 rows, one per window of 3 frames; 18 rows match windows of 2 frames", 1},
		{numbers + "--window 3 --latents a={}/z14.npy", "give 16 states: want 16 rows, one per window of 3 frames; 14 rows match windows of 4 frames", 1},
		{flags + "--window 3 --latents a={}/z14.npy", "latents a: {}/z14.npy has shape [14 1], but frames {}/frames.npy of shape [20 2 3] give 16 states: " +
			"14 rows can be one per window of 4 frames or, as earlier versions of encode wrote them, one per window of 3 frames with a preceding or following frame, without flagged frames\n" +
			"stand: hint: encode them again, or, if they are windows of 4 frames, say --window a=4", 1},
		{"--window 3 --latents a={}/z16.npy", "hint: without --episodes windows cross the ends of episodes", 1},
		{numbers + "--window 11 --latents a={}/z16.npy", "no window of 11 rows fits into an episode (20 rows, 2 runs)", 1},
		{"--window c=3 --latents a={}/z16.npy", `--window c=3: no model is named "c"`, 2},
	} {
		code, _, stderr := runIn(t.Context(), dir, "--frames {}/frames.npy --out {}/no "+c.args)
		if want := strings.ReplaceAll(c.want, "{}", dir); code != c.code || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s\nwant %s", c.args, code, stderr, want)
		}
	}
	if got := mustRun(t, dir, "--frames {}/frames.npy --window 3 --window b=1 --latents b={}/z20.npy").Options["window"]; got != "3,b=1" {
		t.Errorf("recorded window %v", got)
	}
}

func TestEpisodes(t *testing.T) {
	dir := folder(t)
	write := func(name string, values ...int64) {
		if err := dataset.WriteNPY(filepath.Join(dir, name), []int{20}, values); err != nil {
			t.Fatal(err)
		}
	}
	starts, rewards := make([]int64, 20), make([]int64, 20)
	starts[0], starts[10] = 1, 1
	rewards[3], rewards[7] = 1, -1
	write("starts.npy", starts...)
	write("rewards.npy", rewards...)
	for _, c := range []struct {
		args, kind string
		episodes   int
		pairs      float64
		warnings   string
	}{
		{"episodes.npy", "episode numbers", 2, 18, ""},
		{"starts.npy", "end-of-episode flags", 3, 17, "starts.npy: read as flags of the last frames of episodes, but the first frame is flagged and the last frame is not, " +
			"as if the flags marked first frames; state their kind with --episodes-kind"},
		{"starts.npy --episodes-kind starts", "start-of-episode flags", 2, 18, ""},
		{"starts.npy --episodes-kind ends", "end-of-episode flags", 3, 17, ""},
		{"rewards.npy", "episode numbers", 3, 15, "rewards.npy: read as episode numbers, but row 7 is -1;"},
		{"rewards.npy", "episode numbers", 3, 15, "but numbers return after others (5 runs of 3 numbers)"},
		{"rewards.npy --episodes-kind numbers", "episode numbers", 3, 15, ""},
	} {
		for _, frames := range []string{"--frames {}/frames.npy ", ""} {
			result := mustRun(t, dir, frames+"--latents a={}/z.npy --episodes {}/"+c.args)
			in := result.Inputs[0]
			for _, i := range result.Inputs {
				if i["role"] == "episodes" {
					in = i
				}
			}
			warnings := strings.Join(result.Warnings, "\n")
			if in["kind"] != c.kind || in["episodes"] != float64(c.episodes) || !strings.Contains(warnings, c.warnings) || (warnings == "") != (c.warnings == "") {
				t.Errorf("%s%s: %v, warnings %q; want %s of %d, %q", frames, c.args, in, warnings, c.kind, c.episodes, c.warnings)
			}
			if got := result.Models["a"]["pairs"]; got != c.pairs && (frames != "" || c.args == "episodes.npy") {
				t.Errorf("%s%s: %v pairs, want %v", frames, c.args, got, c.pairs)
			}
		}
	}
	code, stdout, stderr := runIn(t.Context(), dir, "--frames {}/frames.npy --latents a={}/z.npy --episodes {}/starts.npy --episodes-kind starts --out {}/out")
	if want := "starts.npy: start-of-episode flags of 2 episodes\n"; code != 0 || !strings.Contains(stdout, want) {
		t.Errorf("exit %d, %s%s, want %s", code, stdout, stderr, want)
	}
	code, _, stderr = runIn(t.Context(), dir, "--latents a={}/z.npy --episodes {}/rewards.npy --episodes-kind ends --out {}/out")
	if code != 1 || !strings.Contains(stderr, "element 7 is -1, want a flag 0 or 1") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// A warning where data lie in a small part of the pixel range that was guessed.
func TestPixelRange(t *testing.T) {
	dir := folder(t)
	values := make([]float32, 20*4)
	for i := range values {
		values[i] = 1.4 + 5.1*float32(i)/79
	}
	mask := make([]uint8, 20*4)
	for i := range mask {
		mask[i] = uint8(i % 3)
	}
	for _, err := range []error{
		dataset.WriteNPY(filepath.Join(dir, "small.npy"), []int{20, 2, 2}, values),
		dataset.WriteNPY(filepath.Join(dir, "vectors.npy"), []int{20, 4}, values),
		dataset.WriteNPY(filepath.Join(dir, "mask.npy"), []int{20, 2, 2}, mask),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"small.npy":                       "frames {}/small.npy: values span 1.4..6.5, a small part of the pixel range 0..255 (from the data, which span 1.4..6.5); give the range of the data with --pixel-range LOW,HIGH",
		"small.npy --pixel-range 0,255":   "",
		"vectors.npy":                     "",
		"mask.npy":                        "frames {}/mask.npy: values span 0..2, a small part of the pixel range 0..255 (from the type uint8)",
		"mask.npy --pixel-range 0,2":      "",
		"frames.npy":                      "",
		"frames.npy --pixel-range 0,1000": "",
	} {
		result := mustRun(t, dir, "--latents a={}/z.npy --frames {}/"+args)
		got := strings.Join(result.Warnings, "\n")
		if w := strings.ReplaceAll(want, "{}", dir); !strings.HasPrefix(got, w) || (got == "") != (w == "") {
			t.Errorf("%s: warnings %q, want %q", args, got, w)
		}
	}
	r := mustRun(t, dir, "--latents a={}/z.npy --frames {}/vectors.npy").Inputs[0]["pixel_range"].(map[string]any)
	if r["low"] != float64(values[0]) || r["high"] != float64(values[79]) || !strings.Contains(fmt.Sprint(r["source"]), "vectors") {
		t.Errorf("range of vectors %v", r)
	}
}
