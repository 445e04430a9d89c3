//go:build amd64 && !noasm

// The choice between the generated functions.

package vector

import "repscope/internal/kernel"

// These follow the choice of package kernel, so that one variable forces the generic code everywhere.
var (
	useAVX2   = kernel.Name() != "generic"
	useAVX512 = kernel.Name() == "avx512" || kernel.Name() == "amx"
)

// softmaxRow is softmaxRowGeneric.
func softmaxRow(x []float32, scale float32) float32 {
	switch {
	case len(x) == 0 || !useAVX2:
		return softmaxRowGeneric(x, scale)
	case useAVX512:
		return softmaxRowAVX512(&x[0], len(x), scale)
	}
	return softmaxRowAVX2(&x[0], len(x), scale)
}

// softmaxRows is softmaxRowsGeneric.
func softmaxRows(dst, src []float32, n, rows int) {
	switch {
	case !useAVX2:
		softmaxRowsGeneric(dst, src, n, rows)
	case useAVX512:
		softmaxRowsAVX512(&dst[0], &src[0], n, rows)
	default:
		softmaxRowsAVX2(&dst[0], &src[0], n, rows)
	}
}

// exponentialSums is exponentialSumsGeneric.
func exponentialSums(tops, sums, src []float32, n int) {
	switch {
	case !useAVX2:
		exponentialSumsGeneric(tops, sums, src, n)
	case useAVX512:
		exponentialSumsAVX512(&tops[0], &sums[0], &src[0], n, len(tops))
	default:
		exponentialSumsAVX2(&tops[0], &sums[0], &src[0], n, len(tops))
	}
}

// lowerRows is lowerRowsGeneric.
func lowerRows(dst, src, first, second []float32, n int) {
	switch {
	case !useAVX2:
		lowerRowsGeneric(dst, src, first, second, n)
	case useAVX512:
		lowerRowsAVX512(&dst[0], &src[0], &first[0], &second[0], n, len(first))
	default:
		lowerRowsAVX2(&dst[0], &src[0], &first[0], &second[0], n, len(first))
	}
}

// requantize is requantizeGeneric.
func requantize(c []float32, n, rows int, r *Requantizer) {
	switch {
	case !useAVX2:
		requantizeGeneric(c, n, rows, r)
	case useAVX512:
		requantizeAVX512(&c[0], n, rows, &r.arguments)
	default:
		requantizeAVX2(&c[0], n, rows, &r.arguments)
	}
}

// requantize is requantizeGeneric.
func (b *ByteRequantizer) requantize(dst []uint8, c []float32, n, rows int) {
	switch {
	case !useAVX2:
		b.requantizeGeneric(dst, c, n, rows)
	case useAVX512:
		requantizeBytesAVX512(&c[0], n, rows, &b.arguments, &dst[0], b.low)
	default:
		requantizeBytesAVX2(&c[0], n, rows, &b.arguments, &dst[0], b.low)
	}
}

// widen is widenGeneric for a multiple of Lanes elements, at least one.
func widen(dst []float32, src []uint8, low float32) {
	switch {
	case !useAVX2:
		widenGeneric(dst, src, low)
	case useAVX512:
		widenAVX512(&dst[0], &src[0], len(dst), low)
	default:
		widenAVX2(&dst[0], &src[0], len(dst), low)
	}
}

// lookup is lookupGeneric for a multiple of Lanes elements, at least one.
func lookup(dst []float32, src []uint8, table *[256]float32) {
	switch {
	case !useAVX2:
		lookupGeneric(dst, src, table)
	case useAVX512:
		lookupAVX512(&dst[0], &src[0], len(dst), &table[0])
	default:
		lookupAVX2(&dst[0], &src[0], len(dst), &table[0])
	}
}

// normalizeRows is normalize for rows that follow each other. It reports whether there is a vector form.
func normalizeRows(dst, x, scale, bias []float32, n, rows int, epsilon float32) bool {
	if !useAVX2 || n == 0 || n%Lanes != 0 || scale == nil || bias == nil || rows == 0 {
		return false
	}
	d, s, w, b := &dst[:n*rows][0], &x[:n*rows][0], &scale[:n][0], &bias[:n][0]
	if useAVX512 {
		normalizeRowsAVX512(d, s, w, b, n, rows, float64(epsilon))
	} else {
		normalizeRowsAVX2(d, s, w, b, n, rows, float64(epsilon))
	}
	return true
}

