// Equal points in different parts.

package points

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// Shared counts the points that are equal to a point of another part. Point i is of part[i]; a negative number is no part.
func Shared(p Points, part []int) int {
	first := map[uint64][]int{} // by hash: the first of each set of equal points
	owner, mixed, size := map[int]int{}, map[int]bool{}, map[int]int{}
	seed := maphash.MakeSeed()
	row, other := make([]float64, p.Dim), make([]float64, p.Dim)
	var bytes []byte
	for i := range p.N {
		if part[i] < 0 {
			continue
		}
		p.Row(i, row)
		bytes = bytes[:0]
		for _, v := range row {
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v+0)) // −0 is 0
		}
		key := maphash.Bytes(seed, bytes)
		k := slices.IndexFunc(first[key], func(j int) bool { return slices.Equal(p.Row(j, other), row) })
		if k < 0 {
			first[key] = append(first[key], i)
			owner[i], size[i] = part[i], 1
			continue
		}
		j := first[key][k]
		size[j]++
		mixed[j] = mixed[j] || owner[j] != part[i]
	}
	count := 0
	for j := range mixed {
		if mixed[j] {
			count += size[j]
		}
	}
	return count
}
