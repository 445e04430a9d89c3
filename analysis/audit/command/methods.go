// What --methods says of an audit.

package command

import "repscope/report/methods"

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	d.Section("Independence of the test set")
	d.Say("The distance of each test state to its nearest training state was computed exactly, over all values [@barz2020].")
	if t := d.Number("tolerance"); t > 0 {
		d.Say("States with a root mean squared difference of at most %g of the range of values count as duplicates.", t)
	} else {
		d.Say("Equal states count as duplicates.")
	}
	d.Say("A test state is too near if its nearest training state is nearer than a threshold: at most %g %% of the training states have a "+
		"training state of another episode nearer than that, as in conformal prediction [@bates2023].", 100*d.Number("false-alarm"))
	d.Say("At most %s training states, of whole episodes, gave the threshold.", d.Text("references"))
	if n := d.Number("permutations"); n > 0 {
		d.Say("The drift between parts is the energy distance [@szekely2013], with p values from %g exchanges of whole episodes.", n)
	}
	if part := d.Text("train-part"); part != "" {
		d.Say("The part %s is the training set.", part)
	}
	if way := d.Text("repair"); way == "move" {
		d.Say("A new split gives whole episodes with leaking states to the training set.")
	}
}