// rootRows is rootRowsGeneric. It reports whether there is a vector form.
func rootRows(dst, x, scale []float32, n, rows int, epsilon float32) bool {
	if !useAVX2 || n == 0 || n%Lanes != 0 || scale == nil || rows == 0 {
		return false
	}
	d, s, w := &dst[:n*rows][0], &x[:n*rows][0], &scale[:n][0]
	if useAVX512 {
		rootRowsAVX512(d, s, w, n, rows, float64(epsilon))
	} else {
		rootRowsAVX2(d, s, w, n, rows, float64(epsilon))
	}
	return true
}

// turnHalves is turnHalvesGeneric. It reports whether there is a vector form.
func turnHalves(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) bool {
	if !useAVX2 || n == 0 || rows == 0 {
		return false
	}
	// The last elements that the assembly reads and writes.
	_, _, _, _ = dst[(rows-1)*stepDst+2*n-1], src[(rows-1)*stepSrc+2*n-1], cos[2*rows*n-1], sin[2*rows*n-1]
	if useAVX512 {
		turnHalvesAVX512(&dst[0], &src[0], &cos[0], &sin[0], n, rows, stepDst, stepSrc)
	} else {
		turnHalvesAVX2(&dst[0], &src[0], &cos[0], &sin[0], n, rows, stepDst, stepSrc)
	}
	return true
}

// turnPairs is turnPairsGeneric. It reports whether there is a vector form.
func turnPairs(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) bool {
	if !useAVX2 || n == 0 || n%2 != 0 || rows == 0 {
		return false
	}
	_, _, _, _ = dst[(rows-1)*stepDst+n-1], src[(rows-1)*stepSrc+n-1], cos[rows*n-1], sin[rows*n-1]
	if useAVX512 {
		turnPairsAVX512(&dst[0], &src[0], &cos[0], &sin[0], n, rows, stepDst, stepSrc)
	} else {
		turnPairsAVX2(&dst[0], &src[0], &cos[0], &sin[0], n, rows, stepDst, stepSrc)
	}
	return true
}

// finishRows is finishRowsGeneric.
func finishRows(c, bias, other []float32, stride, cols, rows int, relu bool) {
	if !useAVX2 || cols == 0 || rows == 0 {
		finishRowsGeneric(c, bias, other, stride, cols, rows, relu)
		return
	}
	if cols%Lanes != 0 {
		finishOddRows(c, bias, other, stride, cols, rows, relu)
		return
	}
	end := (rows-1)*stride + cols
	to, from := &c[:end][0], &bias[:cols][0]
	var and *float32
	if other != nil {
		and = &other[:end][0]
	}
	if useAVX512 {
		finishRowsAVX512(to, from, and, stride, cols, rows, relu)
	} else {
		finishRowsAVX2(to, from, and, stride, cols, rows, relu)
	}
}

// finishOddRows is finishRowsGeneric for a number of columns that is no multiple of Lanes. Consecutive rows are
// processed together such that the total is a multiple.
func finishOddRows(c, bias, other []float32, stride, cols, rows int, relu bool) {
	together := Lanes
	for n := cols; n%2 == 0; n /= 2 {
		together /= 2
	}
	var tile [4096]float32
	if stride == cols && rows >= 2*together && together*cols <= len(tile) {
		for i := range together {
			copy(tile[i*cols:], bias[:cols])
		}
		n := rows / together
		finishRows(c, tile[:together*cols], other, together*cols, together*cols, n, relu)
		c, rows = c[n*together*cols:], rows-n*together
		if other != nil {
			other = other[n*together*cols:]
		}
	} else if n := cols &^ (Lanes - 1); n > 0 {
		finishRows(c, bias, other, stride, n, rows, relu)
		c, bias, cols = c[n:], bias[n:], cols-n
		if other != nil {
			other = other[n:]
		}
	}
	if rows > 0 {
		finishRowsGeneric(c, bias, other, stride, cols, rows, relu)
	}
}

