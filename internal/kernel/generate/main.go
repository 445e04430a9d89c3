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

	"repscope/internal/kernel/generate/kernels"
	"repscope/internal/kernel/generate/vectors"
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
	files, err := kernels.Assembly().Files("kernel", "The functions of assembly_amd64.s.")
	if err != nil {
		return nil, err
	}
	rows, err := vectors.Assembly().Files("vector", "The functions of assembly_amd64.s, and the choice between them.")
	for name, data := range rows {
		files["vector/"+name] = data
	}
	return files, err
}
