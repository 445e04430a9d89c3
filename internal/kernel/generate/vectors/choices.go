// The Go functions of package vector that choose between the vector lengths.

package vectors

// choices writes the Go functions that choose between the widths and leave the end of a row to the generic code.
func (a *assembler) choices() {
	for _, name := range []string{"relu", "exp", "sigmoid", "silu", "tanh", "erf", "gelu", "geluTanh", "mish",
		"sqrt", "negate", "absolutes", "floor", "ceil", "round",
		"log", "softplus", "sinh", "cosh", "asinh", "acosh", "atanh", "atan", "asin", "acos", "sin", "cos", "tan", "softsign", "signs"} {
		a.Declare(`
// %[1]s is %[1]sGeneric.
func %[1]s(dst, src []float32) {
	n := 0
	if useAVX2 {
		if n = len(src) &^ (Lanes - 1); n > 0 {
			if d, s := &dst[:n][0], &src[0]; useAVX512 {
				%[1]sAVX512(d, s, n)
			} else {
				%[1]sAVX2(d, s, n)
			}
		}
	}
	%[1]sGeneric(dst[n:len(src)], src[n:])
}
`, name)
	}
	for _, f := range []struct{ name, first, second string }{{"clip", "low", "high"}, {"hardSigmoid", "slope", "shift"}, {"hardSwish", "six", "half"},
		{"leaky", "slope", "one"}, {"elu", "low", "high"}, {"swish", "slope", "unit"},
		{"celu", "alpha", "unit"}, {"thresholded", "bound", "other"}, {"shrink", "bound", "shift"}} {
		a.Declare(`
// %[1]s is %[1]sGeneric.
func %[1]s(dst, src []float32, %[2]s, %[3]s float32) {
	n := 0
	if useAVX2 {
		if n = len(src) &^ (Lanes - 1); n > 0 {
			if d, s := &dst[:n][0], &src[0]; useAVX512 {
				%[1]sAVX512(d, s, n, %[2]s, %[3]s)
			} else {
				%[1]sAVX2(d, s, n, %[2]s, %[3]s)
			}
		}
	}
	%[1]sGeneric(dst[n:len(src)], src[n:], %[2]s, %[3]s)
}
`, f.name, f.first, f.second)
	}
	for _, name := range []string{"addRows", "subRows", "mulRows", "divRows", "maxRows", "minRows", "preluRows", "gateRows", "powRows", "modRows"} {
		a.Declare(`
// %[1]s is %[1]sGeneric.
func %[1]s(dst, x, y []float32, stepX, stepY int) {
	n := 0
	if useAVX2 && stepX+stepY > 0 {
		if n = len(dst) &^ (Lanes - 1); n > 0 {
			// The last elements that the assembly reads.
			_, _ = x[(n-1)*stepX], y[(n-1)*stepY]
			if useAVX512 {
				%[1]sAVX512(&dst[0], &x[0], &y[0], n, stepX, stepY)
			} else {
				%[1]sAVX2(&dst[0], &x[0], &y[0], n, stepX, stepY)
			}
		}
	}
	if n < len(dst) {
		%[1]sGeneric(dst[n:], x[n*stepX:], y[n*stepY:], stepX, stepY)
	}
}
`, name)
	}
}
