// Weigh says what the parts of a binary weigh: every module that it links, Go's own library, and
// our packages, by the sizes of their functions and data. The table of functions, which every
// binary carries for its traces, is shared out by the size of the code.
//
//	go build -o bin/unstripped ./cmd/neighborhood
//	go run ./packaging/weigh bin/unstripped
package main

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "weigh: want one unstripped Linux binary")
		os.Exit(2)
	}
	if err := weigh(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "weigh:", err)
		os.Exit(1)
	}
}

// weight is the weight of one module, in bytes.
type weight struct{ code, data float64 }

func weigh(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	modules := []string{info.Main.Path}
	for _, m := range info.Deps {
		modules = append(modules, m.Path)
	}
	binary, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer binary.Close()
	symbols, err := binary.Symbols()
	if err != nil {
		return fmt.Errorf("%s: %w; want an unstripped binary", path, err)
	}
	weights := map[string]weight{}
	var code float64
	for _, s := range symbols {
		if int(s.Section) >= len(binary.Sections) || binary.Sections[s.Section].Type == elf.SHT_NOBITS {
			continue // takes no room in the file
		}
		owner := ownerOf(s.Name, modules)
		w := weights[owner]
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			w.code += float64(s.Size)
			code += float64(s.Size)
		} else {
			w.data += float64(s.Size)
		}
		weights[owner] = w
	}
	table := 0.0
	for _, s := range binary.Sections {
		if strings.HasSuffix(s.Name, "gopclntab") {
			table += float64(s.Size)
		}
	}
	total := func(name string) float64 { return weights[name].code*(1+table/code) + weights[name].data }
	names := slices.SortedFunc(maps.Keys(weights), func(a, b string) int { return cmp.Compare(total(b), total(a)) })
	fmt.Println("| module | MB |\n| --- | --- |")
	for _, name := range names {
		if total(name) >= 5e3 {
			fmt.Printf("| %s | %.2f |\n", name, total(name)/1e6)
		}
	}
	return nil
}

// ownerOf is the module of a symbol: that whose path it begins with.
func ownerOf(symbol string, modules []string) string {
	symbol = strings.TrimPrefix(strings.TrimPrefix(symbol, "type:.eq."), "go:itab.*")
	owner := ""
	for _, m := range modules {
		if strings.HasPrefix(symbol, m) && len(m) > len(owner) && (len(symbol) == len(m) || strings.ContainsRune("/.", rune(symbol[len(m)]))) {
			owner = m
		}
	}
	if owner == "" {
		return "Go's library, types and texts"
	}
	return owner
}
