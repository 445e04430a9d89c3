// The neighbors of a point with their ties.

package rows

// Listed are the neighbors of a point, nearest first. Run holds, for each, the first index of its run of equal
// distances; the last run is whole. Run is nil if ties are in some order.
type Listed struct{ Index, Run []int32 }

// RunEnd is the end of the run of equal distances that begins at index lo.
func RunEnd(run []int32, lo int) int {
	hi := lo + 1
	for hi < len(run) && run[hi] == run[lo] {
		hi++
	}
	return hi
}

// Tied reports whether two of the list are equally far.
func (l Listed) Tied() bool {
	for index, lo := range l.Run {
		if int(lo) != index {
			return true
		}
	}
	return false
}

// Cut keeps the first length neighbors and all at the distance of the last of them.
func (l Listed) Cut(length int) Listed {
	if l.Run == nil {
		return Listed{Index: l.Index[:length]}
	}
	length = RunEnd(l.Run, int(l.Run[length-1]))
	return Listed{l.Index[:length], l.Run[:length]}
}
