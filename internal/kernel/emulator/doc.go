// Package emulator runs the machine code of functions that multiply with the tiles of AMX, so that tests can compare
// them with plain loops on processors without tiles. It knows the instructions that such functions use and refuses all
// others. Memory that the caller did not name does not exist, and anything the processor would refuse is an error.
//
//	numbers, code, arguments := make([]byte, 64), []byte{0xc3}, make([]byte, 8)
//	m := emulator.Machine{Memory: []emulator.Region{{Address: 0x1000, Bytes: numbers}}}
//	err := m.Call(0x400000, code, arguments)
//
// The semantics follow Intel's manual (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter
// on Intel AMX, and volume 2, the pages of the instructions).
package emulator
