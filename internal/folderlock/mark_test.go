// Tests of the marks of processes.

package folderlock

import (
	"encoding/hex"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestMark(t *testing.T) {
	t.Parallel()
	if Gone(Mark()) {
		t.Error("this process is said to be gone")
	}
	for _, mark := range []string{"", "xyz", Mark()[2:], Mark() + "00"} {
		if Gone(mark) {
			t.Errorf("%q, no mark, is said to be gone", mark)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("processes of other systems are not looked for")
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Skip(err)
	}
	content, err := hex.DecodeString(Mark())
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(data []byte)) string {
		data := append([]byte{}, content...)
		change(data)
		return hex.EncodeToString(data)
	}
	if pid := ended.Process.Pid; !Gone(with(func(data []byte) {
		data[4], data[5], data[6], data[7] = byte(pid>>24), byte(pid>>16), byte(pid>>8), byte(pid)
	})) {
		t.Errorf("process %d has ended", pid)
	}
	if !Gone(with(func(data []byte) { data[15] ^= 1 })) {
		t.Errorf("process %d of another time is not this one", os.Getpid())
	}
	if Gone(with(func(data []byte) { data[0] ^= 1; data[15] ^= 1 })) {
		t.Error("nothing is known of other machines")
	}
	if !strings.HasPrefix(with(func([]byte) {}), Mark()[:8]) {
		t.Error("a mark is not read as it is written")
	}
}
