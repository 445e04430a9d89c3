// Tests of the output transaction: all files or none, and nothing else touched.

package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"repscope/internal/atomicfile"
)

// listing returns the names and contents of a folder.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		if entry.IsDir() {
			files[entry.Name()] = "(folder)"
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(data)
	}
	return files
}

func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if got := listing(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("folder holds %v, want %v", got, want)
	}
}

func filled(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func begin(t *testing.T, dir string) *Transaction {
	t.Helper()
	files, err := Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(files.Abort)
	return files
}

func write(t *testing.T, files *Transaction, name, content string) {
	t.Helper()
	if err := files.File(name, filled(content)); err != nil {
		t.Fatal(err)
	}
}

// earlier makes a folder with an earlier result and a file of somebody else.
func earlier(t *testing.T) string {
	dir := t.TempDir()
	for name, content := range map[string]string{"r.json": "old", "mine.txt": "mine", ".hidden.tmp": "mine too"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var untouched = map[string]string{"r.json": "old", "mine.txt": "mine", ".hidden.tmp": "mine too"}

func TestCommit(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	write(t, files, "a.csv", "new a")
	write(t, files, "r.json", "new")
	if got := listing(t, dir)["r.json"]; got != "old" {
		t.Errorf("before Commit the earlier result reads %q", got)
	}
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	files.Abort() // does nothing
	wantFiles(t, dir, map[string]string{"r.json": "new", "a.csv": "new a", "mine.txt": "mine", ".hidden.tmp": "mine too"})
	if err := files.Commit(); !errors.Is(err, ErrClosed) {
		t.Errorf("second Commit: %v", err)
	}
	if err := files.File("b", filled("")); !errors.Is(err, ErrClosed) {
		t.Errorf("File after Commit: %v", err)
	}
}

func TestAbort(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	write(t, files, "r.json", "new")
	files.Abort()
	files.Abort()
	wantFiles(t, dir, untouched)
	if err := files.Commit(); !errors.Is(err, ErrClosed) {
		t.Errorf("Commit after Abort: %v", err)
	}
	wantFiles(t, dir, untouched)
}

// Abort comes while a file is being written (Ctrl-C): the file is gone too.
func TestAbortWhileWriting(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	err := files.File("r.json", func(w io.Writer) error {
		files.Abort()
		_, err := w.Write(make([]byte, 1<<20))
		return err
	})
	if err == nil {
		t.Error("a file of an aborted transaction was accepted")
	}
	wantFiles(t, dir, untouched)
}

func TestCommitWhileWriting(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	_ = files.File("r.json", func(w io.Writer) error {
		if err := files.Commit(); err == nil || !strings.Contains(err.Error(), "still being written") {
			t.Errorf("Commit during a write: %v", err)
		}
		return nil
	})
	wantFiles(t, dir, untouched)
}

func TestFailedWriter(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	write(t, files, "a.csv", "new a")
	boom := errors.New("boom")
	err := files.File("r.json", func(w io.Writer) error {
		_, _ = w.Write(make([]byte, 1<<20))
		return boom
	})
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), filepath.Join(dir, "r.json")) {
		t.Errorf("got %v", err)
	}
	files.Abort()
	wantFiles(t, dir, untouched)
}

// A full disk shows when data are written or only when they are synced.
func TestFullDisk(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	files.sync = func(f *os.File) error {
		return &os.PathError{Op: "sync", Path: f.Name(), Err: syscall.ENOSPC}
	}
	err := files.File("r.json", filled("new"))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want no space left", err)
	}
	if message := err.Error(); !strings.Contains(message, filepath.Join(dir, "r.json")) || strings.Contains(message, ".tmp") {
		t.Errorf("the message %q should name the final file only", message)
	}
	files.Abort()
	wantFiles(t, dir, untouched)
}

func TestFullDevice(t *testing.T) {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer device.Close()
	dir := earlier(t)
	files := begin(t, dir)
	err = files.CSV("a.csv", []string{"x"}, func(c *CSV) error {
		_, err := device.Write([]byte("x")) // what the file system answers when it is full
		return err
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want no space left", err)
	}
	files.Abort()
	wantFiles(t, dir, untouched)
}

// A rename that fails half way puts the earlier files back.
func TestCommitRollsBack(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	write(t, files, "first.csv", "new first")
	write(t, files, "r.json", "new")
	write(t, files, "last.csv", "new last")
	// A folder that is not empty cannot be replaced by a file.
	if err := os.MkdirAll(filepath.Join(dir, "last.csv", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	err := files.Commit()
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "last.csv")) {
		t.Errorf("got %v, want an error that names last.csv", err)
	}
	want := map[string]string{"last.csv": "(folder)"}
	for name, content := range untouched {
		want[name] = content
	}
	wantFiles(t, dir, want)
}

func TestNames(t *testing.T) {
	dir := earlier(t)
	files := begin(t, dir)
	for _, name := range []string{"", ".", "..", "a//c", `a\b`, "../x", "a/", "/a", "./a"} {
		if err := files.File(name, filled("")); err == nil {
			t.Errorf("the name %q was accepted", name)
		}
	}
	write(t, files, "a", "")
	if err := files.File("a", filled("")); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same name twice: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := files.File("d", filled("")); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("the name of a folder: %v", err)
	}
}

