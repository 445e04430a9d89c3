// Command generate writes the assembly of packages kernel and vector for AVX2 and AVX-512, and its Go declarations:
//
//	go generate ./internal/kernel
//	go run ./internal/kernel/generate [-dir DIR]    # from the root; DIR is the folder of package kernel
//
// The functions of package vector exist for both vector lengths from one text; each works on whole groups of
// sixteen elements, and sums keep sixteen partial sums, so that both lengths give the same bits.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "internal/kernel", "folder of package kernel")
	flag.Parse()
	files, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(*dir, name), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// generate makes all files, by their path below the folder of package kernel.
func generate() (map[string][]byte, error) {
	files, err := kernelAssembly().files("kernel", "The functions of assembly_amd64.s.")
	if err != nil {
		return nil, err
	}
	rows, err := vectorAssembly().files("vector", "The functions of assembly_amd64.s, and the choice between them.")
	for name, data := range rows {
		files["vector/"+name] = data
	}
	return files, err
}

// kernelAssembly writes the functions of package kernel.
func kernelAssembly() *assembler {
	a := &assembler{doubles: map[string]uint64{}}
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
	return a
}

// vectorAssembly writes the functions of package vector.
func vectorAssembly() *assembler {
	a := &assembler{constants: map[string]uint32{}, doubles: map[string]uint64{}}
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
	return a
}
