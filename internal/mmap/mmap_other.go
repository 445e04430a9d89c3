// Systems without a memory mapping in the standard library read the file.

//go:build !unix

package mmap

import (
	"errors"
	"os"
)

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func release([]byte) {}

func populate([]byte) {}
