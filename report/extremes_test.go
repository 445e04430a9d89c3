// Tests of which models may be the best, and of what is said of metrics.

package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestExtremes(t *testing.T) {
	t.Parallel()
	r := NewResult("test")
	r.Models.Set("a", Object{})
	e := &Extremes{Metric: "score at k=5", Path: "by_k[k=5].score"}
	for name, p := range map[string][2]float64{"a": {1, 0.03125}} {
		e.Highest.Set(name, p[0])
		e.Lowest.Set(name, p[1])
	}
	r.Comparisons = []Comparison{{A: "a", B: "b", Extremes: e}, {A: "a", B: "c", Extremes: e}, {A: "b", B: "c"}}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "p_highest"); n != 1 {
		t.Errorf("the extremes of one metric stand there %d times", n)
	}
	read, again := rewrite(t, b.Bytes())
	if !bytes.Equal(again, b.Bytes()) {
		t.Error("reading and writing changes the file")
	}
	for _, of := range []*Result{r, read} {
		got := of.ExtremesOf("by_k[k=5].score")
		if got == nil || of.ExtremesOf("score at k=5") != nil {
			t.Fatal("found by another name than its path")
		}
		high, ok := got.P("a", Higher)
		low, also := got.P("a", Lower)
		if _, none := got.P("b", Higher); high != 1 || low != 0.03125 || !ok || !also || none {
			t.Errorf("p %v and %v", high, low)
		}
	}
}

func TestMetricLimits(t *testing.T) {
	t.Parallel()
	r := NewResult("test")
	r.Models.Set("a", Object{})
	r.Describe(Described{Name: "r", Better: Higher, Low: -1, High: 1, Headline: true}, Described{Name: "psnr", Better: Higher},
		Described{Name: "error", Better: Lower, Unit: "m", High: math.Inf(1)})
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, again := rewrite(t, b.Bytes())
	if !bytes.Equal(again, b.Bytes()) || strings.Contains(b.String(), "reason") {
		t.Errorf("reading and writing changes the file:\n%s\n%s", b.String(), again)
	}
	for path, want := range map[string]Metric{
		"probes.r": {Direction: Higher, Range: &Limits{-1, 1}, Headline: true},
		"error":    {Direction: Lower, Unit: "m", Range: &Limits{0, math.Inf(1)}},
		"psnr":     {Direction: Higher},
	} {
		got, ok := read.MetricOf(path)
		if !ok || got.Direction != want.Direction || got.Unit != want.Unit || got.Headline != want.Headline || (got.Range == nil) != (want.Range == nil) ||
			got.Range != nil && *got.Range != *want.Range {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

func TestHeadlines(t *testing.T) {
	t.Parallel()
	paths := []string{"by_k[k=5].t", "by_k[k=10].t", "by_k[k=20].t", "auc", "raw.auc", "local"}
	named := func(names ...string) func(string) bool {
		return func(path string) bool { return slices.Contains(names, Family(path)) }
	}
	for _, c := range []struct {
		headline func(string) bool
		most     int
		want     []int
	}{
		{named("auc", "by_k.t"), 5, []int{1, 3}},
		{named("auc", "by_k.t"), 1, []int{1}},
		{named(), 2, []int{3, 4}},
		{named(), 9, []int{1, 3, 4, 5}},
	} {
		if got := Headlines(paths, c.headline, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// TestPlace: every way to name a row leads to the path by which a walk names its numbers.
func TestPlace(t *testing.T) {
	t.Parallel()
	m := object(t, `{"fss":[{"quantile":0.9,"window":1,"fss":0.5},{"quantile":0.9,"window":3,"fss":0.7}],"by_k":[{"k":5,"t":1},{"k":10,"t":2}],"a.b":{"c":1}}`)
	for path, want := range map[string]string{
		"fss[quantile=0.9;window=3].fss": "fss[quantile=0.9;window=3].fss", "fss[1].fss": "fss[quantile=0.9;window=3].fss", "fss[window=3].fss": "fss[quantile=0.9;window=3].fss", "by_k[1].t": "by_k[k=10].t", "by_k[k=10].t": "by_k[k=10].t", "a.b.c": "a.b.c",
	} {
		got, ok := m.Place(path)
		if !ok || got != want {
			t.Errorf("%s stands at %q, want %q", path, got, want)
		}
		if v, err := m.Number(got); err != nil || !v.Defined() {
			t.Errorf("%s: %v", got, err)
		}
	}
	for _, path := range []string{"fss[quantile=0.5;window=3].fss", "fss[9].fss", "none", "by_k[k=5].t.u"} {
		if got, ok := m.Place(path); ok {
			t.Errorf("%s stands at %q", path, got)
		}
	}
}
