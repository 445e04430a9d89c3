// Squared distances of eight pairs in float64.

package kernels

import "fmt"

// pairPointers point into the eight rows y.
var pairPointers = []string{"R8", "R9", "R10", "R11", "R12", "R13", "BX", "DX"}

// distances writes the squared distances of eight pairs in float64: two groups of four
// pairs, one per lane, so that each lane adds its pair's terms in depth order.
func (a *assembler) distances() {
	a.squaredDistances("squaredDistances32AVX2", "float32", 8, func(pointers []string, sum string) {
		for i, p := range pointers {
			a.Emit("VMOVUPS (%s), Y%d", p, i)
			a.Emit("ADDQ $32, %s", p)
		}
		a.transpose4()
		for k := range 4 {
			a.Emit("VCVTPS2PD X%d, Y%d", k, 4+k)
		}
		for k := range 4 {
			a.Emit("VEXTRACTF128 $1, Y%d, X%d", k, k)
		}
		for k := range 4 {
			a.Emit("VCVTPS2PD X%d, Y%d", k, 8+k)
		}
		for k := range 8 {
			a.squaredDifference(k, fmt.Sprintf("Y%d", 4+k), sum)
		}
	})
	a.squaredDistances("squaredDistances64AVX2", "float64", 4, func(pointers []string, sum string) {
		for i, p := range pointers {
			a.Emit("VMOVUPD (%s), Y%d", p, i)
			a.Emit("ADDQ $32, %s", p)
		}
		a.Emit("VUNPCKLPD Y1, Y0, Y4")
		a.Emit("VUNPCKHPD Y1, Y0, Y5")
		a.Emit("VUNPCKLPD Y3, Y2, Y6")
		a.Emit("VUNPCKHPD Y3, Y2, Y7")
		a.Emit("VPERM2F128 $0x20, Y6, Y4, Y0")
		a.Emit("VPERM2F128 $0x20, Y7, Y5, Y1")
		a.Emit("VPERM2F128 $0x31, Y6, Y4, Y2")
		a.Emit("VPERM2F128 $0x31, Y7, Y5, Y3")
		for k := range 4 {
			a.squaredDifference(k, fmt.Sprintf("Y%d", k), sum)
		}
	})
}

// squaredDistances writes the function of one element type; group adds the terms of a block of depths to a sum.
func (a *assembler) squaredDistances(name, element string, depths int, group func(pointers []string, sum string)) {
	a.Function(name, fmt.Sprintf("(sums *[8]float64, x *float64, y *[8]*%s, blocks int)", element),
		fmt.Sprintf("are the sums over %d·blocks depths of (x − y)² for eight rows y, each added in order.", depths), 32)
	a.Emit("MOVQ sums+0(FP), DI")
	a.Emit("MOVQ x+8(FP), SI")
	a.Emit("MOVQ y+16(FP), AX")
	a.Emit("MOVQ blocks+24(FP), CX")
	for i, p := range pairPointers {
		a.Emit("MOVQ %d(AX), %s", 8*i, p)
	}
	a.Emit("VXORPD Y14, Y14, Y14")
	a.Emit("VXORPD Y15, Y15, Y15")
	a.Label("loop")
	group(pairPointers[:4], "Y14")
	group(pairPointers[4:], "Y15")
	a.Emit("ADDQ $%d, SI", 8*depths)
	a.Emit("DECQ CX")
	a.Emit("JNZ loop")
	a.Emit("VMOVUPD Y14, (DI)")
	a.Emit("VMOVUPD Y15, 32(DI)")
	a.End()
}

// squaredDifference adds (x[k] − y)² to a sum.
func (a *assembler) squaredDifference(k int, y, sum string) {
	a.Emit("VBROADCASTSD %d(SI), Y13", 8*k)
	a.Emit("VSUBPD %s, Y13, %s", y, y)
	a.Emit("VMULPD %s, %s, %s", y, y, y)
	a.Emit("VADDPD %s, %s, %s", y, sum, sum)
}
