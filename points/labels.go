// Labels: the groups of points, such as their episodes.

package points

// Numbered replaces labels by the numbers 0, 1, … in order of first appearance, so that the values of
// the labels have no effect. count is the number of distinct labels.
func Numbered[T comparable](labels []T) (numbers []int, count int) {
	indices := make(map[T]int)
	numbers = make([]int, len(labels))
	for i, label := range labels {
		n, ok := indices[label]
		if !ok {
			n = len(indices)
			indices[label] = n
		}
		numbers[i] = n
	}
	return numbers, len(indices)
}

// Grouped lists the points of every group, in the order of the groups' first points. A nil
// group puts all n points into one; without points there is none.
func Grouped(group []int, n int) [][]int {
	if group == nil {
		group = make([]int, n)
	}
	numbers, count := Numbered(group[:n])
	out := make([][]int, count)
	for i, g := range numbers {
		out[g] = append(out[g], i)
	}
	return out
}
