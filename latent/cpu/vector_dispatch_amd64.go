//go:build amd64 && !noasm

package cpu

// The choice between the generated functions.

import (
	"os"

	"golang.org/x/sys/cpu"

	"repscope/internal/kernel"
)

//go:generate go run generate.go

// These follow the choice of package kernel, so that one variable forces the generic code everywhere.
var (
	useAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA && os.Getenv(kernel.Environment) != "generic"
	useAVX512 = useAVX2 && kernel.Name() == "avx512"
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

// normalizeRowsVector is normalize for rows that follow each other. It reports whether there is a vector form.
func normalizeRowsVector(dst, x, scale, bias []float32, n, rows int, epsilon float32) bool {
	if !useAVX2 || n == 0 || n%lanes != 0 || scale == nil || bias == nil || rows == 0 {
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

// depthwise is depthwiseGeneric; offsets ascend.
func depthwise(dst, src, weights []float32, offsets []int) {
	n := len(dst)
	if !useAVX2 || n%lanes != 0 || n == 0 || len(offsets) == 0 {
		depthwiseGeneric(dst, src, weights, offsets)
		return
	}
	// The last elements that the assembly reads.
	_, _ = src[offsets[len(offsets)-1]+n-1], weights[len(offsets)*n-1]
	if useAVX512 {
		depthwiseAVX512(&dst[0], &src[0], &weights[0], &offsets[0], len(offsets), n)
	} else {
		depthwiseAVX2(&dst[0], &src[0], &weights[0], &offsets[0], len(offsets), n)
	}
}

// finishRows is finishRowsGeneric.
func finishRows(c, bias, other []float32, stride, cols, rows int, relu bool) {
	if !useAVX2 || cols%lanes != 0 || cols == 0 || rows == 0 || relu && other != nil {
		finishRowsGeneric(c, bias, other, stride, cols, rows, relu)
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