// maxWindows is maxWindowsGeneric.
func maxWindows(dst, src []float32, offsets []int, channels, step, pixels int) {
	if !useAVX2 || !windowsFit(dst, src, offsets, channels, step, pixels) {
		maxWindowsGeneric(dst, src, offsets, channels, step, pixels)
		return
	}
	if useAVX512 {
		maxWindowsAVX512(&dst[0], &src[0], &offsets[0], len(offsets), channels, step, pixels)
	} else {
		maxWindowsAVX2(&dst[0], &src[0], &offsets[0], len(offsets), channels, step, pixels)
	}
}

// maxWindowsBytes is maxWindowsBytesGeneric.
func maxWindowsBytes(dst, src []uint8, offsets []int, channels, step, pixels int) {
	if !useAVX2 || channels < Lanes || !windowsFit(dst, src, offsets, channels, step, pixels) {
		maxWindowsBytesGeneric(dst, src, offsets, channels, step, pixels)
		return
	}
	maxWindowsBytesAVX2(&dst[0], &src[0], &offsets[0], len(offsets), channels, step, pixels)
}

// meanWindows is meanWindowsGeneric.
func meanWindows(dst, src []float32, offsets []int, channels, step, pixels int, count float64) {
	if !useAVX2 || !windowsFit(dst, src, offsets, channels, step, pixels) {
		meanWindowsGeneric(dst, src, offsets, channels, step, pixels, count)
		return
	}
	if useAVX512 {
		meanWindowsAVX512(&dst[0], &src[0], &offsets[0], len(offsets), channels, step, pixels, count)
	} else {
		meanWindowsAVX2(&dst[0], &src[0], &offsets[0], len(offsets), channels, step, pixels, count)
	}
}

// windowsFit touches the last elements that the assembly reads and writes; it reports whether there are any.
func windowsFit[T float32 | uint8](dst, src []T, offsets []int, channels, step, pixels int) bool {
	if len(offsets) == 0 || channels == 0 || pixels == 0 {
		return false
	}
	_, _ = dst[pixels*channels-1], src[(pixels-1)*step+offsets[len(offsets)-1]+channels-1]
	return true
}

// scaleRows is scaleRowsGeneric.
func scaleRows(dst, src, factors []float32, rows int) {
	n := len(factors) * rows
	if !useAVX2 || n == 0 {
		scaleRowsGeneric(dst, src, factors, rows)
		return
	}
	d, s := &dst[:n][0], &src[:n][0]
	if useAVX512 {
		scaleRowsAVX512(d, s, &factors[0], len(factors), rows)
	} else {
		scaleRowsAVX2(d, s, &factors[0], len(factors), rows)
	}
}

// shiftRows is shiftRowsGeneric.
func shiftRows(dst, src []float32, factors, shifts []float64, cols, rows int, relu bool) {
	n, last := cols*rows, (cols+Lanes-1)&^(Lanes-1)
	if !useAVX2 || n == 0 {
		shiftRowsGeneric(dst, src, factors, shifts, cols, rows, relu)
		return
	}
	d, s, f, v := &dst[:n][0], &src[:n][0], &factors[:last][0], &shifts[:last][0]
	if useAVX512 {
		shiftRowsAVX512(d, s, f, v, cols, rows, relu)
	} else {
		shiftRowsAVX2(d, s, f, v, cols, rows, relu)
	}
}

// slide is slideGeneric.
func slide(sums, pair, last, p1, p3, p5 Moments, x, y []float64) {
	n, size := len(x), len(sums)
	if !useAVX2 || n%Lanes != 0 || n == 0 {
		slideGeneric(sums, pair, last, p1, p3, p5, x, y)
		return
	}
	stride := size / moments
	_ = sums[(moments-1)*stride+n-1] // the last element that the assembly writes
	a, b, c, d, e, f := &sums[0], &pair[:size][0], &last[:size][0], &p1[:size][0], &p3[:size][0], &p5[:size][0]
	if useAVX512 {
		slideAVX512(a, b, c, d, e, f, &x[0], &y[:n][0], n, stride)
	} else {
		slideAVX2(a, b, c, d, e, f, &x[0], &y[:n][0], n, stride)
	}
}

