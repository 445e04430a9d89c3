// Tests of numbers of at most 8 bits, against ml_dtypes and onnx (testdata/narrow.py).

package dtype

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// narrowFloats are the types of floats.
var narrowFloats = []*Narrow{Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float4E2M1, Float8E8M0}

// narrowGolden is the file of the script.
type narrowGolden struct {
	Values             map[string]string
	Given, GivenPowers string
	Rounded            map[string]string
}

func readNarrowGolden(t *testing.T) narrowGolden {
	t.Helper()
	file, err := os.Open("testdata/narrow.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden narrowGolden
	if err := json.NewDecoder(z).Decode(&golden); err != nil {
		t.Fatal(err)
	}
	return golden
}

// fromBits reads float32 numbers of eight digits each.
func fromBits(t *testing.T, digits string) (values []float32) {
	t.Helper()
	for i := 0; i < len(digits); i += 8 {
		b, err := strconv.ParseUint(digits[i:i+8], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, math.Float32frombits(uint32(b)))
	}
	return values
}

// sameNumber is whether two numbers have the same bits, or both are NaN, or zeros of a type that has no NaN, whose
// sign is open.
func sameNumber(a, b float32, n *Narrow) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b || a == 0 && b == 0 && n == Float4E2M1
}

func TestNarrowValues(t *testing.T) {
	t.Parallel()
	golden := readNarrowGolden(t)
	for _, n := range narrowFloats {
		want := fromBits(t, golden.Values[n.String()])
		if len(want) != len(n.values) {
			t.Fatalf("%v has %d codes, want %d", n, len(n.values), len(want))
		}
		for code, v := range want {
			if !sameNumber(n.values[code], v, nil) {
				t.Errorf("%v: code %#x is %v, want %v", n, code, n.values[code], v)
			}
		}
	}
}

func TestNarrowRounding(t *testing.T) {
	t.Parallel()
	golden := readNarrowGolden(t)
	for _, n := range narrowFloats {
		for how, mode := range map[string]Rounding{"": Up, " saturate": Up, " up": Up, " down": Down, " nearest": Nearest} {
			digits, ok := golden.Rounded[n.String()+how]
			if !ok {
				continue
			}
			values := fromBits(t, golden.Given)
			if n == Float8E8M0 {
				values = fromBits(t, golden.GivenPowers)
			}
			for i, want := range fromBits(t, digits) {
				if got := n.Round(values[i], how != "", mode); !sameNumber(got, want, n) {
					t.Errorf("%v%s: %v is rounded to %v, want %v", n, how, values[i], got, want)
				}
			}
		}
	}
}

// TestNarrowNearest looks for the nearest number among all: random ones, and those halfway between two.
func TestNarrowNearest(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range narrowFloats[:5] {
		least, greatest := n.Range()
		values := []float32{}
		for range 20000 {
			values = append(values, float32(math.Ldexp(1+random.Float64(), random.IntN(40)-20)))
		}
		for i, v := range n.values[:len(n.values)/2-1] {
			values = append(values, (v+n.values[i+1])/2)
		}
		for _, v := range values {
			if !(v < greatest) {
				continue
			}
			best, code := math.Inf(1), 0
			for i, w := range n.values {
				d := math.Abs(float64(w) - float64(v))
				if d < best || d == best && i%2 == 0 { // the neighbor of the even code is the one whose last bit is 0
					best, code = d, i
				}
			}
			for _, s := range []float32{1, -1} {
				if got, want := n.Round(s*v, false, Up), s*n.values[code]; got != want {
					t.Fatalf("%v: %v is rounded to %v, want %v (range %v to %v)", n, s*v, got, want, least, greatest)
				}
			}
		}
	}
}

// TestPowersBeyond holds the standard's table of numbers that are less or more than the powers.
func TestPowersBeyond(t *testing.T) {
	t.Parallel()
	const least, greatest = 0x1p-127, 0x1p127
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		v, saturated, not float32
		mode              Rounding
	}{
		{0, least, nan, Up}, {0, least, nan, Nearest}, {nan, nan, nan, Up}, {inf, greatest, nan, Up}, {1e-45, least, nan, Nearest}, {3e38, greatest, nan, Down},
		{least, least, least, Up}, {1.25 * least, 2 * least, 2 * least, Up}, {1.25 * least, least, least, Nearest}, {1.5 * least, 2 * least, 2 * least, Nearest},
		{1.75 * least, least, least, Down}, {greatest, greatest, greatest, Nearest}, {-6, 8, 8, Nearest}, {-5, 4, 4, Nearest},
	} {
		if got := Float8E8M0.Round(c.v, true, c.mode); !sameNumber(got, c.saturated, nil) {
			t.Errorf("%v with saturation, mode %d: %v, want %v", c.v, c.mode, got, c.saturated)
		}
		if got := Float8E8M0.Round(c.v, false, c.mode); !sameNumber(got, c.not, nil) {
			t.Errorf("%v, mode %d: %v, want %v", c.v, c.mode, got, c.not)
		}
	}
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	raw := []byte{0xe1, 0x43, 0x0b}
	for _, c := range []struct {
		n    *Narrow
		skip int
		want []int64
	}{
		{Int4, 0, []int64{1, -2, 3, 4, -5}}, {Int4, 1, []int64{-2, 3, 4, -5}}, {Uint4, 0, []int64{1, 14, 3, 4, 11}}, {Uint2, 0, []int64{1, 0, 2, 3, 3, 0, 0, 1, 3, 2}},
		{Int2, 2, []int64{-2, -1, -1}}, {Uint2, 3, []int64{3, 3}},
	} {
		ints, floats := make([]int64, len(c.want)), make([]float32, len(c.want))
		Unpack(c.n, ints, raw, c.skip)
		Unpack(c.n, floats, raw, c.skip)
		for i, want := range c.want {
			if ints[i] != want || floats[i] != float32(want) {
				t.Errorf("%v from %d on: %v and %v, want %v", c.n, c.skip, ints, floats, c.want)
				break
			}
		}
	}
	got := make([]float32, 3)
	Unpack(Float8E4M3FN, got, []byte{0, 0x38, 0xc0, 0x7e}, 1)
	if got[0] != 1 || got[1] != -2 || got[2] != 448 {
		t.Errorf("float8: %v, want 1, -2, 448", got)
	}
	for n, want := range map[*Narrow]struct {
		bytes, perByte int
		float          bool
		least          float32
	}{Int2: {3, 4, false, -2}, Uint4: {5, 2, false, 0}, Float8E5M2: {9, 1, true, -57344}} {
		least, _ := n.Range()
		if n.Bytes(9) != want.bytes || n.PerByte() != want.perByte || n.IsFloat() != want.float || least != want.least {
			t.Errorf("%v: 9 elements in %d bytes, %d a byte, float %t, least %v; want %+v", n, n.Bytes(9), n.PerByte(), n.IsFloat(), least, want)
		}
	}
}
