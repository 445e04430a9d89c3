// Example of reading part of a file.

package mmap_test

import (
	"fmt"
	"os"
	"path/filepath"

	"repscope/internal/mmap"
)

func ExampleFile_Use() {
	dir, err := os.MkdirTemp("", "mmap")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "letters")
	if err := os.WriteFile(path, []byte("abcdefgh"), 0o600); err != nil {
		panic(err)
	}
	file, err := mmap.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	err = file.Use(2, 3, func(raw []byte) error {
		fmt.Println(file.Size(), string(raw))
		return nil
	})
	fmt.Println(err)
	// Output:
	// 8 cde
	// <nil>
}
