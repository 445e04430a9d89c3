// What metrics are, found by their paths.

package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestMetricOf(t *testing.T) {
	t.Parallel()
	r := NewResult("neighborhood")
	r.Describe(Described{Name: "by_k.trustworthiness", Better: Higher}, Described{Name: "accuracy", Better: Higher})
	r.Describe(Described{Name: "position_error", Better: Lower, Unit: "pixels"}, Described{Name: "accuracy.error", Better: Lower, Unit: "pixels"})
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	read, err := ReadFrom("r.json", &b)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Result{r, read} {
		for path, want := range map[string]Metric{
			"by_k[k=10].trustworthiness":        {Direction: Higher},
			"by_k[0].trustworthiness":           {Direction: Higher},
			"label_consistency[k=1].accuracy":   {Direction: Higher}, // by its end
			"probes[a=b].accuracy.error":        {Direction: Lower, Unit: "pixels"},
			"position_error":                    {Direction: Lower, Unit: "pixels"},
			"horizons[horizon=5].by[x=y].other": {},
			"trustworthiness":                   {}, // described as by_k.trustworthiness
			"position_error_sd":                 {},
		} {
			if got, ok := r.MetricOf(path); got != want || ok != (want != Metric{}) {
				t.Errorf("%s: %+v, %v; want %+v", path, got, ok, want)
			}
		}
	}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"mse": "mse", "by_k[k=10].trustworthiness": "by_k.trustworthiness", "a[0].b[n1=2].c": "a.b.c", "levels[sigma=0.1]": "levels", "odd[": "odd", "": "",
		"region/hcdr1/accuracy": "region/hcdr1/accuracy",
	} {
		if got := Family(path); got != want {
			t.Errorf("Family(%q) = %q, want %q", path, got, want)
		}
	}
	if got := "levels" + Row("sigma", 0.05) + "." + "mean"; got != "levels[sigma=0.05].mean" {
		t.Error(got)
	}
}

func TestBadMetrics(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"mse":"lower"}`:               `metrics.mse: want an object, got the text "lower"`,
		`{"mse":{"unit":"dB"}}`:         "metrics.mse: it has no direction",
		`{"mse":{"direction":"down"}}`:  `want one of higher, lower, none, got the text "down"`,
		`{"mse":{"direction":1}}`:       "want one of higher, lower, none, got the number 1",
		`[]`:                            "metrics: want an object",
		`{"mse":{"direction":"lower"}}`: "",
	} {
		_, err := ReadFrom("r.json", strings.NewReader(`{"schema":"repscope/1","analysis":"a","models":{},"metrics":`+text+`}`))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