// similarities is similaritiesGeneric.
func similarities(dst, total []float64, sums Moments, f, c1, c2 float64) {
	n, stride := len(dst), len(sums)/moments
	if !useAVX2 || n%Lanes != 0 || n == 0 {
		similaritiesGeneric(dst, total, sums, f, c1, c2)
		return
	}
	_ = sums[(moments-1)*stride+n-1+Window-1] // the last element that the assembly reads
	if useAVX512 {
		similaritiesAVX512(&dst[0], &total[:n][0], &sums[0], n, stride, f, c1, c2)
	} else {
		similaritiesAVX2(&dst[0], &total[:n][0], &sums[0], n, stride, f, c1, c2)
	}
}

// slideBytes is slideBytesGeneric, whose end of a row it leaves to it.
func slideBytes(sums ByteMoments, x, y, oldX, oldY []uint8) {
	n, stride := len(x)&^(Lanes-1), len(sums)/byteMoments
	if !useAVX2 || n == 0 {
		slideBytesGeneric(sums, 0, x, y, oldX, oldY)
		return
	}
	_ = sums[(byteMoments-1)*stride+n-1] // the last element that the assembly writes
	a, b, c := &y[:len(x)][0], &oldX[:len(x)][0], &oldY[:len(x)][0]
	if useAVX512 {
		slideBytesAVX512(&sums[0], &x[0], a, b, c, n, stride)
	} else {
		slideBytesAVX2(&sums[0], &x[0], a, b, c, n, stride)
	}
	slideBytesGeneric(sums, n, x, y, oldX, oldY)
}

// byteSimilarities is byteSimilaritiesGeneric.
func byteSimilarities(dst, total []float64, sums ByteMoments, step int, c1, c2 float64) {
	n, stride := len(dst), len(sums)/byteMoments
	if !useAVX2 || n%Lanes != 0 || n == 0 {
		byteSimilaritiesGeneric(dst, total, sums, step, c1, c2)
		return
	}
	_ = sums[(byteMoments-1)*stride+n-1+(Window-1)*step] // the last element that the assembly reads
	if useAVX512 {
		byteSimilaritiesAVX512(&dst[0], &total[:n][0], &sums[0], n, stride, step, c1, c2)
	} else {
		byteSimilaritiesAVX2(&dst[0], &total[:n][0], &sums[0], n, stride, step, c1, c2)
	}
}

// mixBytes is mixBytesGeneric, whose end of a row it leaves to it.
func mixBytes(dst, src []uint8, stride int, weights []int32) {
	n := len(dst) &^ (Lanes - 1)
	if !useAVX2 || n == 0 || len(weights) == 0 {
		mixBytesGeneric(dst, src, stride, weights)
		return
	}
	_ = src[(len(weights)-1)*stride+n-1] // the last element that the assembly reads
	if useAVX512 {
		mixBytesAVX512(&dst[0], &src[0], &weights[0], n, stride, len(weights))
	} else {
		mixBytesAVX2(&dst[0], &src[0], &weights[0], n, stride, len(weights))
	}
	if n < len(dst) {
		mixBytesGeneric(dst[n:], src[n:], stride, weights)
	}
}

// byteRange is byteRangeGeneric, to which it leaves short rows.
func byteRange(x []float32) (low, high float32) {
	n := len(x) &^ (Lanes - 1)
	if !useAVX2 || n == 0 {
		return byteRangeGeneric(x)
	}
	if useAVX512 {
		low, high = byteRangeAVX512(&x[0], n)
	} else {
		low, high = byteRangeAVX2(&x[0], n)
	}
	if n < len(x) {
		a, b := byteRangeGeneric(x[n:])
		low, high = min(low, a), max(high, b)
	}
	return low, high
}

// toBytes is toBytesGeneric, whose end of a row it leaves to it.
func toBytes(dst []uint8, x []float32, low int32) bool {
	n := len(x) &^ (Lanes - 1)
	if !useAVX2 || n == 0 {
		return toBytesGeneric(dst, x, low)
	}
	var wrong uint32
	if useAVX512 {
		wrong = toBytesAVX512(&dst[0], &x[0], n, low)
	} else {
		wrong = toBytesAVX2(&dst[0], &x[0], n, low)
	}
	return wrong == 0 && toBytesGeneric(dst[n:], x[n:], low)
}

