// Tests of selections: every list speaks of the same states.

package input_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/points"
)

// selected runs a command that selects the states with the given indices.
func selected(t *testing.T, args string, index []int, space input.Space) (found *points.Selection, code int, stderr string) {
	t.Helper()
	c := run.Command{Name: "select", Out: filepath.Join(t.TempDir(), "out"), Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{})
		return run.Job{Run: func(ctx context.Context, env *run.Env) error {
			data, err := inputs.Load(ctx, env)
			if err == nil {
				found, err = data.Select(ctx, index, space)
			}
			return err
		}}
	}}
	var stdout, errs bytes.Buffer
	code = run.Run(t.Context(), c, strings.Fields(args), &stdout, &errs)
	return found, code, errs.String()
}

func TestSelect(t *testing.T) {
	dir := folder(t)
	args := "--frames " + dir + "/frames.npy --episodes " + dir + "/episodes.npy --latents a=" + dir + "/z.npy --latents b=" + dir + "/z.npy"
	index := []int{1, 9, 10, 19}
	for space, size := range map[input.Space]int{input.NoFrames: 0, input.LastFrames: 4, input.Clips: 4} {
		s, code, stderr := selected(t, args, index, space)
		if code != 0 {
			t.Fatal(stderr)
		}
		if !slices.Equal(s.Index, index) || !slices.Equal(s.Time, index) || !slices.Equal(s.Episode, []int{0, 0, 1, 1}) || s.Frames.N != size {
			t.Errorf("selection %+v, want %d frames", s, size)
		}
		if s.Source != "frames "+dir+"/frames.npy" || len(s.Models) != 2 || s.Models[1].Name != "b" || s.Models[1].Latents.N != 4 {
			t.Errorf("source %q, models %+v", s.Source, s.Models)
		}
		if row := s.Models[0].Latents.Row(1, nil); fmt.Sprint(float32(row[0])) != fmt.Sprint(float32(9*4%7)/7) {
			t.Errorf("latent of state 9 begins with %v", row[0])
		}
		if size > 0 && s.Frames.U8[6] != uint8(9*6*13%256) {
			t.Errorf("frame of state 9 begins with %d", s.Frames.U8[6])
		}
	}
	if _, code, stderr := selected(t, "--latents a="+dir+"/z.npy", index, input.LastFrames); code != 2 || !strings.Contains(stderr, "frames are missing") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
