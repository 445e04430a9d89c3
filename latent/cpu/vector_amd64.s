//go:build !noasm

#include "textflag.h"

// Eight copies of each constant of logistic.
#define EIGHT(name, bits) \
	DATA name<>+0(SB)/4, bits; DATA name<>+4(SB)/4, bits; DATA name<>+8(SB)/4, bits; DATA name<>+12(SB)/4, bits; \
	DATA name<>+16(SB)/4, bits; DATA name<>+20(SB)/4, bits; DATA name<>+24(SB)/4, bits; DATA name<>+28(SB)/4, bits; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EIGHT(sign, $0x80000000)
EIGHT(upper, $0x42ae0000)  // 87
EIGHT(lower, $0xc2ae0000)  // −87
EIGHT(log2e, $0x3fb8aa3b)
EIGHT(shift, $0x4b400000)  // 1.5·2²³
EIGHT(ln2Hi, $0x3f318000)
EIGHT(ln2Lo, $0xb95e8083)
EIGHT(c0, $0x39506967)
EIGHT(c1, $0x3ab743ce)
EIGHT(c2, $0x3c088908)
EIGHT(c3, $0x3d2aa9c1)
EIGHT(c4, $0x3e2aaaaa)
EIGHT(c5, $0x3f000000)
EIGHT(one, $0x3f800000)
EIGHT(bias, $127)

// func logisticAVX2(dst, src *float32, n int, unit bool)
// The order and the rounding of every operation are those of logisticGeneric.
TEXT ·logisticAVX2(SB), NOSPLIT, $0-25
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), CX
	MOVBQZX unit+24(FP), AX
	VMOVUPS one<>(SB), Y15
	VMOVUPS shift<>(SB), Y14

loop:
	VMOVUPS (SI), Y0
	VXORPS  sign<>(SB), Y0, Y1
	VMOVUPS upper<>(SB), Y2
	VMINPS  Y1, Y2, Y1           // a NaN stays
	VMOVUPS lower<>(SB), Y2
	VMAXPS  Y1, Y2, Y1
	VMULPS  log2e<>(SB), Y1, Y2
	VADDPS  Y14, Y2, Y2          // t
	VSUBPS  Y14, Y2, Y3          // n
	VMULPS  ln2Hi<>(SB), Y3, Y4
	VSUBPS  Y4, Y1, Y1
	VMULPS  ln2Lo<>(SB), Y3, Y4
	VSUBPS  Y4, Y1, Y1           // r
	VMULPS  c0<>(SB), Y1, Y3
	VADDPS  c1<>(SB), Y3, Y3
	VMULPS  Y1, Y3, Y3
	VADDPS  c2<>(SB), Y3, Y3
	VMULPS  Y1, Y3, Y3
	VADDPS  c3<>(SB), Y3, Y3
	VMULPS  Y1, Y3, Y3
	VADDPS  c4<>(SB), Y3, Y3
	VMULPS  Y1, Y3, Y3
	VADDPS  c5<>(SB), Y3, Y3
	VMULPS  Y1, Y3, Y3
	VMULPS  Y1, Y3, Y3
	VADDPS  Y1, Y3, Y3
	VADDPS  Y15, Y3, Y3          // p
	VPADDD  bias<>(SB), Y2, Y2
	VPSLLD  $23, Y2, Y2
	VMULPS  Y2, Y3, Y3
	VADDPS  Y15, Y3, Y3          // 1 + e
	TESTB   AX, AX
	JEQ     divide
	VMOVAPS Y15, Y0

divide:
	VDIVPS  Y3, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JGT     loop
	VZEROUPPER
	RET

// func reluAVX2(dst, src *float32, n int)
TEXT ·reluAVX2(SB), NOSPLIT, $0-24
	MOVQ   dst+0(FP), DI
	MOVQ   src+8(FP), SI
	MOVQ   n+16(FP), CX
	VXORPS Y1, Y1, Y1

loop:
	VMOVUPS (SI), Y0
	VMAXPS  Y0, Y1, Y0 // a NaN stays
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JGT     loop
	VZEROUPPER
	RET

// func addAVX2(dst, x *float32, n int)
TEXT ·addAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS (DI), Y0
	VADDPS  (SI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JGT     loop
	VZEROUPPER
	RET
