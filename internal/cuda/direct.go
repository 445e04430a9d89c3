//go:build cuda

// Driver functions that gorgonia.org/cu lacks, called with its handles.

package cuda

//#include <cuda.h>
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// sharedOptIn asks for the shared memory that a block may have after allowShared.
const sharedOptIn cu.DeviceAttribute = C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN

// gorgonia's handles are structs of one C pointer.
func streamHandle(s cu.Stream) C.CUstream       { return *(*C.CUstream)(unsafe.Pointer(&s)) }
func functionHandle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

func pinned(bytes int) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	err := newError(int(C.cuMemHostAlloc(&p, C.size_t(bytes), C.CU_MEMHOSTALLOC_PORTABLE)))
	return p, err
}

// allowShared allows a kernel more dynamic shared memory than the rest of 48 KB.
func allowShared(f cu.Function, bytes int) error {
	return newError(int(C.cuFuncSetAttribute(functionHandle(f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes))))
}

// beginCapture does not restrict other threads, which may use other devices, meanwhile.
func beginCapture(s cu.Stream) error {
	return newError(int(C.cuStreamBeginCapture(streamHandle(s), C.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)))
}

// endCapture ends the capture in any case.
func endCapture(s cu.Stream) (executable, error) {
	var graph C.CUgraph
	if err := newError(int(C.cuStreamEndCapture(streamHandle(s), &graph))); err != nil {
		return executable{}, err
	}
	var x executable
	err := newError(int(C.cuGraphInstantiateWithFlags(&x.handle, graph, 0)))
	if failed := newError(int(C.cuGraphDestroy(graph))); err == nil && failed != nil {
		_ = x.destroy() // the first error is returned
		err = failed
	}
	return x, err
}

// relaxed runs calls that a capture of this thread would not allow, such as loading modules.
func relaxed(run func() error) error {
	mode := C.CUstreamCaptureMode(C.CU_STREAM_CAPTURE_MODE_RELAXED)
	if err := newError(int(C.cuThreadExchangeStreamCaptureMode(&mode))); err != nil {
		return err
	}
	err := run()
	if failed := newError(int(C.cuThreadExchangeStreamCaptureMode(&mode))); err == nil {
		err = failed
	}
	return err
}

type executable struct{ handle C.CUgraphExec }

func (x executable) launch(s cu.Stream) error {
	return newError(int(C.cuGraphLaunch(x.handle, streamHandle(s))))
}

func (x executable) destroy() error { return newError(int(C.cuGraphExecDestroy(x.handle))) }
