// Hints for encoders that do not take the states.

package input

import (
	"errors"
	"fmt"
	"strings"

	"repscope/internal/run"
	"repscope/latent"
)

// fitHint adds what may help to the error of an encoder that does not take the states,
// or of a pooling that does not fit its outputs.
func (d *Data) fitHint(model string, p latent.Preprocessing, err error) error {
	var shape *latent.ShapeError
	if errors.As(err, &shape) {
		if flags := d.fittingFlags(model, p, shape.Input); flags != "" {
			return run.Hint(err, flags+" makes them fit")
		}
		return err
	}
	var pool *latent.PoolError
	if errors.As(err, &pool) {
		return run.Hint(err, "choose with --pool "+model+"=MODE",
			"or use another value of its graph with --layer "+model+"=LAYER; encode --model "+model+"=FILE --layers list shows them")
	}
	return err
}

// candidate is another way to present the states to an encoder.
type candidate struct {
	window        int // 0: single frames
	height, width int // 0: as they are
	colour        bool
}

// fittingFlags are the flags that make the states fit an encoder's input: another
// window, another size, three channels of one, or some of them; "" if these do not.
func (d *Data) fittingFlags(model string, p latent.Preprocessing, input []int) string {
	now := candidate{d.windowOf(model), p.Height, p.Width, p.Channels > 0}
	for _, c := range d.candidates(now, input) {
		if c != now && latent.Fits(d.presented(c), input) {
			return d.flagsFor(model, now, c)
		}
	}
	return ""
}

// candidates are the ways that an input makes likely, fewest changes
// first.
func (d *Data) candidates(now candidate, input []int) []candidate {
	frame, layout := d.States.Row(), d.States.Layout()
	clips := d.States.Window() == 0 && strings.Contains(layout, "T")
	images, n := strings.HasSuffix(layout, "HW"), len(input)
	sizes := [][2]int{{now.height, now.width}}
	if images && n >= 2 && input[n-2] > 0 && input[n-1] > 0 {
		sizes = append(sizes, [2]int{input[n-2], input[n-1]})
	}
	colours := []bool{now.colour}
	if images && !clips && !now.colour && n >= 3 && input[n-3] == 3 && (len(frame) == 2 || frame[0] == 1) {
		colours = []bool{true} // rather than windows of three frames
	}
	windows := []int{now.window}
	if !clips {
		if now.window > 1 {
			windows = append(windows, 1)
		}
		for i, axis := range input {
			if axis > 1 && (!images || i < n-2) && !(colours[0] && axis == 3) {
				windows = append(windows, axis)
			}
		}
	}
	var out []candidate
	for _, colour := range colours {
		for _, size := range sizes {
			for _, window := range windows {
				out = append(out, candidate{window, size[0], size[1], colour})
			}
		}
	}
	return out
}

// presented is the shape of a state as a candidate presents it.
func (d *Data) presented(c candidate) []int {
	shape := d.States.Row()
	if n := len(shape); c.height > 0 && n >= 2 {
		shape[n-2], shape[n-1] = c.height, c.width
	}
	if c.colour {
		shape = append([]int{3}, shape[max(0, len(shape)-2):]...)
	}
	if c.window > 0 {
		shape = append([]int{c.window}, shape...)
	}
	return shape
}

// flagsFor are the flags that change one way into another.
func (d *Data) flagsFor(model string, now, c candidate) string {
	setting := ""
	if len(d.inputs.sources) > 1 {
		setting = run.JoinName(model, "")
	}
	var flags []string
	if c.window != now.window {
		flags = append(flags, fmt.Sprintf("--window %s%d", setting, c.window))
	}
	if c.colour != now.colour {
		flags = append(flags, "--preprocess "+setting+presetImageNet)
		if preset := latent.ImageNet(); now.height == 0 {
			now.height, now.width = preset.Height, preset.Width
		}
	}
	if c.height != now.height || c.width != now.width {
		size := fmt.Sprintf("%dx%d", c.height, c.width)
		if c.height == 0 { // the preset would resize them
			frame := d.States.Row()
			size = fmt.Sprintf("%dx%d", frame[len(frame)-2], frame[len(frame)-1])
		}
		flags = append(flags, "--resize "+setting+size)
	}
	return strings.Join(flags, " ")
}
