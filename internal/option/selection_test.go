// Names and aliases out of a registry.

package option

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"repscope/internal/text"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	registry := []Named{{Name: "first", Aliases: []string{"one"}}, {Name: "second"}, {Name: "third"}}
	var names []string
	var l List
	o := l.Selection(&names, "metrics", func(list []string) ([]string, error) { return Select(registry, list) }, "`LIST`")
	value := o.Field.(Value)
	for _, c := range [][2]string{{"third, one", "first,third"}, {"second", "second"}, {"one,first", "first"}} {
		list, want := c[0], c[1]
		if err := value.Set(list); err != nil || value.String() != want || strings.Join(names, ",") != want {
			t.Errorf("%q: %v, %v, want %s", list, names, err, want)
		}
	}
	err := value.Set("second,therd")
	var hints interface{ Hints() []string }
	want := `unknown metric "therd"; the metrics are first (one), second, third`
	if err == nil || err.Error() != want || !errors.As(err, &hints) || !slices.Equal(hints.Hints(), []string{text.DidYouMean("", "therd", []string{"third"})}) {
		t.Errorf("an unknown name: %v", err)
	}
	if all, err := Select(registry, nil); err != nil || strings.Join(all, ",") != "first,second,third" || names[0] != "first" {
		t.Errorf("all: %v, %v; after the error %v", all, err, names)
	}
}
