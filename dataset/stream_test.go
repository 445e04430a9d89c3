// Tests of streamed .npz files.

package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStreamNPZ holds that a streamed file has the bytes of one that is written at once.
func TestStreamNPZ(t *testing.T) {
	t.Parallel()
	var streamed, whole bytes.Buffer
	err := StreamNPZ(&streamed, StreamedField{Name: "a", DType: Int32, Shape: []int{2, 3}, Write: func(w io.Writer) error {
		for i := range 6 {
			if err := binary.Write(w, binary.LittleEndian, int32(i)); err != nil {
				return err
			}
		}
		return nil
	}}, StreamedField{Name: "b", DType: Uint8, Shape: []int{2}, Write: func(w io.Writer) error { _, err := w.Write([]byte{7, 8}); return err }})
	if err != nil {
		t.Fatal(err)
	}
	if err := EncodeNPZ(&whole, Field{"a", []int{2, 3}, []int32{0, 1, 2, 3, 4, 5}}, Field{"b", []int{2}, []uint8{7, 8}}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(streamed.Bytes(), whole.Bytes()) {
		t.Error("the bytes differ from those of EncodeNPZ")
	}
}

func TestStreamNPZTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", `{"a": "µ <"}`} {
		var b bytes.Buffer
		if err := StreamNPZ(&b, TextField("t", text)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "t.npz")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadText(path, "t"); err != nil || got != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
}

func TestBadStreams(t *testing.T) {
	t.Parallel()
	failed := errors.New("full")
	for _, c := range []struct {
		field StreamedField
		want  string
	}{
		{StreamedField{Name: "a", DType: Uint8, Shape: []int{3}, Write: func(w io.Writer) error { _, err := w.Write([]byte{1}); return err }}, `array "a": 1 bytes were written, want 3`},
		{StreamedField{Name: "a", DType: Uint8, Shape: []int{3}, Write: func(io.Writer) error { return failed }}, `array "a": full`},
		{StreamedField{Name: "a", DType: BFloat16, Shape: []int{3}}, `array "a": NumPy has no type bfloat16`},
	} {
		if err := StreamNPZ(io.Discard, c.field); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
