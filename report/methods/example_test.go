// Sentences about a result.

package methods_test

import (
	"fmt"
	"strings"

	"repscope/report"
	"repscope/report/methods"
)

// The text takes the values of options from the result, and cites works of the bibliography.
func ExampleOf() {
	file := `{"schema": "repscope/1", "analysis": "neighborhood", "version": "1.0.0", "seed": 42, "options": {"k": [5, 10]}, "models": {"jepa": {"q_local": 0.9}}}`
	result, err := report.ReadFrom("neighborhood.json", strings.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := methods.Of(result, func(d *methods.Draft) {
		d.Section("Measures")
		d.Say("Neighborhoods have k = %s states [@venna2001].", d.List("k"))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.TrimSpace(text.Plain(text.Sections[0])))
	work, _ := methods.Lookup("venna2001")
	fmt.Println(work.Get("year"), work.Get("author"))
	// Output:
	// Neighborhoods have k = 5 and 10 states (Venna & Kaski 2001).
	// 2001 Venna, Jarkko and Kaski, Samuel
}
