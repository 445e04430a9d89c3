//go:build cuda && fakecuda

// Package fakecuda is a CUDA driver without a GPU, for tests. It defines the driver's functions, allocates guarded
// memory and runs the kernels' own source, compiled for the CPU, with one fiber per CUDA thread.
//
//	fakecuda.Reset(1, 1<<30)                   // one device of 1 GB
//	fakecuda.Fail("cuMemAlloc", 2, 719)        // the third call fails
//
// Work of streams is queued and runs when something waits for it, or earlier, in an order between streams that is drawn
// each time (Seed) among the orders that events allow. It checks the PTX for the kernels' names, parameters and shared
// memory only.
package fakecuda

/*
#cgo CFLAGS: -I${SRCDIR}/../include -O2
#cgo CXXFLAGS: -I${SRCDIR}/../include -O2 -std=c++17 -U_FORTIFY_SOURCE
#cgo LDFLAGS: -L${SRCDIR}/../forward/lib -lstdc++ -lpthread
#include <stdlib.h>
#include "fakecuda.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// Linked reports whether the fake driver replaces the machine's.
const Linked = true

// Reset discards everything, errors and contexts included, and offers devices with memory bytes each. No earlier CUDA
// handle may be used again.
func Reset(devices int, memory int64) { C.fake_reset(C.int(devices), C.ulonglong(memory)) }

// Fail makes the named driver function fail once with the error code, after this many further successful calls; "*" is
// every function. Errors from 700 to 799 are sticky: the context is lost until it is closed.
func Fail(function string, after, code int) {
	name := C.CString(function)
	defer C.free(unsafe.Pointer(name))
	C.fake_fail(name, C.int(after), C.int(code))
}

// Calls is the number of calls of the driver since Reset.
func Calls() int { return int(C.fake_calls()) }

// Seed chooses another order between streams.
func Seed(seed int) { C.fake_seed(C.ulonglong(seed)) }

// SkipBarrier makes launches pass over their index-th call of __syncthreads in the
// order of the source, counted by distinct lines as they are first met; −1 none.
func SkipBarrier(index int) { C.fake_skip_barrier(C.int(index)) }

// Barriers is the number of distinct calls of __syncthreads of the last launch.
func Barriers() int { return int(C.fake_barriers()) }

// SkipWait and Waits do the same with copy_async_wait.
func SkipWait(index int) { C.fake_skip_wait(C.int(index)) }

// Waits is the number of distinct calls of copy_async_wait of the last launch.
func Waits() int { return int(C.fake_waits()) }

// Reverse makes blocks, warps and lanes run from the last to the first.
func Reverse(on bool) {
	v := C.int(0)
	if on {
		v = 1
	}
	C.fake_reverse(v)
}

// Blocks limits launches to count blocks of their grids from first on, counted along x, then y, then z; a count of 0 is
// all that follow. Tests reach the last elements of huge arrays this way: blocks are independent.
func Blocks(first, count int) { C.fake_blocks(C.ulonglong(first), C.ulonglong(count)) }

// Message explains the last error.
func Message() string { return C.GoString(C.fake_message()) }

// Used is the number of bytes allocated on a device.
func Used(device int) int64 { return int64(C.fake_used(C.int(device))) }

// Family is one file of kernels as the fake driver was compiled with it.
type Family struct {
	Name    string
	Sources []string // the file and the headers it includes, in kernels/
	Hash    string   // SHA-256 of the sources, one after the other, when ptx.sh compiled them
}

// Families lists the kernels' files.
func Families() []Family {
	var all []Family
	for i := range C.fake_families() {
		all = append(all, Family{
			Name:    C.GoString(C.fake_family_name(i)),
			Sources: strings.Fields(C.GoString(C.fake_family_sources(i))),
			Hash:    C.GoString(C.fake_family_hash(i)),
		})
	}
	return all
}
