// Systems without a memory mapping in the standard library read the file.

//go:build !unix && !windows

package mmap

import (
	"errors"
	"os"
)

const mapsAll = true

// readsShow says whether reads show data that another process has written through a mapping.
const readsShow = true

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func release([]byte) {}

func populate([]byte) {}
