// Products and sums of rows in float64, and the reflections of small blocks that make a band matrix tridiagonal.

package kernel

import "math"

// The widths of the blocks of [WeighRows], [SubtractOuter] and [ReflectRows] are multiples of BandStep, at most
// MaxBand.
const (
	BandStep = 32
	MaxBand  = 2 * BandStep
)

// reflectLanes is the number of running sums of a row in [ReflectRows].
const reflectLanes = 16

// A block of rows begins at the first element of a; rows are stride elements apart.
type (
	weighKernel    func(w, v, a *float64, stride, rows int)
	subtractKernel func(a *float64, stride, rows int, v, w *float64)
	reflectKernel  func(a *float64, stride, rows int, f, w, u *float64, tau float64)
)

// reflectKernels are the kernels of blocks of BandStep and of MaxBand columns, with at least one row.
type reflectKernels struct {
	dot       func(x, y []float64) float64
	addScaled func(y, x []float64, f float64)
	weigh     func(w, v, a []float64, stride int)
	subtract  func(a []float64, stride int, v, w []float64)
	reflect   func(a []float64, stride int, f, w, u []float64, tau float64)
}

var genericReflect = reflectKernels{
	dot: dotGeneric, addScaled: addScaledGeneric, weigh: weighRowsGeneric, subtract: subtractOuterGeneric, reflect: reflectRowsGeneric,
}

// Dot is Σ x[k]·y[k] in 32 running sums: lane l takes the k with k mod 32 = l in ascending order, with fused
// multiply-add; then the upper half of the lanes is added to the lower until one is left. All implementations return
// the same bits. It panics if the length of x is not a multiple of [PairDepth] or y is shorter.
func Dot(x, y []float64) float64 {
	if len(x)%pairLanes != 0 {
		panic("kernel: length is no multiple of PairDepth")
	}
	if len(x) == 0 {
		return 0
	}
	return active.Load().reflect.dot(x, y[:len(x)])
}

// AddScaled sets y[k] = fma(f, x[k], y[k]) for all of x. It panics if y is shorter.
func AddScaled(y, x []float64, f float64) { active.Load().reflect.addScaled(y[:len(x)], x, f) }

// WeighRows sets w[c] = Σ_i v[i]·a[i·stride+c], each sum with fused multiply-add in the order of i from +0 on. It
// panics if a is too short or the length of w is neither [BandStep] nor [MaxBand].
func WeighRows(w, v, a []float64, stride int) {
	a = block(a, stride, len(v), len(w))
	active.Load().reflect.weigh(w, v, a, stride)
}

// SubtractOuter subtracts v·wᵀ + w·vᵀ from the square block a:
//
//	a[i·stride+c] = fma(−w[i], v[c], fma(−v[i], w[c], a[i·stride+c]))
//
// It panics if a is too short, if v and w differ in length or if that is neither [BandStep] nor [MaxBand].
func SubtractOuter(a []float64, stride int, v, w []float64) {
	a = block(a, stride, len(v), len(w))
	if len(v) != len(w) {
		panic("kernel: vectors of different lengths")
	}
	active.Load().reflect.subtract(a, stride, v, w)
}

// ReflectRows subtracts f·wᵀ from the block a of len(f) rows, and then reflects each of its rows x, x −= τ·(x·u)·u:
//
//	x[c] = fma(−f[i], w[c], x[c])
//	s = τ·Σ x[c]·u[c]            in 16 running sums, added up as in [Dot]
//	x[c] = fma(−s, u[c], x[c])
//
// It panics if a is too short, if w and u differ in length or if that is neither [BandStep] nor [MaxBand].
func ReflectRows(a []float64, stride int, f, w, u []float64, tau float64) {
	if len(f) == 0 {
		return
	}
	a = block(a, stride, len(f), len(w))
	if len(w) != len(u) {
		panic("kernel: vectors of different lengths")
	}
	active.Load().reflect.reflect(a, stride, f, w, u, tau)
}

// block is the part of a that a block of rows takes.
func block(a []float64, stride, rows, columns int) []float64 {
	if columns != BandStep && columns != MaxBand {
		panic("kernel: blocks have BandStep or MaxBand columns")
	}
	if rows < 1 || stride < columns {
		panic("kernel: block without rows, or of rows that overlap")
	}
	return a[:(rows-1)*stride+columns]
}

func dotGeneric(x, y []float64) float64 {
	var lanes [pairLanes]float64
	for k, v := range x {
		lanes[k%pairLanes] = math.FMA(v, y[k], lanes[k%pairLanes])
	}
	return halve(lanes[:])
}

// halve adds the upper half of the lanes to the lower until one is left.
func halve(lanes []float64) float64 {
	for half := len(lanes) / 2; half > 0; half /= 2 {
		for l := range half {
			lanes[l] += lanes[l+half]
		}
	}
	return lanes[0]
}

func addScaledGeneric(y, x []float64, f float64) {
	for k, v := range x {
		y[k] = math.FMA(f, v, y[k])
	}
}

func weighRowsGeneric(w, v, a []float64, stride int) {
	clear(w)
	for i, f := range v {
		addScaledGeneric(w, a[i*stride:][:len(w)], f)
	}
}

func subtractOuterGeneric(a []float64, stride int, v, w []float64) {
	for i := range v {
		row := a[i*stride:][:len(w)]
		addScaledGeneric(row, w, -v[i])
		addScaledGeneric(row, v, -w[i])
	}
}

func reflectRowsGeneric(a []float64, stride int, f, w, u []float64, tau float64) {
	for i := range f {
		var lanes [reflectLanes]float64
		row := a[i*stride:][:len(w)]
		addScaledGeneric(row, w, -f[i])
		for c, x := range row {
			lanes[c%reflectLanes] = math.FMA(x, u[c], lanes[c%reflectLanes])
		}
		addScaledGeneric(row, u, -(tau * halve(lanes[:])))
	}
}
