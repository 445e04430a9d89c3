// An example of annotations.

package junit_test

import (
	"fmt"

	"repscope/report/junit"
)

func ExampleAnnotations() {
	checks := []junit.Check{{Name: "mse>5", Failure: "mse of b is worse by 7 %"}}
	for _, line := range junit.Annotations("compare", "compare.json", checks) {
		fmt.Println(line)
	}
	// Output: ::error file=compare.json,title=compare mse>5::mse of b is worse by 7 %25
}
