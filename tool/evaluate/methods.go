// What --methods says of a study: what was run. How the numbers of each analysis came about
// stands in the result of its task.

package evaluate

import (
	"fmt"
	"slices"

	"repscope/report"
	"repscope/report/methods"
)

// describeMethods says what a study is made of.
func describeMethods(d *methods.Draft) {
	d.Section("Study")
	var datasets, analyses []string
	tasks, _ := d.Result.Extra.Get("tasks")
	list, _ := tasks.([]any)
	lost := 0
	for _, task := range list {
		o, _ := task.(report.Object)
		for _, part := range []struct {
			key string
			to  *[]string
		}{{"dataset", &datasets}, {"analysis", &analyses}} {
			v, _ := o.Get(part.key)
			if name := fmt.Sprint(v); !slices.Contains(*part.to, name) {
				*part.to = append(*part.to, name)
			}
		}
		if state, _ := o.Get("state"); state == string(failed) {
			lost++
		}
	}
	d.Say("The study has the datasets %s and the analyses %s, %d tasks in all, each with its own options and its own text on methods.", methods.Join(datasets), methods.Join(analyses), len(list))
	if lost > 0 {
		d.Say("Of them %d failed.", lost)
	}
}
