// An example of a trace.

package casefile_test

import (
	"fmt"
	"log"

	"repscope/dataset/casefile"
)

// The tools that an agent called, from messages in the layout of OpenAI.
func ExampleParseTraces() {
	const text = `[{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "create_frame"}},
		{"id": "2", "function": {"name": "set_text"}}]}, {"role": "tool", "tool_call_id": "1", "content": "done"}]`
	trace, err := casefile.ParseTraces(casefile.TraceFile{Name: "response.json", Data: []byte(text)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trace.Calls)
	// Output: [create_frame set_text]
}
