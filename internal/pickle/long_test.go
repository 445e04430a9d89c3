// Long integers, against math/big.

package pickle

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLong reads integers of bytes and of digits, and writes them as math/big does.
func TestLong(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte{0, 0x7f, 0x80, 0xff})), 1, 60).Draw(t, "bytes")
		want := new(big.Int).SetBytes(reversed(b))
		if b[len(b)-1] >= 0x80 {
			want.Sub(want, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		got := longOf(slices.Clone(b))
		if fmt.Sprint(got) != want.String() {
			t.Fatalf("%x is %v, want %v", b, got, want)
		}
		if _, small := got.(int64); small != want.IsInt64() {
			t.Fatalf("%v is a %T", want, got)
		}
		text := want.String()
		if want.Sign() > 0 && rapid.Bool().Draw(t, "plus") {
			text = "+" + strings.Repeat("0", rapid.IntRange(0, 20).Draw(t, "zeros")) + text
		}
		if again, ok := parseInteger(text); !ok || again != got {
			t.Fatalf("%q is %v, want %v", text, again, got)
		}
	})
	for _, text := range []string{"", "-", "+", "+-1", "1_0", "1e9", " 1", "0x1", "1.", "٣"} {
		if v, ok := parseInteger(text); ok {
			t.Errorf("%q is %v", text, v)
		}
	}
}

func reversed(b []byte) []byte {
	b = slices.Clone(b)
	slices.Reverse(b)
	return b
}
