//go:build !amd64 || noasm

// The vector functions where there is no assembly.

package vector

var useAVX512 bool

// softmaxRow is softmaxRowGeneric.
func softmaxRow(x []float32, scale float32) float32 { return softmaxRowGeneric(x, scale) }

func softmaxRows(dst, src []float32, n, rows int)      { softmaxRowsGeneric(dst, src, n, rows) }
func exponentialSums(tops, sums, src []float32, n int) { exponentialSumsGeneric(tops, sums, src, n) }
func lowerRows(dst, src, first, second []float32, n int) {
	lowerRowsGeneric(dst, src, first, second, n)
}
func requantize(c []float32, n, rows int, r *Requantizer) { requantizeGeneric(c, n, rows, r) }

// The functions below have assembly elsewhere.

func relu(dst, src []float32)     { reluGeneric(dst, src) }
func exp(dst, src []float32)      { expGeneric(dst, src) }
func sigmoid(dst, src []float32)  { sigmoidGeneric(dst, src) }
func silu(dst, src []float32)     { siluGeneric(dst, src) }
func tanh(dst, src []float32)     { tanhGeneric(dst, src) }
func erf(dst, src []float32)      { erfGeneric(dst, src) }
func gelu(dst, src []float32)     { geluGeneric(dst, src) }
func geluTanh(dst, src []float32) { geluTanhGeneric(dst, src) }
func mish(dst, src []float32)     { mishGeneric(dst, src) }

func sqrt(dst, src []float32)      { sqrtGeneric(dst, src) }
func negate(dst, src []float32)    { negateGeneric(dst, src) }
func absolutes(dst, src []float32) { absolutesGeneric(dst, src) }
func floor(dst, src []float32)     { floorGeneric(dst, src) }
func ceil(dst, src []float32)      { ceilGeneric(dst, src) }
func round(dst, src []float32)     { roundGeneric(dst, src) }

func log(dst, src []float32)      { logGeneric(dst, src) }
func softplus(dst, src []float32) { softplusGeneric(dst, src) }
func sinh(dst, src []float32)     { sinhGeneric(dst, src) }
func cosh(dst, src []float32)     { coshGeneric(dst, src) }
func asinh(dst, src []float32)    { asinhGeneric(dst, src) }
func acosh(dst, src []float32)    { acoshGeneric(dst, src) }
func atanh(dst, src []float32)    { atanhGeneric(dst, src) }
func atan(dst, src []float32)     { atanGeneric(dst, src) }
func asin(dst, src []float32)     { asinGeneric(dst, src) }
func acos(dst, src []float32)     { acosGeneric(dst, src) }
func sin(dst, src []float32)      { sinGeneric(dst, src) }
func cos(dst, src []float32)      { cosGeneric(dst, src) }
func tan(dst, src []float32)      { tanGeneric(dst, src) }

func celu(dst, src []float32, alpha, unit float32) { celuGeneric(dst, src, alpha, unit) }

func thresholded(dst, src []float32, bound, other float32) {
	thresholdedGeneric(dst, src, bound, other)
}
func shrink(dst, src []float32, bound, shift float32) { shrinkGeneric(dst, src, bound, shift) }
func softsign(dst, src []float32)                     { softsignGeneric(dst, src) }
func signs(dst, src []float32)                        { signsGeneric(dst, src) }

func powRows(dst, x, y []float32, stepX, stepY int) { powRowsGeneric(dst, x, y, stepX, stepY) }
func modRows(dst, x, y []float32, stepX, stepY int) { modRowsGeneric(dst, x, y, stepX, stepY) }

func maxRows(dst, x, y []float32, stepX, stepY int)   { maxRowsGeneric(dst, x, y, stepX, stepY) }
func minRows(dst, x, y []float32, stepX, stepY int)   { minRowsGeneric(dst, x, y, stepX, stepY) }
func preluRows(dst, x, y []float32, stepX, stepY int) { preluRowsGeneric(dst, x, y, stepX, stepY) }
func gateRows(dst, x, y []float32, stepX, stepY int)  { gateRowsGeneric(dst, x, y, stepX, stepY) }

func (d *Depthwise) line(dst []float32, to int, src []float32, from, pixels int, taps []Tap) {
	d.generic(dst, to, src, from, pixels, taps)
}

func interleave(dst, a, b, c, d []uint8) { interleaveGeneric(dst, a, b, c, d) }

func (d *ByteDepthwise) line(dst []float32, to int, src []uint8, from, pixels int, taps []Tap) {
	d.generic(dst, to, src, from, pixels, taps)
}

func (r Reduction) rows(dst []float64, x []float32, n, rows, stride int) {
	r.rowsGeneric(dst, x, n, rows, stride)
}

func (r Reduction) columns(dst []float64, src []float32, offsets []int, width int) {
	r.columnsGeneric(dst, src, offsets, width)
}

// overtake and wholeDeviation do nothing and say so.
func (o Order) overtake(top, x []float32, index []int32, value int32) int { return 0 }
func wholeDeviation(x []float32, mean float64) (sum float64, n int)       { return 0, 0 }

func clip(dst, src []float32, low, high float32) { clipGeneric(dst, src, low, high) }
func hardSigmoid(dst, src []float32, slope, shift float32) {
	hardSigmoidGeneric(dst, src, slope, shift)
}
func hardSwish(dst, src []float32, six, half float32) { hardSwishGeneric(dst, src, six, half) }

