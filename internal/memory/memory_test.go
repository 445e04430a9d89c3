// Tests of limits, on trees like the system's.

package memory

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"none":         {map[string]string{}, 0},
		"no limit":     {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		"container":    {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "512000000\n"}, 512000000},
		"own group":    {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "7000\n"}, 7000},
		"group above":  {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "7000\n", "sys/fs/cgroup/a/memory.max": "300\n"}, 300},
		"version 1":    {map[string]string{"proc/self/cgroup": "3:cpu,memory:/x\n1:name=systemd:/y\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "900\n"}, 900},
		"1, container": {map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "800\n"}, 800},
		"another's":    {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/b/memory.max": "5\n"}, 0},
		"nonsense":     {map[string]string{"proc/self/cgroup": "::\n7\n0::/../..\n", "sys/fs/cgroup/memory.max": "lots\n"}, 0},
	} {
		root := t.TempDir()
		for file, text := range test.files {
			full := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := groups(root); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestMachine(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if got := machine(root); got != 0 {
		t.Errorf("without a file: %d", got)
	}
	if err := os.MkdirAll(filepath.Join(root, "proc"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "proc/meminfo"), []byte("Zero: 1 kB\nMemTotal:       2048 kB\nMemFree: 3 kB\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := machine(root); got != 2<<20 {
		t.Errorf("%d, want 2 MiB", got)
	}
}

func TestAvailable(t *testing.T) {
	t.Parallel()
	if physical, available := Physical(), Available(); physical > 0 && (available <= 0 || available > physical) {
		t.Errorf("%d bytes are available of %d", available, physical)
	}
}
