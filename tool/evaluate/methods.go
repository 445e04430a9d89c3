// The text of --methods of a study: its datasets, analyses and tasks. The folder of each task has the text on its numbers.

package evaluate

import (
	"fmt"
	"slices"

	"repscope/internal/text"
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
	d.Say("The study has %s: the datasets are %s, the analyses %s. Each task has its own options and its own text on methods.",
		text.Count(len(list), "task"), methods.Join(datasets), methods.Join(analyses))
	if lost > 0 {
		d.Say("Of them %d failed.", lost)
	}
}
