//go:build !noasm

// Linux gives a process the tile registers of AMX when it asks for them.

package kernel

import "syscall"

// permitTiles asks, for all threads of the process, for the 8 KiB of state that tiles are. The system refuses where
// a signal would not find room for them on the stack that a thread has for signals.
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
