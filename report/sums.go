// This file is for the digests of the files of a run, in the form of the program sha256sum.

package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"repscope/internal/regular"
)

// SumsEnding is the ending of the file with the digests of all other files of a run: NAME.sha256 next to NAME.json.
const SumsEnding = ".sha256"

// Sum is the digest of a file.
type Sum struct {
	Name   string // from the folder of the sums, with slashes; the whole path of one elsewhere
	SHA256 string // in hexadecimal digits
}

// Sums are the digests of the files so far, in order.
func (t *Transaction) Sums() []Sum {
	t.mu.Lock()
	defer t.mu.Unlock()
	var sums []Sum
	for _, f := range t.files {
		name := f.name
		if f.other {
			name = filepath.ToSlash(absolute(f.target))
		}
		sums = append(sums, Sum{name, f.sum})
	}
	return sums
}

// names of files with a line end or a backslash are escaped, and a backslash before the line says so.
var (
	sumEscape   = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)
	sumUnescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
)

// WriteSums writes digests as sha256sum does, which checks them with -c.
func WriteSums(w io.Writer, sums []Sum) error {
	for _, s := range sums {
		name, mark := sumEscape.Replace(s.Name), ""
		if name != s.Name {
			mark = `\`
		}
		if _, err := fmt.Fprintf(w, "%s%s  %s\n", mark, s.SHA256, name); err != nil {
			return err
		}
	}
	return nil
}

// ReadSums reads the digests of a file. Errors name the line.
func ReadSums(path string) ([]Sum, error) {
	data, err := regular.Read(path, regular.Listing)
	if err != nil {
		return nil, err
	}
	var sums []Sum
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		line, escaped := strings.CutPrefix(lines.Text(), `\`)
		sum, name, ok := strings.Cut(line, "  ")
		if _, err := hex.DecodeString(sum); !ok || err != nil || len(sum) != 2*sha256.Size || name == "" {
			return nil, fmt.Errorf("%s:%d: want a SHA-256, two spaces and the name of a file", path, n)
		}
		if escaped {
			name = sumUnescape.Replace(name)
		}
		sums = append(sums, Sum{name, sum})
	}
	return sums, lines.Err()
}

// FileSum is the SHA-256 of the content of a file, in hexadecimal digits.
func FileSum(path string) (string, error) {
	file, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}
