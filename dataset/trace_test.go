// Tests of traces: the forms of files, and calls that are seen more than once.

package dataset

import (
	"slices"
	"strings"
	"testing"
)

func TestParseTrace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		steps            int // −1 for none
	}{
		{"names", `["create_frame","create_text","create_text"]`, "create_frame create_text create_text", -1},
		{"objects with names", `[{"name":"a"},{"name":"b","arguments":{}}]`, "a b", -1},
		{"no calls", `[]`, "", -1},
		{"no messages", `{"messages":[],"step_count":0}`, "", 0},
		{"steps alone", `{"step_count":4.0}`, "", 4},
		{"steps are null", `{"messages":[],"step_count":null}`, "", -1},
		{"messages of tools", `{"messages":[{"role":"user","content":"x"},{"role":"tool","name":"a"},{"type":"tool","tool":"b"},
			{"role":"tool","content":{"name":"c"}},{"role":"tool","content":{"data":{"name":"d"}}},{"type":"tool","tool":{"name":"e"}}],"step_count":3}`, "a b c d e", 3},
		{"messages of the assistant", `{"messages":[{"role":"assistant","content":{"text":"x","data":{"tool_calls":[{"name":"a"},{"name":"a"},{"name":"b"}]}}},
			{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"c"}}]},{"role":"assistant","content":{"tool_calls":[{"name":"d"}]}}]}`, "a a b c d", -1},
		{"wrapped", `{"json_response":{"messages":[{"role":"tool","name":"a"}],"step_count":7},"cost":1}`, "a", 7},
		{"wrapped null", `{"json_response":null,"messages":[{"role":"tool","name":"a"}]}`, "a", -1},
		{"snapshots", `{"snapshots":[{"toolResults":[{"name":"a"},{"name":"b"}]},{"toolResults":[]},{"toolResults":[{"name":"a"}]}]}`, "a b a", -1},
		{"one snapshot", `{"toolResults":[{"name":"a"},{"name":"a"}]}`, "a a", -1},
		{"list of messages", `[{"role":"assistant","content":{"data":{"tool_calls":[{"id":"x","name":"a"}]}}},{"role":"tool","tool_call_id":"x"}]`, "a", -1},
		{"a call and its answer by id", `{"messages":[{"role":"assistant","content":{"data":{"tool_calls":[{"id":"1","name":"a"},{"id":"2","name":"b"}]}}},
			{"role":"tool","tool_call_id":"2","name":"b"},{"role":"tool","tool_call_id":"1","name":"a"}]}`, "a b", -1},
		{"the name of an answer is not needed", `{"messages":[{"role":"assistant","content":{"data":{"tool_calls":[{"id":1,"name":"a"}]}}},{"role":"tool","tool_call_id":"1"}]}`, "a", -1},
		{"by name and order", `{"messages":[{"role":"assistant","content":{"data":{"tool_calls":[{"name":"a"},{"name":"b"}]}}},
			{"role":"tool","name":"a"},{"role":"tool","name":"b"},{"role":"tool","name":"a"}]}`, "a b a", -1},
		{"ids that differ are two calls", `{"messages":[{"role":"assistant","tool_calls":[{"id":"1","name":"a"}]},{"role":"tool","tool_call_id":"9","name":"a"}]}`, "a a", -1},
		{"ids of messages are none of calls", `{"messages":[{"role":"assistant","tool_calls":[{"id":"1","name":"a"}]},{"role":"tool","id":"m7","name":"a"}]}`, "a", -1},
		{"an answer that knows no id", `{"messages":[{"role":"tool","name":"a"},{"role":"assistant","tool_calls":[{"id":"1","name":"a"},{"id":"2","name":"a"}]}]}`, "a a", -1},
		{"the same message twice", `{"messages":[{"role":"tool","tool_call_id":"1","name":"a"},{"role":"tool","tool_call_id":"1","name":"a"},{"role":"tool","name":"a"},{"role":"tool","name":"a"}]}`, "a a a", -1},
		{"all three ways", `{"messages":[{"role":"assistant","tool_calls":[{"id":"1","name":"a"},{"id":"2","name":"a"}]},{"role":"tool","tool_call_id":"2","content":{}},{"role":"tool","tool_call_id":"1"}],
			"snapshots":[{"toolResults":[{"name":"a"}]},{"toolResults":[{"name":"a"},{"name":"b"}]}],"step_count":2}`, "a a b", 2},
		{"a bounded number", `{"messages":[{"role":"tool","name":"a","content":{"big":NaN}}]}`, "a", -1},
	} {
		trace, err := ParseTrace("t.json", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		steps := -1
		if trace.Steps != nil {
			steps = *trace.Steps
		}
		if want := strings.Fields(c.want); !slices.Equal(trace.Calls, want) || steps != c.steps {
			t.Errorf("%s: %v in %d steps, want %v in %d", c.name, trace.Calls, steps, want, c.steps)
		}
	}
}

