// Tests of the order of names with numbers.

package text

import (
	"slices"
	"strings"
	"testing"
)

func TestCompareNatural(t *testing.T) {
	t.Parallel()
	names := []string{"frame10.png", "frame2.png", "frame1.png", "frame02.png", "a.png", "frame.png", "frame2b.png", "frame99999999999999999999.png"}
	slices.SortFunc(names, CompareNatural)
	want := "a.png frame.png frame1.png frame02.png frame2.png frame2b.png frame10.png frame99999999999999999999.png"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
