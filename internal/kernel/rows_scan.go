// Scans of rows of distances: for small elements, and by equal steps.

package kernel

// FinishDistances sets c[j] = (norm + norms[j]) − 2·c[j], each operation rounded, and so turns
// a row of products into squared distances. The slices have the same length; the shorter one decides otherwise.
func FinishDistances(c, norms []float32, norm float32) {
	n := min(len(c), len(norms))
	active.Load().rows.finishDistances(c[:n], norms[:n], norm)
}

func finishDistancesGeneric(c, norms []float32, norm float32) {
	for j, m := range norms {
		c[j] = float32(norm+m) - float32(2*c[j])
	}
}

// NearDistances searches the distances of [FinishDistances] for small ones, without changing c: the first elements of
// dst become the ascending indices k of distances that are at most limit or at most limits[k]. It returns their number
// and panics if dst, norms or limits are shorter than c.
func NearDistances(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	n := len(c)
	return active.Load().rows.nearDistances(dst[:n], c, norms[:n], limits[:n], norm, limit)
}

func nearDistancesGeneric(dst []int32, c, norms, limits []float32, norm, limit float32) int {
	return nearDistancesFrom(0, 0, dst, c, norms, limits, norm, limit)
}

// nearDistancesFrom does the elements from first on, after count found ones.
func nearDistancesFrom(first, count int, dst []int32, c, norms, limits []float32, norm, limit float32) int {
	for k := first; k < len(c); k++ {
		if d := float32(norm+norms[k]) - float32(2*c[k]); d <= limit || d <= limits[k] {
			dst[count] = int32(k)
			count++
		}
	}
	return count
}

// DistanceGroups is the number of groups of [LeastDistances].
const DistanceGroups = 32

// LeastDistances lowers least[g] to the least distance of [FinishDistances] from the c[j] with j mod DistanceGroups =
// g, without changing c. NaN is not less than anything. It panics if norms is shorter than c.
func LeastDistances(least *[DistanceGroups]float32, c, norms []float32, norm float32) {
	active.Load().rows.leastDistances(least, c, norms[:len(c)], norm)
}

func leastDistancesGeneric(least *[DistanceGroups]float32, c, norms []float32, norm float32) {
	for j, v := range c {
		if d := float32(norm+norms[j]) - float32(2*v); d < least[j%DistanceGroups] {
			least[j%DistanceGroups] = d
		}
	}
}

// CountAtMost counts elements of the columns of a tile: it adds to counts[q·width+j] the number of rows r < rows with
// tile[r·stride+j] ≤ limits[q·width+j], for j < width. counts and limits have the same length, which is a
// multiple of 4·width. NaN is not at most anything. It panics if the tile is too short.
func CountAtMost(counts []int32, tile []float32, stride, rows int, limits []float32, width int) {
	if rows == 0 || width == 0 || len(limits) == 0 {
		return
	}
	if len(counts) != len(limits) || len(limits)%(4*width) != 0 || stride < width {
		panic("kernel: counts and limits of groups of four")
	}
	active.Load().rows.countAtMost(counts, tile[:(rows-1)*stride+width], stride, rows, limits, width)
}

func countAtMostGeneric(counts []int32, tile []float32, stride, rows int, limits []float32, width int) {
	countAtMostFrom(0, counts, tile, stride, rows, limits, width)
}

// countAtMostFrom does the columns from first on.
func countAtMostFrom(first int, counts []int32, tile []float32, stride, rows int, limits []float32, width int) {
	for offset := 0; offset < len(limits); offset += width {
		part, sums := limits[offset:offset+width], counts[offset:offset+width]
		for r := range rows {
			row := tile[r*stride : r*stride+width]
			for j := first; j < width; j++ {
				if row[j] <= part[j] {
					sums[j]++
				}
			}
		}
	}
}

// AtMost sets the first elements of dst to the ascending indices k with x[k] ≤ limit and
// returns their number. It panics if dst is shorter than x. NaN is not at most anything.
func AtMost(dst []int32, x []float32, limit float32) int {
	return active.Load().rows.atMost(dst[:len(x)], x, limit)
}

// Below sets the first elements of dst to the ascending indices k with x[k] < limit and
// returns their number. It panics if dst is shorter than x.
func Below(dst []int32, x []int32, limit int32) int {
	return active.Load().rows.below(dst[:len(x)], x, limit)
}

func atMostGeneric(dst []int32, x []float32, limit float32) int {
	n := 0
	for k, v := range x {
		if v <= limit {
			dst[n] = int32(k)
			n++
		}
	}
	return n
}

func belowGeneric(dst, x []int32, limit int32) int {
	n := 0
	for k, v := range x {
		if v < limit {
			dst[n] = int32(k)
			n++
		}
	}
	return n
}

// StepsFloat32 sets dst[k] to the step of x[k]: 1 + (x[k] − first)·scale, rounded down, between 0 and last. Every
// operation is rounded to float32; scale is positive, and last at most 65,535. It panics if dst is shorter than x.
func StepsFloat32(dst []uint16, x []float32, first, scale float32, last int) {
	active.Load().rows.stepsFloat32(dst[:len(x)], x, first, scale, float32(last))
}

// StepsInt32 is [StepsFloat32] of integers, whose difference is exact and fits into 32 bits.
func StepsInt32(dst []uint16, x []int32, first int32, scale float32, last int) {
	active.Load().rows.stepsInt32(dst[:len(x)], x, first, scale, float32(last))
}

func stepsGeneric[T int32 | float32](dst []uint16, x []T, first T, scale, last float32) {
	for k, v := range x {
		dst[k] = uint16(max(0, min(float32(float32(v-first)*scale)+1, last)))
	}
}
