// Tests of exclusion windows over states with gaps in time.

package points

import (
	"slices"
	"testing"
)

func TestWindowLabels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		episode, time []int
		w             int
		want          []int
		widest        int
	}{
		{"no times", []int{0, 0, 7}, nil, 2, []int{0, 0, 7}, 2},
		{"nothing", nil, nil, 2, nil, 2},
		{"without gaps", nil, []int{5, 6, 7, 8}, 2, []int{0, 0, 0, 0}, 2},
		{"two episodes", []int{4, 4, 9, 9}, []int{0, 1, 2, 3}, 2, []int{0, 0, 1, 1}, 2},
		{"a wide gap", nil, []int{0, 1, 5, 6}, 2, []int{0, 0, 1, 1}, 2},
		{"a narrow gap", nil, []int{0, 2, 3, 4}, 2, []int{0, 0, 0, 0}, 3},
		{"as wide as the window", nil, []int{0, 2, 4, 6}, 2, []int{0, 0, 0, 0}, 4},
		{"an episode that comes back", []int{1, 2, 1}, []int{0, 1, 2}, 3, []int{0, 1, 0}, 3},
	} {
		labels, widest := WindowLabels(test.episode, test.time, test.w)
		if !slices.Equal(labels, test.want) || widest != test.widest {
			t.Errorf("%s: labels %v, widest %d; want %v, %d", test.name, labels, widest, test.want, test.widest)
		}
	}
}

// Two states of one label are at most w positions apart whenever they are at most w
// frames apart in one episode: the window leaves out no fewer than it says.
func TestWindowLabelsLeaveOutTheWindow(t *testing.T) {
	t.Parallel()
	time := []int{0, 1, 3, 4, 8, 9, 10, 15, 16, 18, 30}
	for w := 1; w < 12; w++ {
		labels, widest := WindowLabels(nil, time, w)
		for i := range time {
			for j := range i {
				near := time[i]-time[j] <= w
				excluded := labels[i] == labels[j] && i-j <= w
				if near && !excluded || excluded && time[i]-time[j] > widest {
					t.Errorf("w = %d: states %d and %d, frames %d and %d: excluded %v, widest %d", w, j, i, time[j], time[i], excluded, widest)
				}
			}
		}
	}
}
