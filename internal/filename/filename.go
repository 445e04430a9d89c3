// Package filename makes file names from other names, such as names of models, layers and datasets. They are valid on
// all systems, are not hidden, and do not leave their folder.
//
//	filename.Of("../x")                        // "x"
package filename

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"repscope/internal/escape"
)

// Longest is the length of a name in bytes: file systems allow 255, and endings and temporary names need some.
const Longest = 120

// forbidden are the characters that a system or a shell takes for something else.
const forbidden = `/\:*?"<>|{}`

// Of is the file name of a name. Characters invalid in file names become _, or are removed at the ends along with dots.
// A device of Windows gets a _, and a long name ends with a part of its digest. It is never empty.
func Of(name string) string {
	mapped := strings.Map(func(r rune) rune {
		if strings.ContainsRune(forbidden, r) || r <= ' ' || r == utf8.RuneError || escape.Hidden(r) {
			return '_'
		}
		return r
	}, name)
	mapped = strings.Trim(strings.TrimLeft(mapped, "._"), "_")
	mapped = strings.TrimRight(mapped, "._ ")
	switch {
	case mapped == "":
		return "_"
	case device(mapped):
		mapped = "_" + mapped
	}
	if len(mapped) <= Longest {
		return mapped
	}
	sum := sha256.Sum256([]byte(name))
	end := "~" + hex.EncodeToString(sum[:4])
	cut := Longest - len(end)
	for !utf8.RuneStart(mapped[cut]) {
		cut--
	}
	return mapped[:cut] + end
}

// Wrong returns the reason why a name cannot be a folder's name unchanged; empty: none.
func Wrong(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case strings.ContainsAny(name, `/\`):
		return "it contains a slash"
	case strings.HasPrefix(name, "."):
		return "it begins with a dot, which hides it"
	case escape.Line(name) != name:
		return "it contains an invisible character"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "it ends with a dot or a space, which Windows removes"
	case device(name):
		return "it is the name of a Windows device"
	case len(name) > Longest:
		return fmt.Sprintf("it has %d bytes, want at most %d", len(name), Longest)
	}
	return ""
}

// device reports whether Windows takes a name for a device, whatever its ending.
func device(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimRight(stem, " ")
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, stem) {
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if number, ok := strings.CutPrefix(stem, port); ok && slices.Contains([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}, number) {
			return true
		}
	}
	return false
}

// Taken are the used names.
type Taken map[string]bool

// Unique is an unused name with this ending, with ~2 or a higher number before the ending if needed; it is used
// afterwards.
func (t Taken) Unique(stem, ending string) string {
	name := stem + ending
	for n := 2; t[fold(name)]; n++ {
		name = fmt.Sprintf("%s~%d%s", stem, n, ending)
	}
	t[fold(name)] = true
	return name
}

// Has reports whether a name is used.
func (t Taken) Has(name string) bool { return t[fold(name)] }

// fold is the same for names that some systems take for one.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// Stem is the name of a file without its folder and its ending, such as .csv; the whole name where nothing would be
// left.
func Stem(path string) string {
	base := filepath.Base(path)
	if stem := strings.TrimSuffix(base, filepath.Ext(base)); stem != "" {
		return stem
	}
	return base
}
