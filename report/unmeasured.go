// Models without numbers.

package report

// Unmeasured is a model that a run could not measure, and why.
type Unmeasured struct{ Name, Reason string }

// Object is what stands in the place of the model's numbers in a result: that it is skipped,
// and why.
func (u Unmeasured) Object() Object {
	var o Object
	o.Set("skipped", true)
	o.Set("reason", u.Reason)
	return o
}
