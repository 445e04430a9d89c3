//go:build amd64 && !noasm

// Processors of the amd64 family: assembly chosen by feature.

package kernel

import "golang.org/x/sys/cpu"

//go:generate go run ./generate -dir .

var available = detect()

func implementations() []*implementation { return available }

// detect lists the implementations for this processor, the fastest last.
func detect() []*implementation {
	list := []*implementation{&generic}
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return list
	}
	avx2 := avx2Implementation()
	list = append(list, avx2)
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512VL || !x.HasAVX512DQ {
		return list
	}
	avx512 := avx512Implementation(avx2)
	if x.HasAVX512VNNI {
		avx512.uint8, avx512.quads = vnniUint8(), &vnniQuads
		avx512.int16, avx512.int16Time = &vnniInt16, 0.5
	}
	list = append(list, avx512)
	amx, reason := amxImplementation(avx512)
	if withoutTiles = reason; amx != nil {
		list = append(list, amx)
	}
	return list
}

// avx2Rows are the row operations; AVX-512 shares the ones that it does not improve.
var avx2Rows = rowKernels{
	sumUint8:           sumUint8AVX2,
	sumSquaresUint8:    sumSquaresUint8AVX2,
	finishRow:          finishRowAsm,
	scaleShift:         scaleShiftAsm,
	narrowShifted:      narrowShiftedAsm,
	quantizeShifted32:  quantizeShiftedAsm(quantizeShifted32AVX2),
	quantizeShifted64:  quantizeShiftedAsm(quantizeShifted64AVX2),
	packShifted:        packShiftedAsm,
	transpose:          transposeAsm,
	finishDistances:    finishDistancesAsm,
	groupSquares:       groupSquaresAsm,
	nearDistances:      nearDistancesAVX2Asm,
	leastDistances:     leastDistancesAsm(leastDistancesAVX2),
	countAtMost:        countAtMostAVX2Asm,
	atMost:             atMostAsm,
	below:              belowAsm,
	stepsFloat32:       stepsFloat32Asm,
	stepsInt32:         stepsInt32Asm,
	squaredDistances32: squaredDistances32,
	squaredDistances64: squaredDistances64,
	addDistances:       addDistancesAsm,
	sumExp:             sumExpAsm,
	log:                logAsm,
	exp:                expAsm,
	lower:              lowerAsm,
	addProducts:        addProductsAsm(addProductsAVX2),
	addChains:          addChainsAsm(addChainsAVX2),
	widen:              widenAsm,
	copyRows:           [9]func(dst, src *byte, step, rows int){3: copyRows48AVX2, 4: copyRows64AVX2, 6: copyRows96AVX2, 8: copyRows128AVX2},
}

func avx2Implementation() *implementation {
	return &implementation{
		name: "avx2",
		float32: &tiling[float32, float32]{
			mr: 6, nr: 16, rowStep: [3]int{2, 4, 6}, colStep: [2]int{8, 16},
			micro: [3][2]microKernel[float32, float32]{
				{float32AVX2R2V1, float32AVX2R2V2}, {float32AVX2R4V1, float32AVX2R4V2}, {float32AVX2R6V1, float32AVX2R6V2}},
			packRows: packFloat32AVX2, links: float32AVX2LinksR6V2,
		},
		float64: &tiling[float64, float64]{
			mr: 6, nr: 8, rowStep: [3]int{2, 4, 6}, colStep: [2]int{4, 8},
			micro: [3][2]microKernel[float64, float64]{
				{float64AVX2R2V1, float64AVX2R2V2}, {float64AVX2R4V1, float64AVX2R4V2}, {float64AVX2R6V1, float64AVX2R6V2}},
			packRows: packFloat64AVX2,
		},
		uint8: &uint8Tiling{
			tiling: tiling[uint32, int32]{
				mr: 6, nr: 16, rowStep: [3]int{2, 4, 6}, colStep: [2]int{8, 16},
				micro: [3][2]microKernel[uint32, int32]{
					{uint8AVX2R2V1, uint8AVX2R2V2}, {uint8AVX2R4V1, uint8AVX2R4V2}, {uint8AVX2R6V1, uint8AVX2R6V2}},
			},
			group: 2,
			pack:  packUint8Pairs,
		},
		int16:     &avx2Int16,
		int16Time: 0.65,
		rows:      avx2Rows,
		reflect:   reflectAVX2(),
		gather: &gatherTiling{
			mr: 6, nr: 16, rowStep: [3]int{2, 4, 6}, colStep: []int{8, 16},
			micro: [3][]gatherKernel{
				{float32AVX2GatherR2C8, float32AVX2GatherR2C16},
				{float32AVX2GatherR4C8, float32AVX2GatherR4C16},
				{float32AVX2GatherR6C8, float32AVX2GatherR6C16},
			},
		},
	}
}

