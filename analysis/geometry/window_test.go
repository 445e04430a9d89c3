// Tests of the exclusion window over states with gaps, as --skip-nan leaves them.

package geometry

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/internal/results"
	"repscope/measure/motion"
	"repscope/points"
	"repscope/stat"
)

// gapped is a walk of 60 states in one episode that begin at the given frames, with
// labels that alternate in stretches of four.
func gapped(time []int) Input {
	random := stat.NewRandom(stat.NewKey(5))
	z := make([]float32, 3*len(time))
	for i := range z {
		z[i] = float32(random.Normal())
		if i >= 3 {
			z[i] += z[i-3]
		}
	}
	in := Input{Models: []Encoded{{Name: "walk", Latents: points.Float32(z, 3)}}, Time: time}
	for i := range time {
		in.Labels = append(in.Labels, int64(i/4%3))
		in.Episode = append(in.Episode, 0)
	}
	return in
}

func consistencies(t *testing.T, in Input, window int) ([]LabelConsistency, []string) {
	t.Helper()
	result, err := Analyze(t.Context(), in, Options{Clusters: []int{2}, Neighbors: []int{1, 3}, ExcludeWindow: window})
	if err != nil {
		t.Fatal(err)
	}
	return result.Models[0].LabelConsistency, result.Warnings
}

// An automatic window is the longest autocorrelation time of the models.
func TestAutomaticWindow(t *testing.T) {
	t.Parallel()
	time := make([]int, 60)
	for i := range time {
		time[i] = i
	}
	in := gapped(time)
	found, err := Analyze(t.Context(), in, Options{Clusters: []int{2}, Neighbors: []int{1, 3}, ExcludeWindow: results.AutoWindow})
	if err != nil {
		t.Fatal(err)
	}
	m := &found.Models[0]
	tau, err := motion.EffectiveSize(t.Context(), in.Models[0].Latents, in.Episode, in.Time, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := min(int(math.Ceil(tau.Tau)), (60/2-1)/2); m.ExcludeWindow != want || want < 2 {
		t.Errorf("window %d, want %d", m.ExcludeWindow, want)
	}
	want, _ := consistencies(t, in, m.ExcludeWindow)
	if a, b := fmt.Sprint(m.LabelConsistency), fmt.Sprint(want); a != b {
		t.Errorf("the window found gives other numbers than the same one given:\n%s\n%s", a, b)
	}
}

// The window counts frames: where more frames than it are missing, the states on both
// sides may be neighbors, as if they were of two episodes.
func TestExcludeWindowCountsFrames(t *testing.T) {
	t.Parallel()
	time := make([]int, 60)
	for i := range time {
		time[i] = i
		if i >= 30 {
			time[i] += 20
		}
	}
	got, warnings := consistencies(t, gapped(time), 5)
	split := gapped(time)
	for i := 30; i < 60; i++ {
		split.Episode[i] = 1
	}
	want, _ := consistencies(t, split, 5)
	for i := range want {
		if got[i].Accuracy.V != want[i].Accuracy.V || got[i].Purity.V != want[i].Purity.V {
			t.Errorf("k = %d: accuracy %v, purity %v; want %v, %v", want[i].K, got[i].Accuracy, got[i].Purity, want[i].Accuracy, want[i].Purity)
		}
	}
	isWindow := func(w string) bool {
		return strings.Contains(w, "the exclusion window of 5 frames leaves out pairs up to")
	}
	if slices.ContainsFunc(warnings, isWindow) {
		t.Errorf("warnings %q", warnings)
	}

	// A gap inside the window makes it wider, and the warning says so.
	for i := range time {
		time[i] = i
		if i >= 30 {
			time[i] += 2
		}
	}
	narrow, warnings := consistencies(t, gapped(time), 5)
	if !slices.ContainsFunc(warnings, isWindow) {
		t.Errorf("warnings %q", warnings)
	}
	plain := gapped(time)
	plain.Time = nil
	rows, _ := consistencies(t, plain, 5)
	if narrow[0].Accuracy.V != rows[0].Accuracy.V {
		t.Errorf("accuracy %v, want that of the same positions, %v", narrow[0].Accuracy, rows[0].Accuracy)
	}
}

// States of a sample keep their times: accuracy and purity of the nearest state more
// than a window away, found literally.
func TestExcludeWindowOfSample(t *testing.T) {
	t.Parallel()
	time := make([]int, 90)
	for i := range time {
		time[i] = 7 + i
		if i >= 45 {
			time[i] += 4 // frames are missing here
		}
	}
	for _, without := range []bool{false, true} {
		in := gapped(time)
		if without {
			in.Time = nil
		}
		for i := range 90 {
			if i%7 < 3 || i%5 == 0 {
				in.Sample = append(in.Sample, i)
			}
		}
		at := func(i int) int {
			if without {
				return i
			}
			return time[i]
		}
		for _, window := range []int{1, 6} {
			same := 0.0
			for _, i := range in.Sample {
				nearest, least := -1, math.Inf(1)
				a := in.Models[0].Latents.Row(i, nil)
				for _, j := range in.Sample {
					b := in.Models[0].Latents.Row(j, nil)
					d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
					if max(at(i)-at(j), at(j)-at(i)) > window && d < least {
						nearest, least = j, d
					}
				}
				if in.Labels[nearest] == in.Labels[i] {
					same++
				}
			}
			got, warnings := consistencies(t, in, window)
			if want := same / float64(len(in.Sample)); math.Abs(got[0].Accuracy.V-want) > 1e-12 || math.Abs(got[0].Purity.V-want) > 1e-12 {
				t.Errorf("window %d: accuracy %v, purity %v, want %v", window, got[0].Accuracy, got[0].Purity, want)
			}
			for _, w := range warnings {
				if strings.Contains(w, "missing from the sequence") {
					t.Errorf("warning %q", w)
				}
			}
		}
	}
}
