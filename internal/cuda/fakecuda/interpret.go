//go:build cuda && fakecuda

// Launches that the fake driver passes to the interpreter of PTX.

package fakecuda

/*
#include <stdlib.h>
#include "fakecuda.h"
#include "interpret.h"
*/
import "C"

import (
	"os"
	"unsafe"

	"repscope/internal/cuda/ptxvm"
)

// A Mode is the executor of kernels.
type Mode int

const (
	Twins    Mode = iota // the kernels' source, compiled for the processor
	PTX                  // the PTX, interpreted
	Compared             // both, with equal results in memory
)

// Execute selects the executor of kernels from now on.
func Execute(mode Mode) { C.fake_execute(C.int(mode)) }

// Executes is the executor of kernels.
func Executes() Mode { return Mode(C.fake_executes()) }

// The environment chooses it for all tests of a run: FAKECUDA=ptx or FAKECUDA=compared.
func init() {
	switch os.Getenv("FAKECUDA") {
	case "ptx":
		Execute(PTX)
	case "compared":
		Execute(Compared)
	}
}

// Launches of the interpreter are kept in the folder FAKECUDA_RECORD.
func init() {
	if folder := os.Getenv("FAKECUDA_RECORD"); folder != "" {
		machine.Recorder = ptxvm.NewRecorder(folder)
	}
}

// The driver runs one launch at a time, so these need no lock.
var (
	machine = ptxvm.NewMachine()
	modules = map[C.ulong]*ptxvm.Module{}
)

// fakeInterpret runs a launch; it returns the mistake, which the caller frees, or nil.
//
//export fakeInterpret
func fakeInterpret(l *C.struct_fake_launch) *C.char {
	if err := interpret(l); err != nil {
		return C.CString(err.Error())
	}
	return nil
}

func interpret(l *C.struct_fake_launch) error {
	module := modules[l.module]
	if module == nil {
		var err error
		if module, err = ptxvm.Parse(C.GoString(l.family)+".ptx", C.GoString(l.text)); err != nil {
			return err
		}
		modules[l.module] = module
	}
	launch := &ptxvm.Launch{Kernel: C.GoString(l.kernel), Shared: int(l.shared), Seed: uint64(l.seed), Reverse: l.reverse != 0, First: int(l.first_block), Blocks: int(l.blocks),
		SkipBarrier: int(l.skip_barrier) + 1, SkipWait: int(l.skip_wait) + 1}
	for i := range 3 {
		launch.Grid[i], launch.Block[i] = int(l.grid[i]), int(l.block[i])
	}
	if l.parameters > 0 {
		for _, a := range unsafe.Slice(l.arguments, l.parameters) {
			launch.Arguments = append(launch.Arguments, uint64(a))
		}
	}
	if l.count > 0 {
		for _, r := range unsafe.Slice(l.regions, l.count) {
			launch.Memory = append(launch.Memory, ptxvm.Region{Base: uint64(uintptr(unsafe.Pointer(r.data))),
				Data: unsafe.Slice((*byte)(r.data), r.size), Known: unsafe.Slice((*byte)(r.known), r.size)})
		}
	}
	err := machine.Run(module, launch)
	l.barriers, l.waits = C.int(len(machine.Barriers)), C.int(len(machine.Waits))
	return err
}

// Instructions is the number that warps have executed in the interpreter.
func Instructions() int { return machine.Instructions }
