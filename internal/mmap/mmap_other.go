// Systems without a memory mapping in the standard library read the file.

//go:build !unix && !windows

package mmap

import (
	"errors"
	"os"
)

const mapsAll = true

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func release([]byte) {}

func populate([]byte) {}
