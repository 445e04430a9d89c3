// Memory mapping on Windows, for files that another process has mapped.

package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Files are read, not mapped, unless Shared requests it: mapped files can neither be replaced nor cut.
const mapsAll = false

// readsShow says whether reads show data that another process has written through a mapping.
const readsShow = false

func mapFile(f *os.File, size int) ([]byte, error) {
	section, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer windows.CloseHandle(section) // the view holds it
	address, err := windows.MapViewOfFile(section, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size), nil
}

func unmapFile(data []byte) error {
	return os.NewSyscallError("UnmapViewOfFile", windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(data)))))
}

func release([]byte) {}

func populate([]byte) {}
