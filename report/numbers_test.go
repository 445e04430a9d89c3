// Numbers with what belongs to them, and JSON that is no result.

package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestEstimates(t *testing.T) {
	t.Parallel()
	m := object(t, `{"mse":1,"mse_sd":0.5,"mse_ci":[0.5,1.5],"psnr":null,"psnr_ci":null,"reason":"no frames",
		"two_nn":{"mle":3,"mle_ci":[2.9,3.1],"mle_ci_assumes":"much","mle_halves_ci":[2.5,3.5]},
		"lone":{"mle":3,"mle_ci":[2.9,3.1],"mle_ci_assumes":"much"},
		"by_k":[{"k":5,"trustworthiness":0.9,"trust_ci":[0.8,1],"trust_se":0.1}],
		"groupings":[{"source":"labels","x":1},{"source":"kmeans","x":2,"not_compared":"own clusters"}],
		"std":1,"loss":2,"loss_std":0.25,"skipped":{"w":"why"},"lost":{"skipped":true,"reason":"no tokens"}}`)
	var got []string
	for e := range m.Estimates() {
		text := fmt.Sprintf("%s %v", e.Path, e.Value.Float())
		if e.Interval.Defined() {
			text += fmt.Sprintf(" [%v %v]", e.Interval.Low, e.Interval.High)
		}
		if e.SD.Defined() {
			text += fmt.Sprintf(" sd %v", e.SD.V)
		}
		if e.Value.Reason != "" {
			text += " " + e.Value.Reason
		}
		if e.NotCompared != "" {
			text += " " + e.NotCompared
		}
		got = append(got, text)
	}
	want := []string{"mse 1 [0.5 1.5] sd 0.5", "psnr NaN no frames", "two_nn.mle 3 [2.5 3.5]", "lone.mle 3", "by_k[k=5].trustworthiness 0.9 [0.8 1]",
		"groupings[source=labels].x 1", "groupings[source=kmeans].x 2 own clusters", "std 1", "loss 2 sd 0.25"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for range m.Estimates() {
		break // a walk may end early
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	v, err := Parse("p.json", []byte(`{"a":NaN,"b":[1,-Infinity,Infinity],"c":"NaN \" Infinity","d":-1}`))
	if err != nil {
		t.Fatal(err)
	}
	o := v.(Object)
	a, err := o.Number("a")
	if text, _ := o.Get("c"); err != nil || a.Defined() || text != `NaN " Infinity` {
		t.Errorf("%v, %v, %v", a, err, text)
	}
	if d, err := o.Number("d"); err != nil || d.V != -1 {
		t.Errorf("%v, %v", d, err)
	}
	if x, err := o.Number("b[1]"); err == nil && x.Defined() {
		t.Errorf("b[1] is %v", x)
	}
	for text, want := range map[string]string{"": "truncated", `{"a":1`: "truncated", `{"a":nan}`: "not JSON", `{"a":1,"a":2}`: "twice"} {
		if _, err := Parse("p.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p.json") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse("p.json", []byte("[1,")); !errors.Is(err, ErrTruncated) {
		t.Errorf("got %v", err)
	}
}
