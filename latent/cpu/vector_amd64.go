//go:build !noasm

package cpu

// Loops over rows in AVX2 assembly, with the same bits as their generic twins.

import (
	"os"

	"golang.org/x/sys/cpu"

	"repscope/internal/kernel"
)

// useAVX2 follows the choice of package kernel, so that one variable forces the generic code everywhere.
var useAVX2 = cpu.X86.HasAVX2 && os.Getenv(kernel.Environment) != "generic"

//go:noescape
func logisticAVX2(dst, src *float32, n int, unit bool)

//go:noescape
func reluAVX2(dst, src *float32, n int)

//go:noescape
func addAVX2(dst, x *float32, n int)

func logistic(dst, src []float32, unit bool) {
	n := 0
	if useAVX2 {
		if n = len(src) &^ 7; n > 0 {
			logisticAVX2(&dst[:n][0], &src[0], n, unit)
		}
	}
	logisticGeneric(dst[n:], src[n:], unit)
}

func relu(dst, src []float32) {
	n := 0
	if useAVX2 {
		if n = len(src) &^ 7; n > 0 {
			reluAVX2(&dst[:n][0], &src[0], n)
		}
	}
	reluGeneric(dst[n:], src[n:])
}

// addTo adds x to dst, element by element.
func addTo(dst, x []float32) {
	n := 0
	if useAVX2 {
		if n = len(dst) &^ 7; n > 0 {
			addAVX2(&dst[0], &x[:n][0], n)
		}
	}
	addToGeneric(dst[n:], x[n:])
}
