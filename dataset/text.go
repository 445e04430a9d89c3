// Texts in .npz files, such as the names of labels.

package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"repscope/internal/dtype"
	"repscope/internal/mmap"
	"repscope/internal/zipmember"
)

// maxText is the largest text that is read, in bytes.
const maxText = 1 << 24

// ArrayNames returns the names of the arrays of a file, in the order of the file, including arrays of unsupported
// types. Formats without named arrays have none.
func ArrayNames(path string) ([]string, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := formatOf(file)
	if err != nil {
		return nil, err
	}
	switch {
	case f.openAll == nil:
		return nil, nil
	case f.name == ".npz":
		archive, err := openZip(file)
		if err != nil {
			return nil, err
		}
		names, _, err := npzMembers(file, archive)
		return names, err
	}
	arrays, err := OpenAll(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range arrays {
		names = append(names, a.Key())
		_ = a.Close()
	}
	return names, nil
}

// textDescr is the type of an array of one text: Unicode, or bytes.
var textDescr = regexp.MustCompile(`'descr': '([<>|=])([US])(\d+)', 'fortran_order': (?:True|False), 'shape': \((1,)?\)`)

// ReadText reads a text that is an array of an .npz file, as np.savez(…, name=text) writes
// it. Errors: the array is missing, is not text, or holds several texts.
func ReadText(path, name string) (string, error) {
	file, err := mmap.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	archive, err := openZip(file)
	if err != nil {
		return "", err
	}
	_, members, err := npzMembers(file, archive)
	if err != nil {
		return "", err
	}
	m := members[name]
	if m == nil {
		return "", fmt.Errorf("%s: there is no array %q", path, name)
	}
	text, err := readText(m, file.Size())
	if err != nil {
		return "", fmt.Errorf("%s:%s: %w", path, name, err)
	}
	return text, nil
}

// textMember are the bytes of a member, stored or compressed, whose size has been checked.
func textMember(m *zip.File) ([]byte, error) {
	if m.Method == zip.Store {
		r, err := m.Open()
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r) // up to its end, where the checksum is verified
	}
	var out bytes.Buffer
	err := zipmember.Inflate(&out, m)
	return out.Bytes(), err
}

func readText(m *zip.File, size int64) (string, error) {
	if err := zipmember.Check(m, size); err != nil {
		return "", err
	}
	if m.UncompressedSize64 > maxText {
		return "", fmt.Errorf("the text has %d bytes, want at most %d", m.UncompressedSize64, maxText)
	}
	raw, err := textMember(m)
	if err != nil {
		return "", err
	}
	if len(raw) < 12 || string(raw[:6]) != npyMagic {
		return "", fmt.Errorf("it is not a .npy array")
	}
	start := 10
	length := int(binary.LittleEndian.Uint16(raw[8:]))
	if raw[6] > 1 {
		start, length = 12, int(binary.LittleEndian.Uint32(raw[8:]))
	}
	if length < 0 || length > len(raw)-start {
		return "", fmt.Errorf("%w: inside the header", ErrTruncated)
	}
	header, body := string(raw[start:start+length]), raw[start+length:]
	match := textDescr.FindStringSubmatch(header)
	if match == nil {
		return "", fmt.Errorf("header %.120q: want one text, of type U or S (json.dumps(…) of a dict)",
			strings.TrimSpace(header))
	}
	count, err := strconv.Atoi(match[3])
	if err != nil || count > maxText {
		return "", fmt.Errorf("the text has %s characters", match[3])
	}
	if match[2] == "S" {
		if len(body) != count {
			return "", fmt.Errorf("%w: %d bytes of text, want %d", ErrTruncated, len(body), count)
		}
		text := strings.TrimRight(string(body), "\x00")
		if !utf8.ValidString(text) {
			return "", fmt.Errorf("the text is not UTF-8")
		}
		return text, nil
	}
	if len(body) != 4*count {
		return "", fmt.Errorf("%w: %d bytes of text, want %d", ErrTruncated, len(body), 4*count)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if match[1] == ">" || match[1] == "=" && dtype.HostOrder() == dtype.BigEndian {
		order = binary.BigEndian
	}
	var text strings.Builder
	for i := range count {
		if r := rune(order.Uint32(body[4*i:])); r != 0 {
			text.WriteRune(r)
		}
	}
	return text.String(), nil
}
