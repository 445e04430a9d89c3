// An example of a file for the Hugging Face Hub.

package export_test

import (
	"bytes"
	"fmt"

	"repscope/report"
	"repscope/report/export"
)

func ExampleEvalResults() {
	r := report.NewResult("walk")
	r.Started = "2026-11-29T10:00:00Z"
	r.Describe(report.Described{Name: "share", Better: report.Higher, High: 1, Headline: true})
	r.Models.Set("a", map[string]any{"share": 0.5})
	var content bytes.Buffer
	if err := r.Write(&content); err != nil {
		fmt.Println(err)
		return
	}
	read, err := report.ReadFrom("walk.json", &content)
	if err != nil {
		fmt.Println(err)
		return
	}
	files, err := export.EvalResults(read, &export.Options{DatasetID: "lab/data", Tasks: map[string]string{"": "walk"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(files[0].Name)
	// Output: a/.eval_results/walk.yaml
}
