// Ways out of the roots.

package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a root and a folder that is outside, with links to it.
func tree(t testing.TB) (r *roots, root, secret string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, secret = filepath.Join(folder, "root"), filepath.Join(folder, "other", "secret.npy")
	for _, name := range []string{filepath.Join(root, "plain"), filepath.Join(root, "linked", "deep"),
		filepath.Dir(secret)} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(root, "x.npy"), filepath.Join(root, "a=b,c.npy"), filepath.Join(root,
		"plain", "y.npy"), secret} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link.npy": secret, "chain.npy": "link.npy",
		"linked/deep/z.npy": secret,
		"folder":            filepath.Dir(secret), "nowhere": filepath.Join(folder, "other", "missing"), "good.npy": "x.npy"} {
		if err := os.Symlink(target, filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Skipf("the system makes no symbolic links: %v", err)
		}
	}
	if r, err = newRoots([]string{root}); err != nil {
		t.Fatal(err)
	}
	return r, root, secret
}

func TestRoots(t *testing.T) {
	t.Parallel()
	r, root, secret := tree(t)
	fill := strings.NewReplacer("ROOT", root, "SECRET", secret, "OTHER", filepath.Dir(secret))
	for _, c := range []struct {
		text   string
		strict bool
		ok     bool
	}{
		{"x.npy", true, true}, {"ROOT/x.npy", true, true}, {"jepa=x.npy", true, true}, {"jepa=ROOT/x.npy:latents", true,
			true},
		{"x.h5:/obs/frames", true, true}, {"missing.npy", true, true}, {"good.npy", true, true}, {"a=b,c.npy", true,
			true},
		{"plain", true, true}, {"plain/*.npy", true, true}, {".", false, true}, {"", true, true},
		{"SECRET", true, false}, {"jepa=SECRET", true, false}, {"SECRET:key", true, false}, {"jepa=SECRET:key", true,
			false},
		{"task@run=SECRET", true, false}, {`je\=pa=SECRET`, true, false}, {"x.npy,SECRET", true, false}, {"OTHER", true,
			false},
		{"OTHER/missing", true, false}, {"jepa=OTHER/missing", true, false},
		{"../other/secret.npy", true, false}, {"plain/../x.npy", true, false}, {`plain\..\x.npy`, true, false}, {"..",
			true,
			false},
		{"~/x.npy", true, false}, {"jepa=~/x.npy", true, false}, {"~root/x", true, false},
		{"link.npy", true, false}, {"chain.npy", true, false}, {"folder/secret.npy", true, false}, {"folder", true,
			false},
		{"nowhere", true, false},
		{"linked", true, false}, {"linked/deep", true, false}, {"linked/*/z.npy", true, false}, {".", true, false},
		{"{case}.npy", true, false},
		{"x.npy\x00", true, false}, {"x\n", true, false},
		// Texts that may be no path.
		{"/blocks.7/Add", false, true}, {"jepa=/blocks.7", false, true}, {"SECRET", false, false}, {"jepa=SECRET",
			false,
			false}, {"link.npy", false, false},
		{"../other/secret.npy", false, false}, {"imagenet", false, true}, {"mean,std", false, true},
	} {
		if err := r.check(fill.Replace(c.text), c.strict); (err == nil) != c.ok {
			t.Errorf("%q, strict %v: %v", c.text, c.strict, err)
		}
	}
	for _, path := range []string{"SECRET", "link.npy", "folder/secret.npy", "../other/secret.npy",
		"ROOT/../other/secret.npy", "", "x.npy\x00", "missing", "."} {
		if file, err := r.open(fill.Replace(path)); err == nil {
			file.Close()
			t.Errorf("%q was opened", path)
		}
	}
	if err := r.check(strings.Repeat("a,", mostSpellings), true); err == nil || !strings.Contains(err.Error(),
		"too many parts") {
		t.Errorf("very many parts: %v", err)
	}
	for _, c := range [][2]string{{filepath.Join(root, "x.npy"), "want a folder"}, {filepath.Join(root, "missing"),
		"no such file"}} {
		if _, err := newRoots(c[:1]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("--root %s: %v", c[0], err)
		}
	}
}

// A folder with too many entries to search is refused where nothing else holds a run inside.
func TestRoots_ManyEntries(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: many files, one after another")
	}
	r := &roots{folders: []string{t.TempDir()}}
	folder := filepath.Join(r.folders[0], "many")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	r.folders[0], _ = filepath.EvalSymlinks(r.folders[0])
	for i := range mostLinked + 1 {
		if err := os.WriteFile(filepath.Join(folder, strings.Repeat("x",
			i%100+1)+string(rune('a'+i/100%26))+string(rune('a'+i/2600))), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.check("many", true); err == nil || !strings.Contains(err.Error(), "cannot be searched") {
		t.Errorf("many entries: %v", err)
	}
	r.walled = true
	if err := r.check("many", true); err != nil {
		t.Errorf("with a wall: %v", err)
	}
}

// A text that passes is inside, as a whole and behind every equals sign.
func FuzzCheck(f *testing.F) {
	r, root, secret := tree(f)
	for _, text := range []string{"x.npy", "a=" + secret, "a=b=" + root + "/x.npy:k", "folder/secret.npy,x", "nowhere",
		"linked/*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 || r.check(text, true) != nil {
			return
		}
		for rest := text; rest != ""; _, rest, _ = strings.Cut(rest, "=") {
			if whole, _, err := r.resolve(strings.TrimSpace(rest)); strings.TrimSpace(rest) != "" && (err != nil ||
				!inside(root, whole)) {
				t.Fatalf("%q passes, and %q is %q, %v", text, rest, whole, err)
			}
		}
	})
}
