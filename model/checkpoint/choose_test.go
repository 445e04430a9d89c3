// State dicts under any key of a checkpoint.

package checkpoint

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/torchfile/torchtest"
	"repscope/model/graph"
)

// weights is the state dict of small with a value that tells it from others.
func weights(value float32, prefix string) torchtest.Dict {
	var d torchtest.Dict
	state := small()
	for _, key := range sorted(state) {
		values := make([]float32, graph.Count(state[key].Shape))
		for i := range values {
			values[i] = value
		}
		d = append(d, torchtest.Item{Key: prefix + key, Value: torchtest.Floats(state[key].Shape, values)})
	}
	return d
}

func sorted(s State) []string {
	var keys []string
	for key := range s {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func writeTorch(t *testing.T, root torchtest.Dict) string {
	t.Helper()
	var b bytes.Buffer
	if err := torchtest.Encode(&b, root); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "checkpoint.pth")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// value is the weight that tells the state dicts of weights apart.
func value(t *testing.T, n *Network) float32 {
	t.Helper()
	return n.Graph.Constants["fc.bias"].F32[0]
}

func TestStateKeys(t *testing.T) {
	t.Parallel()
	optimizer := torchtest.Dict{
		{Key: "state", Value: torchtest.Dict{{Key: "0", Value: weights(9, "exp_avg.")}}},
		{Key: "param_groups", Value: torchtest.Dict{}},
	}
	loss := torchtest.Dict{{Key: "mean", Value: torchtest.Floats(nil, []float32{1})}}
	for _, c := range []struct {
		name, state  string
		root         torchtest.Dict
		value        float32
		chosen, note string
	}{
		{"the file itself", "", weights(1, ""), 1, "", ""},
		{"the only one", "", torchtest.Dict{{Key: "model", Value: weights(2, "")}, {Key: "optimizer", Value: optimizer}, {Key: "loss", Value: loss}, {Key: "epoch", Value: 1}}, 2, "model", ""},
		{"any name", "", torchtest.Dict{{Key: "net", Value: weights(3, "module.")}}, 3, "net", ""},
		{"deep", "", torchtest.Dict{{Key: "agent", Value: torchtest.Dict{{Key: "encoder", Value: weights(4, "")}}}}, 4, "agent.encoder", ""},
		{"beside a counter", "", torchtest.Dict{{Key: "step", Value: torchtest.Floats(nil, []float32{7})}, {Key: "ema", Value: weights(5, "")}}, 5, "ema", ""},
		{"named", "ema", torchtest.Dict{{Key: "model", Value: weights(1, "")}, {Key: "ema", Value: weights(2, "")}}, 2, "ema", ""},
		{"named by path", "agent.ema", torchtest.Dict{{Key: "model", Value: weights(1, "")}, {Key: "agent", Value: torchtest.Dict{{Key: "ema", Value: weights(2, "")}}}}, 2, "agent.ema", ""},
		{"named above", "agent", torchtest.Dict{{Key: "model", Value: weights(1, "")}, {Key: "agent", Value: torchtest.Dict{{Key: "ema", Value: weights(2, "")}}}}, 2, "agent.ema", ""},
		{"short name", "ema", torchtest.Dict{{Key: "state_dict", Value: weights(1, "")}, {Key: "ema_state_dict", Value: weights(2, "")}}, 2, "ema_state_dict", ""},
		{"target", "target", torchtest.Dict{{Key: "encoder_state_dict", Value: weights(1, "")}, {Key: "target_encoder_state_dict", Value: weights(2, "")}}, 2, "target_encoder_state_dict", ""},
		{"usual key beside another", "", torchtest.Dict{{Key: "ema_state_dict", Value: weights(2, "module.")}, {Key: "state_dict", Value: weights(1, "")}}, 1, "state_dict",
			`the state dict "state_dict" is used; the file also contains "ema_state_dict" (12 tensors): choose with --state KEY`},
		{"usual key beside other parts", "", torchtest.Dict{{Key: "encoder_state_dict", Value: weights(1, "")}, {Key: "predictor_state_dict",
			Value: torchtest.Dict{{Key: "head.weight", Value: torchtest.Floats([]int{2}, []float32{1, 2})}}}}, 1, "encoder_state_dict", ""},
	} {
		n, err := Open(writeTorch(t, c.root), Options{State: c.state})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		defer n.Close()
		notes := slices.DeleteFunc(slices.Clone(n.Notes), func(s string) bool { return strings.HasPrefix(s, "the tensors' names") })
		if value(t, n) != c.value || n.Chosen != c.chosen || strings.Join(notes, "; ") != c.note || len(n.Warnings) > 0 {
			t.Errorf("%s: took %q with value %v, notes %q, warnings %q; want %q, %v, %q", c.name, n.Chosen, value(t, n), n.Notes, n.Warnings, c.chosen, c.value, c.note)
		}
	}
}

func TestStateKeyErrors(t *testing.T) {
	t.Parallel()
	two := torchtest.Dict{{Key: "student", Value: weights(1, "")}, {Key: "teacher", Value: weights(2, "")}, {Key: "epoch", Value: 3}}
	for _, c := range []struct {
		name, state string
		root        torchtest.Dict
		want        string
	}{
		{"several", "", two, `contains 2 state dicts, "student" (12 tensors), "teacher" (12 tensors): choose one with --state KEY`},
		{"unknown", "ema", two, `state "ema": no key "ema" or "ema_state_dict"; the file's state dicts are "student" (12 tensors), "teacher" (12 tensors)`},
		{"no state dict", "epoch", two, `state "epoch" is a int, want a state dict`},
		{"nothing to name", "ema", weights(1, ""), `state "ema": no key "ema" or "ema_state_dict"; the file is itself a state dict, with 12 entries`},
		{"nothing at all", "", torchtest.Dict{{Key: "epoch", Value: 3}}, `contains no state dict: no tensors under the keys "epoch"`},
	} {
		_, err := Open(writeTorch(t, c.root), Options{State: c.state})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A prefix that all tensors share leaves nothing out; tensors without it are named.
func TestPrefixMessages(t *testing.T) {
	t.Parallel()
	all := weights(1, "module._orig_mod.")
	n, err := Open(writeTorch(t, all), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if len(n.Warnings) != 0 || !slices.Equal(n.Notes, []string{`the tensors' names begin with "module._orig_mod."`}) {
		t.Errorf("warnings %q, notes %q", n.Warnings, n.Notes)
	}
	for _, c := range []struct {
		others int
		want   string
	}{
		{1, `1 tensor outside the prefix "module._orig_mod." is ignored: "n0" [3]`},
		{6, `6 tensors outside the prefix "module._orig_mod." are ignored: "n0" [3], "n1" [3], "n2" [3], "n3" [3], …`},
	} {
		root := slices.Clone(all)
		for i := range c.others {
			root = append(root, torchtest.Item{Key: "n" + string(rune('0'+i)), Value: torchtest.Floats([]int{3}, []float32{1, 2, 3})})
		}
		n, err := Open(writeTorch(t, root), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		if !slices.Equal(n.Warnings, []string{c.want}) {
			t.Errorf("warnings %q, want %q", n.Warnings, c.want)
		}
	}
}

// Weights that are no numbers are found when they are loaded, with their place.
func TestWeightsNotFinite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tensor string
		at     int
		value  float64
		want   string
	}{
		{"conv_layers.1.weight", 17, math.NaN(), `tensor "conv_layers.1.weight" contains NaN at [0 1 0 1]`},
		{"fc.bias", 3, math.Inf(-1), `tensor "fc.bias" contains infinity at [3]`},
	} {
		root := weights(1, "")
		for i, item := range root {
			if item.Key == c.tensor {
				shape := item.Value.(torchtest.Tensor).Shape
				values := make([]float32, graph.Count(shape))
				values[c.at] = float32(c.value)
				root[i].Value = torchtest.Floats(shape, values)
			}
		}
		_, err := Open(writeTorch(t, root), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.tensor, err, c.want)
		}
	}
}
