// Tests that a commit which fails or is killed at any point leaves the earlier result whole.

package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// tree returns the files below a folder with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The files before and after the commit of [several].
var (
	beforeSeveral = map[string]string{"out/b.csv.gz": "old b", "out/r.sha256": strings.Repeat("0", 64) + "  b.csv.gz\n",
		"out/a.csv.gz": "mine", "out/r.json": "old", "out/a.csv": "old a", "out/pages/1.png": "old 1",
		"out/z.npy.partial": "rows", "elsewhere/t.csv": "old t", "out/mine": "mine"}
	afterSeveral = map[string]string{"out/r.sha256": "new", "out/a.csv.gz": "mine", "out/r.json": "new",
		"out/a.csv": "new a", "out/b.csv": "new b", "out/pages/1.png": "new 1", "out/z.npy": "rows", "elsewhere/t.csv": "new t",
		"elsewhere/u.csv": "new u", "out/mine": "mine"}
)

// several begins a transaction of files that are new, that have an earlier one, by its list of digests also one that is
// compressed, that lie below the folder and elsewhere, and that others have written.
func several(root string, earlier bool) (*Transaction, error) {
	if earlier {
		for name, content := range beforeSeveral {
			path := filepath.Join(root, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
				return nil, err
			}
		}
	}
	files, err := Begin(filepath.Join(root, "out"))
	if err != nil {
		return nil, err
	}
	return files, errors.Join(
		files.Elsewhere(filepath.Join(root, "elsewhere", "t.csv"), filled("new t")),
		files.File("a.csv", filled("new a")), files.File("b.csv", filled("new b")), files.File("pages/1.png", filled("new 1")),
		files.Adopt("z.npy", filepath.Join(root, "out", "z.npy.partial"), ""),
		files.Elsewhere(filepath.Join(root, "elsewhere", "u.csv"), filled("new u")),
		files.File("r.sha256", filled("new")), files.File("r.json", filled("new")))
}

func wantTree(t *testing.T, what, root string, want map[string]string) {
	t.Helper()
	if got := tree(t, root); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: the files are %v, want %v", what, got, want)
	}
}

// A commit fails at each of its steps in turn.
func TestCommit_Fails(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		root := t.TempDir()
		files, err := several(root, true)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		files.step = func() error {
			if steps++; steps == n {
				return syscall.ENOSPC
			}
			return nil
		}
		err = files.Commit()
		if steps < n {
			if err != nil || n < 10 {
				t.Errorf("%d steps: %v", steps, err)
			}
			wantTree(t, "no failure", root, afterSeveral)
			return
		}
		if err == nil { // what is left is to be removed
			got := tree(t, root)
			for name, content := range afterSeveral {
				if got[name] != content {
					t.Errorf("step %d: %s is %q", n, name, got[name])
				}
			}
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("step %d: %v", n, err)
		}
		wantTree(t, fmt.Sprintf("failure at step %d", n), root, beforeSeveral)
	}
}

// killedAt and killedIn tell a process of this test to commit in a folder and to be killed at a step.
const killedAt, killedIn = "REPSCOPE_TEST_KILLED_AT", "REPSCOPE_TEST_KILLED_IN"

// A process is killed at each step of a commit in turn; whoever looks next finds the result that was there.
func TestCommit_Killed(t *testing.T) {
	if at, err := strconv.Atoi(os.Getenv(killedAt)); err == nil {
		files, err := several(os.Getenv(killedIn), false)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		files.step = func() error {
			if steps++; steps == at {
				p, _ := os.FindProcess(os.Getpid())
				_ = p.Kill()
				select {}
			}
			return nil
		}
		if err := files.Commit(); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes of other systems are not looked for")
	}
	for n := 1; n < 100; n++ {
		root := t.TempDir()
		files, err := several(root, true)
		if err != nil {
			t.Fatal(err)
		}
		files.Abort()
		c := exec.Command(os.Args[0], "-test.run=^TestCommit_Killed$")
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", killedAt, n), killedIn+"="+root)
		err = c.Run()
		if err == nil {
			if n < 10 {
				t.Errorf("a commit of %d steps", n-1)
			}
			wantTree(t, "not killed", root, afterSeveral)
			return
		}
		moved := filepath.Join(t.TempDir(), "out")
		if n%2 == 0 { // the folder has another path now, and those elsewhere theirs
			if err := os.Rename(filepath.Join(root, "out"), moved); err != nil {
				t.Fatal(err)
			}
			Recover(moved)
			Recover(moved) // once more does nothing
			if err := os.Rename(moved, filepath.Join(root, "out")); err != nil {
				t.Fatal(err)
			}
		} else {
			Recover(filepath.Join(root, "out"))
		}
		got := tree(t, root)
		want := beforeSeveral
		if got["out/r.json"] == "new" { // all have their names: only second ones of the earlier files were left
			want = afterSeveral
		}
		for name, content := range got {
			if strings.HasSuffix(name, ".tmp") {
				delete(got, name) // of the killed process; the next run removes them
			} else if want[name] != content {
				t.Errorf("killed at step %d: %s is %q, want %q", n, name, content, want[name])
			}
		}
		if len(got) != len(want) {
			t.Errorf("killed at step %d: the files are %v, want %v", n, got, want)
		}
	}
	t.Error("a commit of 100 steps")
}

// A reader undoes what a killed commit has begun, too.
func TestRead_Recovers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes of other systems are not looked for")
	}
	root := t.TempDir()
	for name, content := range beforeSeveral {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(os.Args[0], "-test.run=^TestCommit_Killed$")
	c.Env = append(os.Environ(), killedAt+"=8", killedIn+"="+root)
	if err := c.Run(); err == nil {
		t.Fatal("it was not killed")
	}
	if got := tree(t, root); fmt.Sprint(got) == fmt.Sprint(beforeSeveral) || got["out/b.csv"] != "new b" {
		t.Fatalf("the commit had not begun: %v", got)
	}
	_, _ = Read(filepath.Join(root, "out", "r.json")) // which is none
	if got := tree(t, root); got["out/b.csv"] != "" || got["elsewhere/t.csv"] != "old t" {
		t.Errorf("after reading: %v", got)
	}
}

func TestAdopt_Aborted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files, err := several(root, true)
	if err != nil {
		t.Fatal(err)
	}
	files.Abort()
	wantTree(t, "aborted", root, beforeSeveral)
}

func TestTransaction_Guard(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := begin(t, root)
	forbidden := errors.New("forbidden")
	files.Guard = func(path string) error {
		if strings.HasSuffix(path, "x.csv") {
			return forbidden
		}
		return nil
	}
	for name, err := range map[string]error{
		"File": files.File("x.csv", filled("")), "Elsewhere": files.Elsewhere(filepath.Join(root, "d", "x.csv"), filled("")), "Adopt": files.Adopt("x.csv", filepath.Join(root, "p"), "0"),
	} {
		if !errors.Is(err, forbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := files.Elsewhere(filepath.Join(root, "a.csv"), filled("")); err != nil {
		t.Fatal(err)
	}
	if err := files.File("a.csv", filled("")); err == nil || !strings.Contains(err.Error(), "written twice") {
		t.Errorf("a file under two names: %v", err)
	}
	files.Abort()
	wantFiles(t, root, map[string]string{})
}