// Files in a folder of their own appear with the others, and a folder that was made for
// them goes with them.
func TestFilesInFolder(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "out")
	files := begin(t, dir)
	write(t, files, "frames/1.png", "one")
	write(t, files, "frames/2.png", "two")
	files.Abort()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder is left: %v", err)
	}
	files = begin(t, dir)
	write(t, files, "frames/1.png", "one")
	write(t, files, "r.json", "r")
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, map[string]string{"frames": "(folder)", "r.json": "r"})
	wantFiles(t, filepath.Join(dir, "frames"), map[string]string{"1.png": "one"})
	files = begin(t, dir)
	write(t, files, "frames/1.png", "again")
	files.Abort()
	wantFiles(t, filepath.Join(dir, "frames"), map[string]string{"1.png": "one"})
	files = begin(t, dir)
	write(t, files, "reports/a/1.png", "a")
	write(t, files, "reports/b/1.png", "b")
	files.Abort()
	if _, err := os.Stat(filepath.Join(dir, "reports")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder is left: %v", err)
	}
	files = begin(t, dir)
	write(t, files, "reports/a/1.png", "a")
	write(t, files, "reports/b/1.png", "b")
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, filepath.Join(dir, "reports"), map[string]string{"a": "(folder)", "b": "(folder)"})
	wantFiles(t, filepath.Join(dir, "reports", "b"), map[string]string{"1.png": "b"})
	files = begin(t, dir)
	defer files.Abort()
	for _, bad := range []string{"reports/../1.png", "reports//1.png", "/1.png"} {
		if err := files.File(bad, filled("")); err == nil || !strings.Contains(err.Error(), "plain name") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if err := files.File("r.json/1.png", filled("")); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "r.json", "1.png")) {
		t.Errorf("a file in the place of the folder: %v", err)
	}
}

func TestFolders(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	files := begin(t, dir)
	write(t, files, "x", "1")
	files.Abort()
	wantFiles(t, root, map[string]string{})

	files = begin(t, dir)
	write(t, files, "x", "1")
	if err := os.WriteFile(filepath.Join(root, "a", "other"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	files.Abort()
	wantFiles(t, filepath.Join(root, "a"), map[string]string{"other": ""})

	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{filepath.Join(root, "file"), filepath.Join(root, "file", "sub")} {
		if _, err := Begin(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("Begin(%s): %v", bad, err)
		}
	}
}

func TestUnwritableFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o777)
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		f.Close()
		os.Remove(f.Name())
		t.Skip("this user may write everywhere")
	}
	if _, err := Begin(dir); err == nil || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("got %v", err)
	}
}

// Many runs into one folder: the files that remain are all of one run.
func TestConcurrentRuns(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a.csv", "b.csv", "c.png", "r.json"}
	var all sync.WaitGroup
	for run := range 20 {
		all.Go(func() {
			files, err := Begin(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer files.Abort()
			for _, name := range names {
				if err := files.File(name, filled(fmt.Sprint("run ", run))); err != nil {
					t.Error(err)
				}
			}
			if run%3 == 0 {
				return // gives up
			}
			if err := files.Commit(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := listing(t, dir)
	if len(got) != len(names) {
		t.Errorf("folder holds %v", got)
	}
	for _, name := range names {
		if got[name] != got["r.json"] {
			t.Errorf("files of different runs: %v", got)
		}
	}
}

// What a run of this machine has left that was killed goes when the next begins; what another is writing stays.
func TestKilledRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes of other systems are not looked for")
	}
	dir := t.TempDir()
	alive := atomicfile.NewID()
	last := byte('0')
	if alive[len(alive)-1] == last {
		last = '1'
	}
	dead := alive[:len(alive)-1] + string(last) // a process of this number that began at another time
	for _, folder := range []string{dir, filepath.Join(dir, "frames")} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{
			"kept.csv": "kept", ".a.csv." + alive + ".tmp": "alive", ".a.csv." + dead + ".tmp": "half", ".a.csv.001122334455.tmp": "of somebody",
			".moved.csv.earlier." + dead + ".tmp": "moved", ".kept.csv.earlier." + dead + ".tmp": "older",
		} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := begin(t, dir)
	write(t, files, "b.csv", "b")
	write(t, files, "frames/b.csv", "b")
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"kept.csv": "kept", "moved.csv": "moved", "b.csv": "b", ".a.csv." + alive + ".tmp": "alive", ".a.csv.001122334455.tmp": "of somebody"}
	wantFiles(t, filepath.Join(dir, "frames"), want)
	want["frames"] = "(folder)"
	wantFiles(t, dir, want)
}