func avx512Implementation(avx2 *implementation) *implementation {
	rows := avx2Rows
	rows.nearDistances = nearDistancesAVX512Asm
	rows.leastDistances = leastDistancesAsm(leastDistancesAVX512)
	rows.countAtMost = countAtMostAVX512Asm
	rows.addProducts = addProductsAsm(addProductsAVX512)
	rows.addChains = addChainsAsm(addChainsAVX512)
	return &implementation{
		name: "avx512",
		float32: &tiling[float32, float32]{
			mr: 12, nr: 32, rowStep: [3]int{4, 8, 12}, colStep: [2]int{16, 32},
			micro: [3][2]microKernel[float32, float32]{
				{float32AVX512R4V1, float32AVX512R4V2}, {float32AVX512R8V1, float32AVX512R8V2}, {float32AVX512R12V1, float32AVX512R12V2}},
			packRows: packFloat32AVX2, links: float32AVX512LinksR12V2,
		},
		float64: &tiling[float64, float64]{
			mr: 12, nr: 16, rowStep: [3]int{4, 8, 12}, colStep: [2]int{8, 16},
			micro: [3][2]microKernel[float64, float64]{
				{float64AVX512R4V1, float64AVX512R4V2},
				{float64AVX512R8V1, float64AVX512R8V2},
				{float64AVX512R12V1, float64AVX512R12V2},
			},
			packRows: packFloat64AVX2,
		},
		uint8:     avx2.uint8,    // without VNNI
		int16:     &genericInt16, // the instructions of AVX2 would be as fast as float32
		int16Time: 2,
		rows:      rows,
		reflect:   reflectAVX512(),
		gather: &gatherTiling{
			mr: 12, nr: 32, rowStep: [3]int{4, 8, 12}, colStep: []int{8, 16, 24, 32},
			micro: [3][]gatherKernel{
				{float32AVX512GatherR4C8, float32AVX512GatherR4C16, float32AVX512GatherR4C24, float32AVX512GatherR4C32},
				{float32AVX512GatherR8C8, float32AVX512GatherR8C16, float32AVX512GatherR8C24, float32AVX512GatherR8C32},
				{float32AVX512GatherR12C8, float32AVX512GatherR12C16, float32AVX512GatherR12C24, float32AVX512GatherR12C32},
			},
			masks: true,
		},
	}
}

var vnniQuads = quadTiling{
	{uint8AVX512GatherR4C16, uint8AVX512GatherR4C32},
	{uint8AVX512GatherR8C16, uint8AVX512GatherR8C32},
	{uint8AVX512GatherR12C16, uint8AVX512GatherR12C32},
}

// vnniUint8 multiplies four depths at a time.
func vnniUint8() *uint8Tiling {
	return &uint8Tiling{
		tiling: tiling[uint32, int32]{
			mr: 12, nr: 32, rowStep: [3]int{4, 8, 12}, colStep: [2]int{16, 32},
			micro: [3][2]microKernel[uint32, int32]{
				{uint8AVX512R4V1, uint8AVX512R4V2}, {uint8AVX512R8V1, uint8AVX512R8V2}, {uint8AVX512R12V1, uint8AVX512R12V2}},
		},
		group:  4,
		offset: true,
		pack:   packUint8Quads,
	}
}

// avx2Int16 multiplies two depths at a time.
var avx2Int16 = tiling[uint32, float32]{
	mr: 6, nr: 16, rowStep: [3]int{2, 4, 6}, colStep: [2]int{8, 16},
	micro: [3][2]microKernel[uint32, float32]{
		{int16AVX2R2V1, int16AVX2R2V2}, {int16AVX2R4V1, int16AVX2R4V2}, {int16AVX2R6V1, int16AVX2R6V2}},
	packRows: packPairs,
}

// vnniInt16 multiplies two depths at a time.
var vnniInt16 = tiling[uint32, float32]{
	mr: 12, nr: 32, rowStep: [3]int{4, 8, 12}, colStep: [2]int{16, 32},
	micro: [3][2]microKernel[uint32, float32]{
		{int16AVX512R4V1, int16AVX512R4V2}, {int16AVX512R8V1, int16AVX512R8V2}, {int16AVX512R12V1, int16AVX512R12V2}},
	packRows: packPairs,
}
