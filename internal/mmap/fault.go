// Files that become shorter while they are mapped.

package mmap

import (
	"fmt"
	"runtime/debug"
	"unsafe"
)

// guarded calls do, which reads the mapping. If the file has been cut meanwhile, or cannot be read, the system raises a
// fault, which becomes an error of the file; otherwise it would end the program.
func (f *File) guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		fault, ok := p.(interface{ Addr() uintptr })
		if !ok || !f.holds(fault.Addr()) {
			panic(p)
		}
		err = f.lost()
	}()
	return do()
}

// holds reports whether an address lies in the mapping.
func (f *File) holds(address uintptr) bool {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(f.data)))
	return address >= begin && address-begin < uintptr(len(f.data))
}

// lost is the error for bytes that can no longer be read; lock is held.
func (f *File) lost() error {
	info, err := f.file.Stat()
	if err != nil {
		return fmt.Errorf("%s: can no longer be read: %w", f.path, err)
	}
	if info.Size() < f.size {
		return fmt.Errorf("%s: changed while it was in use: it has %d bytes, had %d", f.path, info.Size(), f.size)
	}
	return fmt.Errorf("%s: its disk cannot be read", f.path)
}
