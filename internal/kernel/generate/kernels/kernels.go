// Package kernels writes the assembly of package kernel.
package kernels

import "repscope/internal/kernel/generate/assembly"

// An assembler has the functions of package kernel.
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

// Assembly writes the functions of package kernel.
func Assembly() *assembly.Assembler {
	a := &assembler{assembly.New()}
	a.micros()
	a.uint8Tiles()
	a.packs()
	a.interleave3()
	a.packShifted()
	a.integerRows()
	a.scans()
	a.distances()
	a.rowSums()
	a.pairs()
	a.reflections()
	a.pause()
	return a.Assembler
}
