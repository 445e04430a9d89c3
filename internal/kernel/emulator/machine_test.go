// Tests of the machine, with code written by hand.

package emulator

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
)

// code is machine code in hexadecimal digits.
func code(t *testing.T, digits ...string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(strings.Join(digits, ""), " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	movRSI = "48 8b 74 24 08" // mov rsi,[rsp+0x8]
	ret    = "c3"
	load0  = "c4 a2 7b 4b 04 06" // tileloadd tmm0,[rsi+r8*1]
	store0 = "c4 a2 7a 4b 04 06"
)

// TestLoop counts down: flags, jumps in both directions, arithmetic.
func TestLoop(t *testing.T) {
	t.Parallel()
	var steps int
	m := Machine{Trace: func(_ uint64, i Instruction) {
		if i.Name == "sub" {
			steps++
		}
	}}
	loop := code(t,
		"48 8b 4c 24 08", // mov rcx,[rsp+0x8]
		"85 c9",          // test ecx,ecx
		"74 06",          // je to ret
		"48 83 e9 10",    // sub rcx,0x10
		"7f fa",          // jg back
		ret)
	for count, want := range map[int64]int{0: 0, 16: 1, 17: 2, 48: 3, -5: 1} {
		steps = 0
		if err := m.Call(0x40_0000, loop, binary.LittleEndian.AppendUint64(nil, uint64(count))); err != nil || steps != want {
			t.Errorf("%d: %d steps, want %d: %v", count, steps, want, err)
		}
	}
}

// withTile is a machine with some memory to be read, and a configuration of one tile.
func withTile(n int) Machine {
	return Machine{
		Memory:   []Region{{Address: 0x1000, Bytes: make([]byte, n)}},
		Constant: func(uint64) []byte { return config([2]int{16, 64}) },
	}
}

func TestCallErrors(t *testing.T) {
	t.Parallel()
	configure := "4c 8d 0d 00 00 00 00 c4 c2 78 49 01" // lea r9,[rip]; ldtilecfg [r9]
	release := "c4 e2 78 49 c0"
	stride := "49 c7 c0 40 00 00 00" // mov r8,0x40
	for want, digits := range map[string]string{
		"returns with tiles configured":     configure + ret,
		"returns with another rbp":          "48 c7 c5 01 00 00 00" + ret,
		"returns with another r14":          "49 c7 c6 01 00 00 00" + ret,
		"returns with another rsp":          "48 83 c4 08" + ret,
		"out of the function":               "eb 40",
		"no return after":                   "eb fe",
		"the code ends within":              "48 8b",
		"unknown instruction":               "90",
		"tiles are not configured":          movRSI + stride + load0 + ret,
		"which are not to be written":       movRSI + stride + configure + load0 + store0 + release + ret,
		"8 bytes at 0x7fff00000020 are not": "48 8b 74 24 20" + ret,
	} {
		m := withTile(1024)
		err := m.Call(0x40_0000, code(t, digits), binary.LittleEndian.AppendUint64(nil, 0x1000))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", digits, err, want)
		}
	}
	// One byte less than the tile's last row needs.
	m := withTile(1023)
	err := m.Call(0x40_0000, code(t, movRSI, stride, configure, load0, release, ret), binary.LittleEndian.AppendUint64(nil, 0x1000))
	if err == nil || !strings.Contains(err.Error(), "64 bytes at 0x13c0 are not the function's") {
		t.Errorf("error %v, want that the last row is not there", err)
	}
}
