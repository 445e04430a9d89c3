// Functions writes the module of the Python package that has a function for each binary, from
// the flags of the binaries.
//
//	go run -trimpath ./packaging/functions python/repscope/_functions.py
package main

import (
	"fmt"
	"io"
	"os"

	"repscope/internal/atomicfile"
	"repscope/internal/run"
	"repscope/suite"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name the file to write")
	}
	text, err := module(descriptions())
	if err != nil {
		return err
	}
	return atomicfile.Write(args[0], atomicfile.Options{}, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// descriptions are the descriptions of all binaries; commands of a binary with several are separate.
func descriptions() []run.Description {
	var all []run.Description
	for _, c := range suite.Commands() {
		d := run.Describe(c)
		if len(d.Commands) > 0 {
			all = append(all, d.Commands...)
		} else {
			all = append(all, d)
		}
	}
	return all
}
