//go:build cuda

// Memory of the device, and of the host as far as the device reaches it.

package cuda

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Pointer is an address in device memory; 0 is none.
type Pointer uint64

// Memory is the number of free bytes and of all bytes of the device.
func (c *Context) Memory() (free, total int64, err error) {
	free, total, err = cu.MemInfo()
	return free, total, explain(err)
}

// Alloc takes device memory, aligned to 256 bytes. The error is ErrOutOfMemory if
// there is too little.
func (c *Context) Alloc(bytes int) (Pointer, error) {
	p, err := cu.MemAlloc(int64(max(bytes, 1)))
	if err != nil {
		return 0, fmt.Errorf("%d bytes of device memory: %w", bytes, explain(err))
	}
	return Pointer(p), nil
}

// Free gives memory back. No stream may still have work for it.
func (c *Context) Free(p Pointer) error { return explain(cu.MemFree(cu.DevicePtr(p))) }

// Upload copies values to the device and returns when it is done. It does not wait
// for work of streams.
func Upload[T any](_ *Context, to Pointer, from []T) error {
	if len(from) == 0 {
		return nil
	}
	return explain(cu.MemcpyHtoD(cu.DevicePtr(to), unsafe.Pointer(&from[0]), sizeOf(from)))
}

// Download copies values from the device and returns when it is done. It does not
// wait for work of streams.
func Download[T any](_ *Context, to []T, from Pointer) error {
	if len(to) == 0 {
		return nil
	}
	return explain(cu.MemcpyDtoH(unsafe.Pointer(&to[0]), cu.DevicePtr(from), sizeOf(to)))
}

func sizeOf[T any](values []T) int64 { return int64(len(values)) * int64(unsafe.Sizeof(values[0])) }

// Pinned takes page-locked host memory, which streams copy from and to. It may be
// used with every device.
func (c *Context) Pinned(bytes int) ([]byte, error) {
	p, err := pinned(max(bytes, 1))
	if err != nil {
		return nil, fmt.Errorf("%d bytes of pinned memory: %w", bytes, err)
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// FreePinned gives memory of Pinned back. No stream may still have work for it.
func (c *Context) FreePinned(p []byte) error {
	return explain(cu.MemFreeHost(unsafe.Pointer(unsafe.SliceData(p))))
}
