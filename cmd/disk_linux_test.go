// Studies on disks that are full or cannot be written.

package cmd_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"repscope/internal/runtest"
)

// smallDisk mounts a file system of so many bytes; without the right to do that the test is skipped.
func smallDisk(t *testing.T, dir string, size int) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(dir, 0o777), syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
}

func remount(t *testing.T, dir string, flags uintptr, size int) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags|syscall.MS_REMOUNT, fmt.Sprintf("size=%d", size)); err != nil {
		t.Fatal(err)
	}
}

// evaluateIn runs the study of a folder into disk.
func evaluateIn(t *testing.T, dir string, args ...string) (said string, err error) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(strings.Replace(killedSuite, "SEED", "1", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("evaluate", append([]string{"s.yaml", "--out", "disk/out"}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// A disk that becomes full at any place ends the study with an error that says so, what was complete stays, and with
// room the same command goes on to the bytes of an undisturbed run.
func TestFullDisk(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir := t.TempDir()
	killedStudy(t, dir)
	study(t, dir, "1", 0)
	want := resultsOf(t, filepath.Join(dir, "out"))
	whole := 0
	for _, text := range want {
		whole += len(text)
	}
	disk := filepath.Join(dir, "disk")
	smallDisk(t, disk, 1<<20)
	full := 0
	for part := range 8 {
		if err := os.RemoveAll(filepath.Join(disk, "out")); err != nil {
			t.Fatal(err)
		}
		remount(t, disk, 0, 16<<10+whole*part/6)
		if said, err := evaluateIn(t, dir); err != nil {
			full++
			if !strings.Contains(said, "no space left on device") {
				t.Errorf("part %d of 8: %s", part, said)
			}
		}
		remount(t, disk, 0, 1<<24)
		if said, err := evaluateIn(t, dir); err != nil {
			t.Fatalf("part %d of 8: with room: %v: %s", part, err, said)
		}
		if got := resultsOf(t, filepath.Join(disk, "out")); !maps.Equal(got, want) {
			t.Errorf("part %d of 8: the files are not those of an undisturbed run", part)
		}
	}
	if full < 4 {
		t.Errorf("the disk was full %d times of 8", full)
	}
}

// A study in a folder that cannot be written says so and leaves it as it is; looking at it needs no writing.
func TestReadOnlyFolder(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir := t.TempDir()
	killedStudy(t, dir)
	disk := filepath.Join(dir, "disk")
	smallDisk(t, disk, 1<<24)
	if said, err := evaluateIn(t, dir); err != nil {
		t.Fatal(err, said)
	}
	before := resultsOf(t, filepath.Join(disk, "out"))
	remount(t, disk, syscall.MS_RDONLY, 1<<24)
	for _, args := range [][]string{nil, {"--resume=false"}} {
		if said, err := evaluateIn(t, dir, args...); err == nil || !strings.Contains(said, "disk/out: cannot write into it: ") || !strings.Contains(said, "read-only file system") {
			t.Errorf("%v: %v: %s", args, err, said)
		}
	}
	for _, args := range []string{"--list", "--dry-run"} {
		if said, err := evaluateIn(t, dir, args); err != nil || strings.Count(said, "unchanged ") < 3 {
			t.Errorf("%s: %v: %s", args, err, said)
		}
	}
	if !maps.Equal(before, resultsOf(t, filepath.Join(disk, "out"))) {
		t.Error("the files have changed")
	}
}
