// Tests of the names of devices.

package device

import (
	"errors"
	"strings"
	"testing"

	"repscope/internal/cuda"
)

func TestCheck(t *testing.T) {
	for _, good := range []string{"auto", "cpu", "cuda", "cuda:0", "cuda:1,cuda:0"} {
		if err := Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "gpu", "cuda:", "cuda:-1", "cuda:0,", "cuda:0,cuda:0", "cuda:0,cpu", "CUDA"} {
		if err := Check(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestProcessor(t *testing.T) {
	d, note, err := Open("cpu")
	if d != nil || note != "" || err != nil {
		t.Fatal(d, note, err)
	}
	if d.String() != "cpu" || d.Contexts() != nil || d.Close() != nil {
		t.Error("a nil device is not the processor")
	}
}

// On a machine without a GPU: auto falls back, a name does not.
func TestWithoutGPU(t *testing.T) {
	if list, err := cuda.Devices(); err == nil {
		t.Skipf("there are GPUs: %v", list)
	}
	d, note, err := Open("auto")
	if d != nil || err != nil {
		t.Fatal(d, err)
	}
	if cuda.Built == (note == "") {
		t.Errorf("note %q", note)
	}
	for _, name := range []string{"cuda", "cuda:0,cuda:1"} {
		if _, _, err := Open(name); !errors.Is(err, ErrNone) || !strings.HasPrefix(err.Error(), "device "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
