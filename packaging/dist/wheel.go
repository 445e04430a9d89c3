// Wheels: the Python package with the program in it, for pip and its like.

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// tags are the systems on which a wheel of a target may be installed. The program needs no C
// library, so one wheel serves systems of glibc and of musl; Go decides on macOS 12.
var tags = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

// source is the Python package: its metadata without the version, and its modules.
const source = "python"

// wheel builds the program for a target and packs it with the Python package.
func wheel(target, version, out, work string, moment time.Time) (string, error) {
	program, err := programFor(target, work, version, moment)
	if err != nil {
		return "", err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	bill, err := billOf(program, version)
	if err != nil {
		return "", err
	}
	licenses, err := thirdParty(program)
	if err != nil {
		return "", err
	}
	files, err := packageFiles(source, version)
	if err != nil {
		return "", err
	}
	metadata, err := metadataOf(source, version)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile("LICENSE")
	if err != nil {
		return "", err
	}
	info := "repscope-" + version + ".dist-info/"
	files = append(files,
		file{"repscope-" + version + ".data/scripts/" + filepath.Base(program), binary, 0o755},
		file{info + "METADATA", metadata, 0o644},
		file{info + "WHEEL", []byte(wheelText(target)), 0o644},
		file{info + "licenses/LICENSE", text, 0o644},
		file{info + "licenses/THIRD_PARTY_LICENSES", licenses, 0o644},
		file{info + "sboms/repscope.cdx.json", bill, 0o644},
	)
	files = append(files, file{info + "RECORD", record(files, info+"RECORD"), 0o644})
	var b bytes.Buffer
	if err := writeZip(&b, files, moment); err != nil {
		return "", err
	}
	to := filepath.Join(out, wheelName(version, target))
	return to, os.WriteFile(to, b.Bytes(), 0o644)
}

func wheelName(version, target string) string {
	return "repscope-" + version + "-py3-none-" + strings.Join(tags[target], ".") + ".whl"
}

// wheelText is the file WHEEL: what an installer checks.
func wheelText(target string) string {
	var b strings.Builder
	b.WriteString("Wheel-Version: 1.0\nGenerator: repscope packaging/dist\nRoot-Is-Purelib: false\n")
	for _, tag := range tags[target] {
		fmt.Fprintf(&b, "Tag: py3-none-%s\n", tag)
	}
	return b.String()
}

// packageFiles are the modules, by name, with the version written into its own.
func packageFiles(folder, version string) ([]file, error) {
	var files []file
	root := os.DirFS(folder)
	err := fs.WalkDir(root, "repscope", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "__pycache__":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case path.Ext(name) != ".py" && path.Base(name) != "py.typed":
			return fmt.Errorf("%s: not a module; want .py, or py.typed", name)
		}
		text, err := fs.ReadFile(root, name)
		if err == nil {
			files = append(files, file{name, text, 0o644})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(files, func(f file) bool { return f.name == "repscope/_version.py" })
	if i < 0 || !versionLine.Match(files[i].content) {
		return nil, fmt.Errorf("%s/repscope/_version.py has no line VERSION = \"…\"", folder)
	}
	files[i].content = versionLine.ReplaceAll(files[i].content, []byte(`VERSION = "`+version+`"`))
	return files, nil
}

var versionLine = regexp.MustCompile(`(?m)^VERSION = ".*"$`)

// metadataOf is the file METADATA: the fields of the package, its version, and its page.
func metadataOf(folder, version string) ([]byte, error) {
	fields, err := os.ReadFile(filepath.Join(folder, "METADATA"))
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		return nil, err
	}
	head, rest, ok := strings.Cut(string(fields), "Name: repscope\n")
	if !ok {
		return nil, fmt.Errorf("%s/METADATA has no line Name: repscope", folder)
	}
	return []byte(head + "Name: repscope\nVersion: " + version + "\n" + strings.TrimRight(rest, "\n") + "\n\n" + string(page)), nil
}

// record lists all files with their digests, and itself without.
func record(files []file, path string) []byte {
	var b strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	return []byte(b.String() + path + ",,\n")
}