func TestBadTraces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{``, "it is empty"}, {`"a"`, `found a string, want "messages"`}, {`{}`, `found an object without them, want "messages"`},
		{`{"json_response":[]}`, `"json_response" is a list, want an object`}, {`{"json_response":{"cost":1}}`, "found an object without them"},
		{`{"messages":{}}`, `"messages" is an object, want a list`}, {`{"messages":[3]}`, `item 0 of "messages" is a number, want an object or the name of a tool`},
		{`{"messages":[{"role":"tool"}]}`, `item 0 of "messages" has no name of a tool`},
		{`{"messages":[{"tool_calls":[{}]}]}`, `item 0 of the tool_calls of item 0 of "messages" has no name of a tool`},
		{`{"messages":[{"tool_calls":7}]}`, `the tool_calls of item 0 of "messages" is a number, want a list`},
		{`{"messages":[{"tool_calls":[7]}]}`, "is a number, want an object with a name"}, {`{"toolResults":["a"]}`, `item 0 of "toolResults" is a string, want an object`},
		{`{"toolResults":[{"name":""}]}`, `item 0 of "toolResults" has no name`}, {`{"step_count":-1}`, `"step_count" is not a whole number`}, {`{"step_count":"3"}`, `"step_count" is not a whole`},
		{`{"step_count":2.5}`, `"step_count" is not a whole`}, {`{"step_count":NaN}`, `"step_count" is not a whole`}, {`{"messages":[{"role":"tool"`, "truncated: the JSON text ends"},
		{`["a"] b`, "after the end"}, {`[[]]`, "item 0 of the list is a list, want"}, {`[""]`, "item 0 of the list has no name"},
	} {
		trace, err := ParseTrace("some/t.json", []byte(c.text))
		if err == nil || trace != nil || !strings.HasPrefix(err.Error(), "some/t.json: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// Many calls take no more than their number: 20,000 of one name with ids of their own, each in
// two ways that do not agree.
func TestLongTrace(t *testing.T) {
	t.Parallel()
	const n = 20_000
	text := `{"messages":[` + strings.Repeat(`{"role":"tool","name":"a"},`, n) + `{"role":"user"}],"toolResults":[` + strings.Repeat(`{"name":"a"},`, n) + `{"name":"b"}]}`
	trace, err := ParseTrace("t.json", []byte(text))
	if err != nil || len(trace.Calls) != n+1 {
		t.Errorf("%v", err)
	}
}

func FuzzParseTrace(f *testing.F) {
	for _, text := range []string{
		`["a","b"]`, `{"json_response":{"messages":[{"role":"assistant","content":{"data":{"tool_calls":[{"id":"1","name":"a"}]}}},{"role":"tool","tool_call_id":"1"}],"step_count":1}}`,
		`{"snapshots":[{"toolResults":[{"name":"a"}]}]}`, `{"toolResults":[{"id":3,"name":"a"}],"step_count":2}`, `[{"type":"tool","tool":{"name":"x"},"content":{"id":"7"}}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := ParseTrace("t.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.json: ") {
				t.Errorf("%v", err)
			}
			return
		}
		if slices.Contains(trace.Calls, "") || trace.Steps != nil && *trace.Steps < 0 {
			t.Errorf("%+v", trace)
		}
	})
}