// fromSums is fromSumsGeneric, whose end of a row it leaves to it.
func fromSums(dst []float32, sums, lows, columns []int32, row, low int32) {
	n := len(dst) &^ (Lanes - 1)
	if !useAVX2 || n == 0 {
		fromSumsGeneric(dst, sums, lows, columns, row, low)
		return
	}
	if useAVX512 {
		fromSumsAVX512(&dst[0], &sums[0], &lows[0], &columns[0], n, row, low)
	} else {
		fromSumsAVX2(&dst[0], &sums[0], &lows[0], &columns[0], n, row, low)
	}
	fromSumsGeneric(dst[n:], sums[n:], lows[n:], columns[n:], row, low)
}

// weigh is weighGeneric, whose end of a row it leaves to it.
func weigh(dst, src []float64, weights *[Reach + 1]float64, step int) {
	n := len(dst) &^ (Lanes - 1)
	if !useAVX2 || n == 0 {
		weighGeneric(dst, src, weights, step)
		return
	}
	_ = src[2*Reach*step+n-1] // the last element that the assembly reads
	if useAVX512 {
		weighAVX512(&dst[0], &src[0], &weights[0], n, step)
	} else {
		weighAVX2(&dst[0], &src[0], &weights[0], n, step)
	}
	if n < len(dst) {
		weighGeneric(dst[n:], src[n:], weights, step)
	}
}

func distribution(x []float32, top float64) (sum, weighted, squares float64) {
	if !useAVX2 {
		return distributionGeneric(x, top)
	}
	var sums [3]float64
	if useAVX512 {
		distributionAVX512(&x[0], len(x), top, &sums)
	} else {
		distributionAVX2(&x[0], len(x), top, &sums)
	}
	return sums[0], sums[1], sums[2]
}

func standing(x []float32, logit float32) (top float32, first, larger, equal int) {
	if !useAVX2 {
		return standingGeneric(x, logit)
	}
	return standingAVX2(&x[0], len(x), logit)
}

func (r Reduction) rows(dst []float64, x []float32, n, rows, stride int) {
	if !useAVX2 {
		r.rowsGeneric(dst, x, n, rows, stride)
		return
	}
	r.reduceRowsAssembly(&dst[0], &x[0], n, rows, stride)
}

func (r Reduction) columns(dst []float64, src []float32, offsets []int, width int) {
	if !useAVX2 {
		r.columnsGeneric(dst, src, offsets, width)
		return
	}
	r.reduceColumnsAssembly(&dst[0], &src[0], &offsets[0], len(offsets), width)
}

// overtake returns how many elements it has done.
func (o Order) overtake(top, x []float32, index []int32, value int32) int {
	n := len(top) &^ (Lanes - 1)
	if !useAVX2 || n == 0 {
		return 0
	}
	t, v, i := &top[0], &x[0], &index[0]
	switch {
	case o == Greater && useAVX512:
		greaterAVX512(t, v, i, n, value)
	case o == Greater:
		greaterAVX2(t, v, i, n, value)
	case o == GreaterOrEqual && useAVX512:
		greaterOrEqualAVX512(t, v, i, n, value)
	case o == GreaterOrEqual:
		greaterOrEqualAVX2(t, v, i, n, value)
	case o == Less && useAVX512:
		lessAVX512(t, v, i, n, value)
	case o == Less:
		lessAVX2(t, v, i, n, value)
	case useAVX512:
		lessOrEqualAVX512(t, v, i, n, value)
	default:
		lessOrEqualAVX2(t, v, i, n, value)
	}
	return n
}

// wholeDeviation is the part of deviation that vectors give, and of how many elements it is.
func wholeDeviation(x []float32, mean float64) (sum float64, n int) {
	n = len(x) &^ (Lanes - 1)
	switch {
	case !useAVX2 || n == 0:
		return 0, 0
	case useAVX512:
		return deviationAVX512(&x[0], n, mean), n
	}
	return deviationAVX2(&x[0], n, mean), n
}
