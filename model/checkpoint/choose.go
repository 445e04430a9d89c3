// The content of files of weights.

package checkpoint

import (
	"fmt"
	"slices"

	"repscope/internal/dtype"
	"repscope/internal/torchfile"
	"repscope/model/checkpoint/internal/settings"
	"repscope/model/checkpoint/internal/statedict"
)

// content is the content of a file of weights.
type content struct {
	state  State
	format string // "pth" or "safetensors"
	chosen string // key of the state dict, "" where the file is one itself
	config any    // the configuration inside, nil for none
	notes  []string
}

// network builds the encoder; configuration files are looked for in dir.
func (c *content) network(dir string, o Options) (*Network, error) {
	n, err := build(c.state, o, &settings.Settings{Dir: dir, Inside: c.config})
	if err != nil {
		return nil, err
	}
	n.Format, n.Chosen = c.format, c.chosen
	n.Notes = append(slices.Clone(c.notes), n.Notes...)
	return n, nil
}

// choose finds the state dict in the root object of a file, and its configuration.
func choose(root any, which string) (*content, error) {
	dict, err := statedict.Find(root, which)
	if err != nil {
		return nil, err
	}
	c := &content{chosen: dict.Key, config: dict.Config, notes: dict.Notes}
	if c.state, err = stateOf(dict.Dict); err != nil && c.chosen != "" {
		err = fmt.Errorf("state %q %w", c.chosen, err)
	}
	return c, err
}

func stateOf(d *torchfile.Dict) (State, error) {
	state := State{}
	for key, value := range d.All() {
		if t, ok := value.(*torchfile.Tensor); ok {
			load := statedict.ByRows(t.Shape, func(part []float32, lo, hi int) error {
				return t.Use(lo, hi, func(raw []byte) error { return dtype.Float32s(part, raw, t.DType, t.Order()) })
			})
			state[key] = Tensor{Shape: t.Shape, Read: t.Float32, Load: load, Verify: t.Verify}
		}
	}
	if len(state) == 0 {
		return nil, fmt.Errorf("contains no state dict: no tensors under the keys %s", statedict.List(d.Keys()))
	}
	return state, nil
}
