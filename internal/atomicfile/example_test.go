// Example of writing a file whole.

package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"repscope/internal/atomicfile"
)

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "atomicfile")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "result.txt")
	err = atomicfile.Write(path, atomicfile.Options{Sync: true}, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "whole")
		return err
	})
	fmt.Println(err)
	err = atomicfile.Write(path, atomicfile.Options{}, func(w io.Writer) error {
		fmt.Fprintln(w, "half")
		return errors.New("the disk is full")
	})
	data, _ := os.ReadFile(path)
	fmt.Printf("%v; still %s", err, data)
	// Output:
	// <nil>
	// the disk is full; still whole
}
