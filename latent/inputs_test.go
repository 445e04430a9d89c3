// Inputs besides the states, compared with ONNX Runtime; see testdata/generate_states.py.

package latent

import (
	"context"
	"strings"
	"testing"
)

func value(name, text string) InputValue { return InputValue{Name: name, Value: text} }

func TestInputs(t *testing.T) {
	t.Parallel()
	x, shape := array(t, "states.npz:x")
	identities := map[string]string{}
	for _, c := range []struct{ expected, h0, c0, gain string }{
		{"zeros", "zeros", "0", "1"}, {"zeros", "-0.0", "0e1", "1"},
		{"arrays", "testdata/states.npz:h", "testdata/states.npz:c", "2.5"},
	} {
		e, err := Open("testdata/states.onnx",
			OpenOptions{Output: "z", Inputs: []InputValue{value("h0", c.h0), value("c0", c.c0), value("gain", c.gain)}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		info := e.Info()
		if key := strings.Join(info.Inputs, " "); identities[key] != "" && identities[key] != info.Identity || len(info.Inputs) != 3 {
			t.Errorf("identity of %s", key)
		} else {
			identities[key] = info.Identity
		}
		want, _ := array(t, "states_expected.npz:"+c.expected)
		for _, batch := range []int{1, 2, 3} { // the state follows the batch
			row := len(x) / shape[0]
			out, err := e.Encode(context.Background(), Array{Shape: append([]int{batch}, shape[1:]...), Values: x[:batch*row]})
			if err != nil {
				t.Fatal(err)
			}
			if d := relative(out.Values, want[:batch*4]); !(d < 1e-6) {
				t.Errorf("%s, batch %d: off by %.1e of the largest", c.expected, batch, d)
			}
		}
	}
	if len(identities) != 3 {
		t.Errorf("%d identities, want 3 (−0 is another number)", len(identities))
	}
	all := []InputValue{value("h0", "zeros"), value("c0", "zeros"), value("gain", "1")}
	for _, c := range []struct {
		what   string
		path   string
		values []InputValue
		want   string
	}{
		{"none", "states.onnx", nil, "give the others values (--input NAME=zeros, a number or an array)"},
		{"too few", "states.onnx", all[:1], "3 inputs have no value, want one, the states"},
		{"all", "states.onnx", append(all[:3:3], value("x", "0")), "0 inputs have no value"},
		{"another name", "states.onnx", append(all[:3:3], value("h1", "0")), `has no input "h1" (did you mean "h0"?)`},
		{"another rank", "states.onnx", []InputValue{value("h0", "testdata/states.npz:x"), all[1], all[2]}, "an array of shape [3 4 2 3]; want float32 [2 batch 4]"},
		{"a batch", "states.onnx", []InputValue{value("h0", "testdata/states.npz:wide"), all[1], all[2]}, "want 1 element, which repeats"},
		{"no file", "states.onnx", []InputValue{value("h0", "testdata/none.npy"), all[1], all[2]}, "none.npy: no such file"},
		{"not a number", "states.onnx", []InputValue{value("h0", "nan"), all[1], all[2]}, "nan: no such file"},
		{"a checkpoint", "conv.pth", all[:1], `input "h0": only an ONNX file has inputs besides the states`},
	} {
		e, err := Open("testdata/"+c.path, OpenOptions{Output: "z", Inputs: c.values})
		if c.path == "conv.pth" {
			e, err = Open("testdata/"+c.path, OpenOptions{Inputs: c.values})
		}
		if err == nil {
			e.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}
