// The methods of any result in words.

package suite

import (
	"bytes"
	"fmt"

	"repscope/report"
	"repscope/report/methods"
)

// Methods says in words, with references, how the numbers of a result file were computed;
// name stands for it in errors. Errors: of [report.ReadFrom] and [methods.Of], and an
// analysis that is not in the suite.
func Methods(name string, file []byte) (*methods.Text, error) {
	r, err := report.ReadFrom(name, bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	e, ok := Find(r.Analysis)
	if !ok {
		return nil, fmt.Errorf("%s: its analysis %q is not part of the suite", name, r.Analysis)
	}
	text, err := e.MethodsOf(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}
