// Elements of a list, several times and none.

package points

import (
	"slices"
	"testing"
)

func TestPick(t *testing.T) {
	t.Parallel()
	if got := Pick([]string{"a", "b", "c"}, []int{2, 0, 2}); !slices.Equal(got, []string{"c", "a", "c"}) {
		t.Errorf("%q, want c, a, c", got)
	}
	if got := Pick[int](nil, []int{1}); got != nil {
		t.Errorf("%v of no values, want nil", got)
	}
	if got := Pick([]int{1}, nil); got == nil || len(got) != 0 {
		t.Errorf("%v at no index, want an empty list", got)
	}
}
