//go:build amd64 && !noasm

// The Go side of the reflections in assembly.

package kernel

// reflectAsm are the reflections with the assembly of one vector length, for narrow and for wide blocks.
func reflectAsm(
	dot func(x, y *float64, blocks int) float64, add func(y, x *float64, blocks int, f float64),
	weigh [2]weighKernel, subtract [2]subtractKernel, reflect [2]reflectKernel,
) reflectKernels {
	return reflectKernels{
		dot: func(x, y []float64) float64 { return dot(&x[0], &y[0], len(x)/pairLanes) },
		addScaled: func(y, x []float64, f float64) {
			blocks := len(x) / pairLanes
			if blocks > 0 {
				add(&y[0], &x[0], blocks, f)
			}
			addScaledGeneric(y[blocks*pairLanes:], x[blocks*pairLanes:], f)
		},
		weigh: func(w, v, a []float64, stride int) { weigh[wide(w)](&w[0], &v[0], &a[0], stride, len(v)) },
		subtract: func(a []float64, stride int, v, w []float64) {
			subtract[wide(w)](&a[0], stride, len(v), &v[0], &w[0])
		},
		reflect: func(a []float64, stride int, f, w, u []float64, tau float64) {
			reflect[wide(w)](&a[0], stride, len(f), &f[0], &w[0], &u[0], tau)
		},
	}
}

// wide is 1 for rows of MaxBand elements, 0 for rows of BandStep.
func wide(w []float64) int { return len(w)/BandStep - 1 }

func reflectAVX2() reflectKernels {
	return reflectAsm(dotFloat64AVX2, addScaledFloat64AVX2, [2]weighKernel{weighRows32AVX2, weighRows64AVX2},
		[2]subtractKernel{subtractOuter32AVX2, subtractOuter64AVX2}, [2]reflectKernel{reflectRows32AVX2, reflectRows64AVX2})
}

func reflectAVX512() reflectKernels {
	return reflectAsm(dotFloat64AVX512, addScaledFloat64AVX512, [2]weighKernel{weighRows32AVX512, weighRows64AVX512},
		[2]subtractKernel{subtractOuter32AVX512, subtractOuter64AVX512},
		[2]reflectKernel{reflectRows32AVX512, reflectRows64AVX512})
}
