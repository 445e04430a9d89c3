// Numbers of labels, in the order of their appearance, and points by group.

package points

import (
	"reflect"
	"slices"
	"testing"
)

func TestNumbered(t *testing.T) {
	t.Parallel()
	if numbers, count := Numbered([]string{"b", "b", "a", "b", "c"}); !slices.Equal(numbers, []int{0, 0, 1, 0, 2}) || count != 3 {
		t.Errorf("numbers %v of %d labels", numbers, count)
	}
	if numbers, count := Numbered([]int(nil)); len(numbers) != 0 || count != 0 {
		t.Errorf("numbers %v of %d labels where there is none", numbers, count)
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		group []int
		n     int
		want  [][]int
	}{
		{[]int{7, 7, 3, 7}, 4, [][]int{{0, 1, 3}, {2}}},
		{nil, 3, [][]int{{0, 1, 2}}},
		{nil, 0, [][]int{}},
	} {
		if got := Grouped(c.group, c.n); !reflect.DeepEqual(got, c.want) {
			t.Errorf("groups of %v: %v, want %v", c.group, got, c.want)
		}
	}
}
