// Tests of decoding, against an assembler and a disassembler.

package emulator

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// TestDecodeTiles: the bytes that GNU as makes of instructions of tiles are read as these. See testdata/tiles.sh.
func TestDecodeTiles(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/tiles.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")[1:]
	if len(lines) < 500 {
		t.Errorf("%d instructions, want more than 500", len(lines))
	}
	for _, line := range lines {
		digits, want, _ := strings.Cut(line, "\t")
		code, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(append(code, 0x90))
		if err != nil || got.String() != want || got.Length != len(code) {
			t.Errorf("% x: %v of %d bytes, %v, want %s", code, got, got.Length, err, want)
		}
		for n := range code {
			if _, err := Decode(code[:n]); err == nil {
				t.Errorf("% x without its end is read", code[:n])
			}
		}
	}
}

// TestDecodeRefuses: instructions outside the subset are errors that show the bytes.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for digits, want := range map[string]string{
		"90":               "unknown instruction",
		"0f05":             "unknown instruction",
		"48f7d8":           "unknown instruction",
		"4881f900000000":   "unknown operation with a number",
		"48830701":         "unknown operation with a number",
		"488903":           "not among the known forms of mov",
		"488bc3":           "not among the known forms of mov",
		"0fb6c0":           "unknown instruction",
		"0f1800":           "unknown instruction",
		"c4e17b4b0438":     "not an instruction of tiles",
		"c4e2fb4b0438":     "not an instruction of tiles",
		"c4e27f4b0438":     "not an instruction of tiles",
		"c4e27b4b00":       "unknown instruction of tiles", // without an index
		"c4e2794b0438":     "unknown instruction of tiles",
		"c4e2734b0438":     "names a register that the instruction does not have",
		"c4e27b49c1":       "unknown instruction of tiles",
		"c462485ec4":       "a tile beyond the eighth",
		"c4c2485ec4":       "a tile beyond the eighth",
		"c4e2085ec4":       "a tile beyond the eighth",
		"c4e27b4b443840e9": "",
	} {
		code, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(code); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", digits, err, want)
		}
	}
}

// FuzzDecode: any bytes are an instruction or an error.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0xc4, 0xe2, 0x7b, 0x4b, 0x04, 0x38})
	f.Add([]byte{0x4c, 0x8b, 0x44, 0x24, 0x28})
	f.Fuzz(func(t *testing.T, code []byte) {
		i, err := Decode(code)
		if err == nil && (i.Length < 1 || i.Length > len(code) || i.String() == "") {
			t.Errorf("% x: %q of %d bytes", code, i, i.Length)
		}
	})
}
