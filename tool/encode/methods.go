// What --methods says of latents.

package encode

import (
	"repscope/internal/input"
	"repscope/report/methods"
)

// describeMethods says how latents were made.
func describeMethods(d *methods.Draft) {
	input.Methods(d, input.Analyzed(d, "rows"))
	d.Say("Latents are written as %s.", d.Text("dtype"))
	if layers := d.Rows("files", "layer"); len(layers) > 0 {
		d.Say("They are the values of %s.", methods.Join(layers))
	}
}
