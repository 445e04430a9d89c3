// What encoders and neighbor searches run on.

package input

import (
	"repscope/internal/device"
	"repscope/internal/run"
	"repscope/model"
)

// Device returns what --device names, in use until the end of the run. It is taken
// into use when it is first asked for, so that a run without encoders needs none.
func (d *Data) Device() (*model.Backend, error) {
	if d.device != nil {
		return d.device, nil
	}
	opened, note, err := device.Open(d.Options.Device)
	if err != nil {
		return nil, run.Hint(err, "use --device cpu, or auto")
	}
	if note != "" {
		d.env.Note("%s", note)
	}
	d.device = &model.Backend{Device: opened, Precision: d.Options.Precision, Note: func(text string) { d.env.Note("%s", text) }}
	if opened != nil {
		d.env.CloseLater(opened)
		d.env.Result.Device, d.env.Result.Precision = opened.String(), d.Options.Precision
		d.env.Note("on %v, encoders in %s", opened, d.Options.Precision)
	}
	return d.device, nil
}
