// Clusters against scikit-learn, SciPy and NumPy, and what leaves them undefined.

package generation

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/points"
	"repscope/report"
)

// goldenClusters is testdata/clusters/clusters.json.
type goldenClusters struct {
	Latent, Centroids                        [][]float64
	Label, Labels                            []int
	Silhouette, Separation, Spread, Spearman float64
	ByLabel                                  []float64 `json:"silhouette_by_label"`
	Std                                      []float64
	DaviesBouldin                            float64 `json:"davies_bouldin"`
	LatentMean                               float64 `json:"latent_mean"`
	LatentStd                                float64 `json:"latent_std"`
	SeparationStd                            float64 `json:"separation_std"`
}

func readGolden(t *testing.T, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

// clustersOf measures latents as the only generator.
func clustersOf(t *testing.T, l *Latents, o Options) *Model {
	t.Helper()
	o.Metrics = []string{"clusters"}
	r, err := Analyze(context.Background(), Input{Generators: []Generator{{Name: "vae", Latents: l}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return &r.Models[0]
}

func close(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

func TestClustersMatchScikitLearn(t *testing.T) {
	t.Parallel()
	var g goldenClusters
	readGolden(t, "testdata/clusters/clusters.json", &g)
	c := clustersOf(t, &Latents{Name: "z", Points: points.Float64(slices.Concat(g.Latent...), 4), Labels: g.Label}, Options{Intervals: true, Seed: 1}).Clusters
	for _, of := range []struct {
		what      string
		got       report.Value
		want      float64
		tolerance float64
	}{
		{"silhouette", c.Silhouette.Value, g.Silhouette, 1e-12},
		{"Davies–Bouldin", c.DaviesBouldin.Value, g.DaviesBouldin, 1e-12},
		{"latent mean", c.LatentMean.Value, g.LatentMean, 1e-13},
		{"latent sd", c.LatentStd.Value, g.LatentStd, 1e-13},
		{"separation", c.Separation.Value, g.Separation, 1e-12},
		{"its sd", c.SeparationStd, g.SeparationStd, 1e-12},
		{"spread", c.Spread, g.Spread, 1e-12},
		{"scaled separation", c.SeparationScaled.Value, g.Separation / g.Spread, 1e-12},
		{"Spearman", c.Spearman.Value, g.Spearman, 1e-9},
	} {
		close(t, of.what, of.got.Float(), of.want, of.tolerance)
	}
	if len(c.ByLabel) != len(g.Labels) {
		t.Fatalf("%d labels, want %d", len(c.ByLabel), len(g.Labels))
	}
	for k, l := range c.ByLabel {
		if l.Label != g.Labels[k] {
			t.Errorf("label %d is %d, want %d", k, l.Label, g.Labels[k])
		}
		close(t, "silhouette of a label", l.Silhouette.Float(), g.ByLabel[k], 1e-12)
		close(t, "sd of a label", l.Std, g.Std[k], 1e-12)
		for x, v := range l.Mean {
			close(t, "centroid", v, g.Centroids[k][x], 1e-12)
		}
	}
	if one := c.ByLabel[slices.Index(g.Labels, 7)]; one.Count != 1 || one.Silhouette != report.Number(0) || one.Std != 0 {
		t.Errorf("the single sample of label 7: %+v", one)
	}
}

// Deleting blocks by sums gives what the remaining latents give.
func TestClustersWithoutBlocks(t *testing.T) {
	t.Parallel()
	var g goldenClusters
	readGolden(t, "testdata/clusters/clusters.json", &g)
	g.Label[0] = 5
	groups := make([]int, len(g.Label))
	for i := range groups {
		groups[i] = i % 6
	}
	all := clustersOf(t, &Latents{Name: "z", Points: points.Float64(slices.Concat(g.Latent...), 4), Labels: g.Label, Groups: groups}, Options{Intervals: true}).Clusters
	for b := range 6 {
		var left [][]float64
		var labels []int
		for i, row := range g.Latent {
			if groups[i] != b {
				left, labels = append(left, row), append(labels, g.Label[i])
			}
		}
		c := clustersOf(t, &Latents{Name: "z", Points: points.Float64(slices.Concat(left...), 4), Labels: labels}, Options{}).Clusters
		for _, of := range []struct {
			what         string
			with, within Estimate
		}{{"silhouette", all.Silhouette, c.Silhouette}, {"Davies–Bouldin", all.DaviesBouldin, c.DaviesBouldin}, {"separation", all.Separation, c.Separation},
			{"scaled separation", all.SeparationScaled, c.SeparationScaled}} {
			close(t, of.what, of.with.Jackknife.Replicates[b], of.within.Value.Float(), 1e-10)
		}
	}
}

// Latents far from the origin, or of another scale, tell the same of their labels.
func TestClustersKeepUnderShiftAndScale(t *testing.T) {
	t.Parallel()
	var g goldenClusters
	readGolden(t, "testdata/clusters/clusters.json", &g)
	z := slices.Concat(g.Latent...)
	moved := slices.Clone(z)
	for i := range moved {
		moved[i] = 3*moved[i] + 1000
	}
	a := clustersOf(t, &Latents{Points: points.Float64(z, 4), Labels: g.Label}, Options{}).Clusters
	b := clustersOf(t, &Latents{Points: points.Float64(moved, 4), Labels: g.Label}, Options{}).Clusters
	close(t, "silhouette", b.Silhouette.Value.Float(), a.Silhouette.Value.Float(), 1e-9)
	close(t, "separation", b.Separation.Value.Float(), 3*a.Separation.Value.Float(), 1e-9)
	close(t, "scaled separation", b.SeparationScaled.Value.Float(), a.SeparationScaled.Value.Float(), 1e-9)
	close(t, "latent sd", b.LatentStd.Value.Float(), 3*a.LatentStd.Value.Float(), 1e-9)
}

// Without labels, with one label, or where nothing varies, numbers are undefined with a reason.
func TestClustersUndefined(t *testing.T) {
	t.Parallel()
	constant, apart := slices.Repeat([]float64{2}, 24), make([]float64, 24)
	for i := range apart {
		apart[i] = float64(i % 7)
	}
	for _, c := range []struct {
		name   string
		l      Latents
		reason string
	}{
		{"no labels", Latents{Name: "z.npz", Points: points.Float64(apart, 2)}, "z.npz has no labels"},
		{"one label", Latents{Points: points.Float64(apart, 2), Labels: slices.Repeat([]int{3}, 12)}, "all samples have one label"},
		{"labels of one sample each", Latents{Points: points.Float64(apart, 2), Labels: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, ""},
	} {
		got := clustersOf(t, &c.l, Options{Intervals: true}).Clusters
		if v := got.Silhouette.Value; v.Defined() || v.Reason == "" || !strings.Contains(v.Reason, c.reason) {
			t.Errorf("%s: silhouette %+v, want undefined for %q", c.name, v, c.reason)
		}
		if !got.LatentStd.Value.Defined() {
			t.Errorf("%s: the values vary, whatever the labels: %+v", c.name, got.LatentStd.Value)
		}
	}
	got := clustersOf(t, &Latents{Points: points.Float64(constant, 2), Labels: []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}}, Options{Intervals: true}).Clusters
	for what, e := range map[string]Estimate{"silhouette": got.Silhouette, "Davies–Bouldin": got.DaviesBouldin, "scaled separation": got.SeparationScaled, "accuracy": got.Accuracy, "Spearman": got.Spearman} {
		if e.Value.Defined() || e.Value.Reason != "all latents are equal" {
			t.Errorf("constant latents: %s is %+v, want undefined with a reason", what, e.Value)
		}
	}
}

// Threads change nothing.
func TestClustersForAnyThreads(t *testing.T) {
	t.Parallel()
	var g goldenClusters
	readGolden(t, "testdata/clusters/clusters.json", &g)
	l := Latents{Points: points.Float64(slices.Concat(g.Latent...), 4), Labels: g.Label}
	of := func(threads int) *Model { return clustersOf(t, &l, Options{Intervals: true, Threads: threads}) }
	one, three := of(1), of(3)
	if one.Clusters == nil || !bytes.Equal(written(&Result{Models: []Model{*one}}), written(&Result{Models: []Model{*three}})) {
		t.Errorf("1 thread: %+v\n3 threads: %+v", one.Clusters, three.Clusters)
	}
}
