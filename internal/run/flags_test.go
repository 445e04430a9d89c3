// Tests of what is recorded of flags.

package run

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"repscope/report"
)

func TestRecordedOptions(t *testing.T) {
	t.Parallel()
	f := newFake()
	if err := f.parse(strings.Fields("--threads 3 --k 7 --fast --model a --mean 3 --quiet")...); err != nil {
		t.Fatal(err)
	}
	recorded := f.flags.recorded()
	var b bytes.Buffer
	if err := report.Encode(&b, recorded); err != nil {
		t.Fatal(err)
	}
	want := []string{"mean", "seed", "bootstrap", "corruption", "k", "limit", "metric", "sigma"}
	if diff := cmp.Diff(want, recorded.Keys()); diff != "" {
		t.Errorf("recorded options (−want +got):\n%s", diff)
	}
	for _, part := range []string{`"k": [7]`, `"mean": "3"`, `"bootstrap": 200`, `"corruption": ["gaussian"]`, `"limit": 1048576`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s is missing in %s", part, b.String())
		}
	}
}

// A group keeps the order in which names are placed, also of flags that are defined
// later; flags taken out leave it.
func TestGroup(t *testing.T) {
	t.Parallel()
	flags, o := newFlags("fake"), &Options{}
	flags.Int("samples", 0, "`N` states")
	flags.Group(Statistics, "samples", "bootstrap", "seed")
	o.register(flags, &Command{Name: "fake", Omit: []string{"bootstrap"}}, Job{})
	recorded := flags.recorded()
	if diff := cmp.Diff([]string{"samples", "seed"}, recorded.Keys()); diff != "" {
		t.Errorf("recorded options (−want +got):\n%s", diff)
	}
}
