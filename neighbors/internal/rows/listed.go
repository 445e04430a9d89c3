// The neighbors of a point with their ties.

package rows

// Listed are the neighbors of a point, nearest first, and the first place of each one's run of
// equal distances; the last run is whole. Run is nil where ties are in some order.
type Listed struct{ Index, Run []int32 }

// RunEnd is where the run of equal distances that begins at place lo ends.
func RunEnd(run []int32, lo int) int {
	hi := lo + 1
	for hi < len(run) && run[hi] == run[lo] {
		hi++
	}
	return hi
}

// Tied reports whether two of the list are equally far.
func (l Listed) Tied() bool {
	for at, lo := range l.Run {
		if int(lo) != at {
			return true
		}
	}
	return false
}

// Cut keeps so many and what is as far as the last of them.
func (l Listed) Cut(length int) Listed {
	if l.Run == nil {
		return Listed{Index: l.Index[:length]}
	}
	length = RunEnd(l.Run, int(l.Run[length-1]))
	return Listed{l.Index[:length], l.Run[:length]}
}