func addRows(dst, x, y []float32, stepX, stepY int) { addRowsGeneric(dst, x, y, stepX, stepY) }
func subRows(dst, x, y []float32, stepX, stepY int) { subRowsGeneric(dst, x, y, stepX, stepY) }
func mulRows(dst, x, y []float32, stepX, stepY int) { mulRowsGeneric(dst, x, y, stepX, stepY) }
func divRows(dst, x, y []float32, stepX, stepY int) { divRowsGeneric(dst, x, y, stepX, stepY) }

// normalizeRows reports that there is no vector form.
func normalizeRows(dst, x, scale, bias []float32, n, rows int, epsilon float32) bool {
	return false
}

func swish(dst, src []float32, slope, unit float32) { swishGeneric(dst, src, slope, unit) }

// turnHalves and turnPairs report that there is no vector form.
func turnHalves(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) bool { return false }
func turnPairs(dst, src, cos, sin []float32, n, rows, stepDst, stepSrc int) bool  { return false }

// rootRows reports that there is no vector form.
func rootRows(dst, x, scale []float32, n, rows int, epsilon float32) bool { return false }

func leaky(dst, src []float32, slope, one float32) { leakyGeneric(dst, src, slope, one) }
func elu(dst, src []float32, low, high float32)    { eluGeneric(dst, src, low, high) }

func maxWindows(dst, src []float32, offsets []int, channels, step, pixels int) {
	maxWindowsGeneric(dst, src, offsets, channels, step, pixels)
}

func maxWindowsBytes(dst, src []uint8, offsets []int, channels, step, pixels int) {
	maxWindowsBytesGeneric(dst, src, offsets, channels, step, pixels)
}

func meanWindows(dst, src []float32, offsets []int, channels, step, pixels int, count float64) {
	meanWindowsGeneric(dst, src, offsets, channels, step, pixels, count)
}

// finishRows is finishRowsGeneric.
func finishRows(c, bias, other []float32, stride, cols, rows int, relu bool) {
	finishRowsGeneric(c, bias, other, stride, cols, rows, relu)
}

func scaleRows(dst, src, factors []float32, rows int) { scaleRowsGeneric(dst, src, factors, rows) }

func shiftRows(dst, src []float32, factors, shifts []float64, cols, rows int, relu bool) {
	shiftRowsGeneric(dst, src, factors, shifts, cols, rows, relu)
}

// slide is slideGeneric.
func slide(sums, pair, last, p1, p3, p5 Moments, x, y []float64) {
	slideGeneric(sums, pair, last, p1, p3, p5, x, y)
}

// similarities is similaritiesGeneric.
func similarities(dst, total []float64, sums Moments, f, c1, c2 float64) {
	similaritiesGeneric(dst, total, sums, f, c1, c2)
}

// slideBytes is slideBytesGeneric.
func slideBytes(sums ByteMoments, x, y, oldX, oldY []uint8) {
	slideBytesGeneric(sums, 0, x, y, oldX, oldY)
}

// byteSimilarities is byteSimilaritiesGeneric.
func byteSimilarities(dst, total []float64, sums ByteMoments, step int, c1, c2 float64) {
	byteSimilaritiesGeneric(dst, total, sums, step, c1, c2)
}

// mixBytes is mixBytesGeneric.
func mixBytes(dst, src []uint8, stride int, weights []int32) {
	mixBytesGeneric(dst, src, stride, weights)
}

// byteRange is byteRangeGeneric.
func byteRange(x []float32) (low, high float32) { return byteRangeGeneric(x) }

// toBytes is toBytesGeneric.
func toBytes(dst []uint8, x []float32, low int32) bool { return toBytesGeneric(dst, x, low) }

func (b *ByteRequantizer) requantize(dst []uint8, c []float32, n, rows int) {
	b.requantizeGeneric(dst, c, n, rows)
}

func widen(dst []float32, src []uint8, low float32)          { widenGeneric(dst, src, low) }
func lookup(dst []float32, src []uint8, table *[256]float32) { lookupGeneric(dst, src, table) }

// fromSums is fromSumsGeneric.
func fromSums(dst []float32, sums, lows, columns []int32, row, low int32) {
	fromSumsGeneric(dst, sums, lows, columns, row, low)
}

// weigh is weighGeneric.
func weigh(dst, src []float64, weights *[Reach + 1]float64, step int) {
	weighGeneric(dst, src, weights, step)
}

func differenceSums32(dst []float64, a, b []float32, rows, strideA, strideB int, roots bool) {
	differenceSumsGeneric(dst, a, b, rows, strideA, strideB, roots)
}

func differenceSums64(dst, a, b []float64, rows, strideA, strideB int, roots bool) {
	differenceSumsGeneric(dst, a, b, rows, strideA, strideB, roots)
}

func sortColumns32(x []float32, pairs []int32) { sortColumnsGeneric(x, pairs) }
func sortColumns64(x []float64, pairs []int32) { sortColumnsGeneric(x, pairs) }

func weightedColumns32(dst []float64, x, y []float32, weights []float64) {
	weightedColumnsGeneric(dst, x, y, weights)
}

func weightedColumns64(dst, x, y, weights []float64) { weightedColumnsGeneric(dst, x, y, weights) }

// The following do nothing and say so.

func addSquares32(dst []float64, x, y []float32) int { return 0 }
func addSquares64(dst, x, y []float64) int           { return 0 }
func addRoots(dst, x, y []float64) int               { return 0 }

func tileDistances(sums *[16]float64, x, y []float64, n, stride int) {
	tileDistancesGeneric(sums, x, y, n, stride)
}

func distribution(x []float32, top float64) (sum, weighted, squares float64) {
	return distributionGeneric(x, top)
}

func standing(x []float32, of float32) (top float32, first, larger, equal int) {
	return standingGeneric(x, of)
}

func prefetch([]float32) {}
