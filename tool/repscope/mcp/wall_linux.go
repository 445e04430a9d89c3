// The wall around a run: the kernel lets it read the roots and the system's folders, write its own folder, and open
// no connection (Landlock).

package mcp

import (
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of files by the version of Landlock that has them.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	firstRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	deviceRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	fileRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// systemFolders are read by programs and drivers of GPUs.
var systemFolders = []string{"/usr", "/lib", "/lib64", "/bin", "/opt", "/etc", "/proc", "/sys", "/nix/store",
	"/run/current-system"}

// wallVersion is the version of Landlock; 0 where the kernel has none.
func wallVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// walls reports whether runs are walled.
func walls() bool { return wallVersion() > 0 }

// start starts a program that can read and write no other folders. The wall belongs to the thread that starts it, which
// ends with the goroutine.
func (w *wall) start(command *exec.Cmd) error {
	if !walls() {
		return command.Start()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := w.enter()
		if err == nil {
			err = command.Start()
		}
		done <- err
	}()
	return <-done
}

// enter restricts this thread and what it starts.
func (w *wall) enter() error {
	version := wallVersion()
	attributes := unix.LandlockRulesetAttr{Handled_access_fs: firstRights}
	if version >= 2 {
		attributes.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		attributes.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	size := unsafe.Sizeof(attributes.Handled_access_fs)
	if version >= 4 {
		attributes.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attributes.Handled_access_net)
	}
	if version >= 5 {
		attributes.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(rules))
	all := attributes.Handled_access_fs
	for _, list := range []struct {
		paths  []string
		rights uint64
	}{{systemFolders, readRights}, {w.reads, readRights}, {w.writes, all}, {[]string{"/dev"}, deviceRights}} {
		for _, path := range list.paths {
			if err := allow(int(rules), path, list.rights&all); err != nil {
				return err
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// allow adds a rule for a file or folder; none for one that is not there.
func allow(rules int, path string, rights uint64) error {
	file, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // it cannot be reached then
	}
	defer unix.Close(file)
	var info unix.Stat_t
	if err := unix.Fstat(file, &info); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(file)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}
