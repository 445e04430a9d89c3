// Package vectors writes the assembly of package vector.
package vectors

import "repscope/internal/kernel/generate/assembly"

// An assembler has the functions of package vector that exist once, or for one vector length.
type assembler struct{ *assembly.Assembler }

// A width has the functions that exist for both vector lengths.
type width struct{ assembly.Width }

// widths returns the vector lengths of AVX2 and AVX-512.
func (a *assembler) widths() (out []width) {
	for _, w := range a.Widths() {
		out = append(out, width{w})
	}
	return out
}

// narrow are registers of the length of Y or X, of functions of any length.
func (w width) narrow(r string) width {
	return width{assembly.Width{Assembler: w.Assembler, R: r, Size: map[string]int{"X": 16, "Y": 32}[r]}}
}

// Assembly writes the functions of package vector.
func Assembly() *assembly.Assembler {
	a := &assembler{assembly.New()}
	a.tails()
	a.laneOrders()
	a.spreads()
	a.turnParts()
	for _, w := range a.widths() {
		w.softmax()
		w.normalizedRows()
		w.requantize(false)
		w.requantize(true)
		w.functions()
		w.doubleFunctions()
		w.arithmetic()
		w.normalizeRows()
		w.rootRows()
		w.deviation()
		w.overtake()
		w.rotations()
		w.depthwise()
		w.interleave()
		w.dots()
		w.finishRows()
		w.cuts()
		w.bends()
		w.thresholds()
		w.powers()
		w.maxWindows()
		w.meanWindows()
		w.reduceFunctions()
		w.scaleRows()
		w.shiftRows()
		w.slide()
		w.similarities()
		w.slideBytes()
		w.byteSimilarities()
		w.mixBytes()
		w.byteRange()
		w.toBytes()
		w.fromSums()
		w.widenBytes()
		w.lookup()
		w.weigh()
		w.differences()
		w.distribution()
	}
	a.maxWindowsBytes()
	a.prefetch()
	a.standing()
	a.choices()
	a.groupedChoice()
	a.reduceChoices()
	return a.Assembler
}
