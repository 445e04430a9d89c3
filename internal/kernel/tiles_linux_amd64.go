//go:build !noasm

// Linux gives a process the tile registers of AMX when it asks for them.

package kernel

import "syscall"

// permitTiles requests, for all threads of the process, the 8 KiB of tile state. The system refuses if a thread's
// signal stack is too small for it.
func permitTiles() error {
	const (
		requestPermission = 0x1023
		tileData          = 18
	)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0); errno != 0 {
		return errno
	}
	return nil
}
