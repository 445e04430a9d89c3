// Tests of pickles: values, refused globals, corrupt and truncated input.

package pickle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func load(text string) (any, error) {
	return Load(bytes.NewReader([]byte(text)), int64(len(text)), Options{})
}

// show prints a value as Python would.
func show(v any) string {
	list := func(items []any) string {
		parts := make([]string, len(items))
		for i, x := range items {
			parts[i] = show(x)
		}
		return strings.Join(parts, ", ")
	}
	switch v := v.(type) {
	case *Tuple:
		return "(" + list(v.Items) + ")"
	case *List:
		return "[" + list(v.Items) + "]"
	case *Set:
		return "{" + list(v.Items) + "}"
	case *Dict:
		var parts []string
		for k, x := range v.All() {
			parts = append(parts, show(k)+": "+show(x))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case string, []byte:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// The pickles are written by hand, one instruction after the other; the files of
// package torchfile come from Python itself.
func TestValues(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"N.", "<nil>"},
		{"\x80\x02\x88.", "true"},
		{"I01\n.", "true"},
		{"I-12\n.", "-12"},
		{"L99999999999999999999L\n.", "99999999999999999999"},
		{"F1.5\n.", "1.5"},
		{"V\\u00e9\\x\n.", `"é\\x"`},
		{"S'a\\n\\x41\\''\n.", `"a\nA'"`},
		{"\x80\x02K\x07.", "7"},
		{"\x80\x02M\x00\x01.", "256"},
		{"\x80\x02J\xff\xff\xff\xff.", "-1"},
		{"\x80\x02\x8a\x00.", "0"},
		{"\x80\x02\x8a\x01\xff.", "-1"},
		{"\x80\x02\x8a\x06\x00\x00\x00\x00\x00\x01.", "1099511627776"},
		{"\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", "18446744073709551616"},
		{"\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff.", "-18446744073709551616"},
		{"\x80\x02G?\xf8\x00\x00\x00\x00\x00\x00.", "1.5"},
		{"\x80\x02X\x02\x00\x00\x00ab.", `"ab"`},
		{"\x80\x04\x8c\x02ab\x94.", `"ab"`},
		{"\x80\x04C\x02ab\x94.", `"ab"`},
		{"\x80\x02]q\x00(K\x01K\x02e.", "[1, 2]"},
		{"(lp0\nI1\naI2\na.", "[1, 2]"},
		{"(I1\nI2\ntp0\n.", "(1, 2)"},
		{"\x80\x02K\x01K\x02K\x03\x87q\x00.", "(1, 2, 3)"},
		{"\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00bK\x02u.", `{"a": 1, "b": 2}`},
		{"(dp0\nS'a'\nI1\ns.", `{"a": 1}`},
		{"\x80\x04\x95\x07\x00\x00\x00\x00\x00\x00\x00\x8f\x94(K\x01K\x02\x90.", "{1, 2}"},
		{"\x80\x04(K\x01K\x02\x91\x94.", "{1, 2}"},
		{"\x80\x02]q\x00h\x00\x86.", "stack"}, // TUPLE2 of a list and itself
		{"\x80\x02(K\x01K\x021K\x03.", "3"},
		{"\x80\x02K\x01K\x020.", "1"},
		{"\x80\x02K\x012\x86.", "(1, 1)"},
	} {
		v, err := load(c.text)
		if c.want == "stack" {
			if tuple, ok := v.(*Tuple); !ok || tuple.Items[0] != tuple.Items[1] {
				t.Errorf("%q: %v, %v", c.text, v, err)
			}
			continue
		}
		if err != nil || show(v) != c.want {
			t.Errorf("%q = %s, %v, want %s", c.text, show(v), err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		is         error
	}{
		{"", "truncated", ErrTruncated},
		{"\x80", "truncated", ErrTruncated},
		{"\x80\x06.", "protocol 6", ErrCorrupt},
		{".", "stack is empty", ErrCorrupt},
		{"t.", "no mark", ErrCorrupt},
		{"(.", "stack is empty", ErrCorrupt},
		{"X\xff\xff\xff\xff.", "declares 4294967295 bytes", ErrTruncated},
		{"\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "it declares", ErrTruncated},
		{"\x95\xff\xff\xff\xff\xff\xff\xff\x7f.", "a frame", ErrTruncated},
		{"\x8b\xff\xff\xff\xff.", "an integer of", ErrCorrupt},
		{"K\x01K\x02a.", "appending to a int", ErrCorrupt},
		{"(K\x01d.", "key without a value", ErrCorrupt},
		{"}]K\x01s.", "key of type list", nil},
		{"h\x00.", "no value 0 in the memo", ErrCorrupt},
		{"cos\nsystem\n.", `"os.system"`, nil},
		{"\x8c\x02os\x8c\x06system\x93.", `"os.system"`, nil},
		{"(S'x'\nios\nsystem\n.", `"os.system"`, nil},
		{"Px\n.", "outside the pickle", nil},
		{"\x82\x01.", "extension registry", nil},
		{"\x97.", "out-of-band", nil},
		{"K\x01)R.", "calling a int", ErrCorrupt},
		{"K\x01}b.", "setting the state of a int", ErrCorrupt},
		{"\xfe.", "unknown instruction 0xfe", ErrCorrupt},
		{"Iabc\n.", "not an integer", ErrCorrupt},
		{"K\x01\x86.", "tuple of 2", ErrCorrupt},
	} {
		v, err := load(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%q = %v, %v, want %s", c.text, v, err, c.want)
		}
	}
}

func TestMemoryBudget(t *testing.T) {
	text := "(" + strings.Repeat("N", 1000) + "t."
	_, err := Load(strings.NewReader(text), int64(len(text)), Options{Memory: 10_000})
	if !errors.Is(err, ErrMemory) {
		t.Errorf("got %v", err)
	}
	if _, err := Load(strings.NewReader(text), int64(len(text)), Options{}); err != nil {
		t.Error(err)
	}
}

// Several pickles in a row are read one by one, without reading ahead.
func TestStopsAtTheEnd(t *testing.T) {
	r := bytes.NewReader([]byte("K\x01.K\x02.rest"))
	for want := int64(1); want <= 2; want++ {
		if v, err := Load(r, 100, Options{}); err != nil || v != want {
			t.Fatalf("%v, %v, want %d", v, err, want)
		}
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "rest" {
		t.Errorf("left %q, %v", rest, err)
	}
}

func TestDictKeys(t *testing.T) {
	d := NewDict()
	for _, k := range []any{int64(1), 2.5, "a", nil, &Tuple{[]any{int64(1), "x"}}, []byte("a"), math.NaN()} {
		if err := d.Set(k, k); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range []any{true, 1.0} { // equal to 1, as in Python
		if v, ok := d.Get(k); !ok || v != int64(1) {
			t.Errorf("Get(%v) = %v, %v", k, v, ok)
		}
	}
	if v, ok := d.Get(&Tuple{[]any{int64(1), "x"}}); !ok || v == nil {
		t.Error("a tuple was not found")
	}
	if _, ok := d.Get(&Tuple{[]any{"1", "x"}}); ok {
		t.Error("(\"1\", \"x\") is not (1, \"x\")")
	}
	if d.Len() != 7 {
		t.Errorf("%d keys", d.Len())
	}
	deep := &Tuple{}
	for range 20 {
		deep = &Tuple{[]any{deep, deep}}
	}
	if err := d.Set(deep, 1); err == nil {
		t.Error("a tuple of 2^20 parts became a key")
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range []string{"\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01u.", "\x80\x04\x95\x07\x00\x00\x00\x00\x00\x00\x00\x8f\x94(K\x01K\x02\x90.",
		"(lp0\nI1\naL2L\na.", "cm\nn\n(K\x01tR}b.", "(dp0\nS'a'\nI1\ns.", "\x80\x02K\x01Q.", "(cm\nn\nK\x01o.", "cm\nn\n)}\x92."} {
		f.Add([]byte(text))
	}
	inert := Function(func(args []any) (any, error) { return &List{append([]any(nil), args...)}, nil })
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = Load(bytes.NewReader(data), int64(len(data)), Options{
			Memory:     1 << 20,
			Find:       func(module, name string) (Global, error) { return inert, nil },
			Persistent: func(id any) (any, error) { return id, nil },
		})
	})
}
