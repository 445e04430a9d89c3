// Warnings by kind.

package page

import (
	"slices"
	"strings"
	"testing"
)

// Warnings that differ in models and numbers only are one line; those of image files are left out.
func TestWarningsByKind(t *testing.T) {
	t.Parallel()
	first, second := made([]string{"jepa", "pca", "vit"}, 1, true), made([]string{"jepa", "pca", "vit"}, 1, true)
	for i, dataset := range []string{"pong", "qbert"} {
		r := [][]Section{first, second}[i][0].Result
		r.Warn("jepa and pca: up to " + []string{"99.5", "7"}[i] + " % of the latents are late")
		r.Warn("figure curves: the labels of panel b overlap")
		r.Warn("jepa, pca and vit: all of them")
		if i == 1 {
			r.Warn("the score of vit is large")
			r.Warn("the score of pca is large")
		}
		[][]Section{first, second}[i][0].Dataset = dataset
	}
	b := &builder{Page: &Page{Sections: []Section{first[0], second[0]}}}
	b.warn()
	var got []string
	for _, w := range b.view.Warnings {
		got = append(got, w.Text+" | "+strings.Join(w.Where, ", "))
	}
	a := first[0].Analysis
	want := []string{
		"up to 7–99.5 % of the latents are late | pong/" + a + ": jepa and pca, qbert/" + a + ": jepa and pca",
		"all of them | pong/" + a + ", qbert/" + a,
		"the score of vit is large | qbert/" + a,
		"the score of pca is large | qbert/" + a,
	}
	if !slices.Equal(got, want) {
		t.Errorf("warnings\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Methods of further datasets are the sentences that the first does not have.
func TestMethodsOnce(t *testing.T) {
	t.Parallel()
	var m methods
	m.add("pong", Method{Title: "Data", Text: "There are 10 states. Distances are Euclidean."})
	m.add("qbert", Method{Title: "Data", Text: "There are 20 states. Distances are Euclidean."})
	m.add("qbert", Method{Title: "Noise", Text: "It is Gaussian."})
	if len(m.Parts) != 2 || m.Parts[0].Text != "There are 10 states. Distances are Euclidean. qbert: There are 20 states." {
		t.Errorf("methods: %v", m.Parts)
	}
}
