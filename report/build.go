// This file is for provenance: the program's own version and input digests.

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
)

// Build tells which program is running.
type Build struct {
	Version  string // module version, "devel" for an unversioned build
	Revision string // version control revision, with "+modified" for a changed tree
	Go       string // such as "go1.26.0 linux/amd64"
}

// ReadBuild returns the build information that the Go tool put into the program.
func ReadBuild() Build {
	b := Build{Version: "devel", Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if b.Revision != "" && modified {
		b.Revision += "+modified"
	}
	return b
}

// FileSHA256 returns the hexadecimal SHA-256 of a file's bytes. For a folder it
// is the digest over the names and digests of the regular files below it, in
// order of their names.
func FileSHA256(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return fileSHA256(path)
	}
	var names []string
	err = filepath.WalkDir(path, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type().IsRegular() {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		digest, err := fileSHA256(name)
		if err != nil {
			return "", err
		}
		relative, err := filepath.Rel(path, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s  %s\n", digest, filepath.ToSlash(relative))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
