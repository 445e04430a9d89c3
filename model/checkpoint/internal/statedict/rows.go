// Elements of tensors through whole rows.

package statedict

// partElements bounds the part of a tensor that is read at a time, unless its rows are longer.
const partElements = 1 << 16

// ByRows returns a function that reads any elements of a tensor through one that reads
// whole rows; it takes some of them at a time, so that little of a mapped file is resident.
func ByRows(shape []int, read func(part []float32, lo, hi int) error) func(dst []float32, first int) error {
	row := 1
	for _, d := range shape[min(1, len(shape)):] {
		row *= d
	}
	step := max(1, partElements/max(row, 1))
	return func(dst []float32, first int) error {
		for len(dst) > 0 {
			lo, skipped := first/row, first%row
			if skipped > 0 || len(dst) < row {
				whole := make([]float32, row)
				if err := read(whole, lo, lo+1); err != nil {
					return err
				}
				n := copy(dst, whole[skipped:])
				dst, first = dst[n:], first+n
				continue
			}
			n := min(len(dst)/row, step)
			if err := read(dst[:n*row], lo, lo+n); err != nil {
				return err
			}
			dst, first = dst[n*row:], first+n*row
		}
		return nil
	}
}
