// Marks of processes: who wrote a file, in its name.

package folderlock

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strconv"
	"sync"
)

// MarkBytes is the length of a mark in bytes; its text has twice as many digits.
const MarkBytes = 16

// Mark names this process for [Gone], in hexadecimal digits: its machine since that was started, its number, and when
// it began.
var Mark = sync.OnceValue(func() string {
	var mark [MarkBytes]byte
	copy(mark[:4], machine())
	binary.BigEndian.PutUint32(mark[4:], uint32(os.Getpid()))
	binary.BigEndian.PutUint64(mark[8:], ticks(os.Getpid()))
	return hex.EncodeToString(mark[:])
})

// Gone reports whether the process of a mark is known to have ended: it was one of this machine. It is false for other
// text.
func Gone(mark string) bool {
	data, err := hex.DecodeString(mark)
	if err != nil || len(data) != MarkBytes || boot() == "" || string(data[:4]) != string(machine()) {
		return false
	}
	pid := int(binary.BigEndian.Uint32(data[4:]))
	return pid > 0 && (!running(pid) || ticks(pid) != binary.BigEndian.Uint64(data[8:]))
}

// machine is this machine since it was started.
func machine() []byte {
	sum := sha256.Sum256([]byte(hostname() + "\n" + boot()))
	return sum[:4]
}

// ticks is when a process began; 0 where that is not known.
func ticks(pid int) uint64 {
	n, err := strconv.ParseUint(started(pid), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
