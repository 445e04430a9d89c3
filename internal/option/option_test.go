// Declared options: their checks, what they are identified by.

package option

import (
	"fmt"
	"testing"
)

type options struct {
	ks      []int
	levels  []float64
	rule    rule
	n       int
	share   float64
	names   []string
	verbose bool
	title   string
}

type rule int

func (r rule) String() string { return []string{"mean", "first"}[r] }

func (o *options) Declare(l *List) {
	l.Ints(&o.ks, "ks", "`LIST` of sizes").AtLeast(1).Distinct()
	l.Floats(&o.levels, "levels", "`LIST` of levels").Distinct()
	Choice(l, &o.rule, "rule", []rule{0, 1}, "`RULE` for ties")
	l.Int(&o.n, "n", "`N` draws").Draws(2)
	l.Float(&o.share, "share", "`SHARE` of states").EachFloat("a number from 0 to 1", func(v float64) bool { return v >= 0 && v <= 1 })
	l.Names(&o.names, "names", []string{"a", "b"}, "`LIST` of names")
	l.Bool(&o.verbose, "verbose", "say more").Free()
	l.Text(&o.title, "title", "`TEXT`")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(o *options)
		want   string
	}{
		{func(*options) {}, "<nil>"},
		{func(o *options) { o.ks = []int{5, 0} }, "ks 0: want at least 1"},
		{func(o *options) { o.ks = []int{5, 7, 5} }, "ks: 5 is given twice"},
		{func(o *options) { o.levels = []float64{0.5, 0.5} }, "levels: 0.5 is given twice"},
		{func(o *options) { o.n = 1 }, "n 1: want at least 2"},
		{func(o *options) { o.n = MostDraws }, "<nil>"},
		{func(o *options) { o.n = MostDraws + 1 }, "n 10000001: want at most 10000000"},
		{func(o *options) { o.share = 1.5 }, "share 1.5: want a number from 0 to 1"},
	} {
		o := options{ks: []int{5}, n: 2}
		c.change(&o)
		if got := fmt.Sprint(Of(&o).Check()); got != c.want {
			t.Errorf("%+v: %s, want %s", o, got, c.want)
		}
	}
}

// Every value that is recorded is identified, as it is at that time.
func TestIdentity(t *testing.T) {
	t.Parallel()
	o := options{ks: []int{5}, names: []string{"b"}, title: "x"}
	l := Of(&o)
	o.rule, o.n, o.share, o.verbose = 1, 3, 0.25, true
	want := "[ks = [5] levels = [] rule = first n = 3 share = 0.25 names = [b] title = x]"
	if got := fmt.Sprint(l.Identity()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := fmt.Sprint(l.Identity("names", "title", "n", "share", "rule")); got != "[ks = [5] levels = []]" {
		t.Error(got)
	}
}

// A choice reads the text of one of its values and no other.
func TestChoice(t *testing.T) {
	t.Parallel()
	var o options
	for _, option := range Of(&o).Options {
		if option.Name != "rule" {
			continue
		}
		value := option.Field.(Value)
		if err := value.Set("first"); err != nil || o.rule != 1 || value.String() != "first" || value.(interface{ Get() any }).Get() != "first" {
			t.Errorf("rule %v, %v", o.rule, err)
		}
		if err := value.Set("last"); err == nil || o.rule != 1 {
			t.Errorf("a rule of no such name: %v, %v", o.rule, err)
		}
	}
}
