// Tests of traces: the forms of files, and calls that are seen more than once.

package casefile

import (
	"slices"
	"strings"
	"testing"
)

func TestParseTraces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		steps            int // −1 for none
	}{
		{"names", `["create_frame","create_text","create_text"]`, "create_frame create_text create_text", -1},
		{"objects with names", `[{"name":"a"},{"name":"b","arguments":{}}]`, "a b", -1},
		{"no calls", `[]`, "", -1},
		{"no messages", `{"messages":[],"step_count":0}`, "", 0},
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
		trace, err := ParseTraces(TraceFile{"t.json", []byte(c.text)})
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

// TestTraceLayouts: how models, programs around them and people write the calls a and b.
func TestTraceLayouts(t *testing.T) {
	t.Parallel()
	const a, b = `{"name":"a","arguments":{"name":"x","tool_calls":[{"name":"no"}]}}`, `{"name":"b"}`
	for name, text := range map[string]string{
		"calls beside a count":        `{"step_count":2,"tool_calls":[` + a + `,` + b + `]}`,
		"calls by names":              `{"tool_calls":["a","b"]}`,
		"calls":                       `{"calls":[{"tool":"a"},{"tool":{"name":"b"}}]}`,
		"actions":                     `{"actions":[{"action":"a","action_input":{}},{"type":"b","x":3,"name":"b"}]}`,
		"steps that are calls":        `[{"step":1,"tool":"a","args":{}},{"step":2,"action":"b","result":{"messages":[]}}]`,
		"steps with calls":            `{"steps":[{"name":"draw","tool_calls":[` + a + `]},{"calls":["b"]},{"text":"done"}]}`,
		"steps with results":          `{"steps":[{"tool":"a","tool_results":[{"name":"a"}]},{"tool":"b"}]}`,
		"one call":                    `{"steps":[{"tool_call":` + a + `},{"function_call":` + b + `}]}`,
		"a trajectory":                `{"trajectory":[{"thought":"t","action":"a","observation":"o"},{"thought":"t","action":{"name":"b"}}]}`,
		"pairs":                       `{"intermediate_steps":[[{"tool":"a","tool_input":"x","log":"l"},"seen"],[{"tool":"b","tool_input":{}},{"ok":true}]]}`,
		"OpenAI chat":                 `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"ok"},{"role":"assistant","function_call":{"name":"b","arguments":"{}"}},{"role":"function","name":"b","content":"ok"}]}`,
		"OpenAI chat answer":          `{"object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"2","function":{"name":"b"}}]}}],"usage":{"prompt_tokens":3}}`,
		"OpenAI responses":            `{"object":"response","output":[{"type":"reasoning","id":"r"},{"type":"function_call","id":"f1","call_id":"c1","name":"a","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"ok"},{"type":"function_call","id":"f2","call_id":"c2","name":"b","arguments":"{}"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}],"tools":[{"type":"function","name":"a"},{"type":"function","name":"z"}]}`,
		"OpenAI input":                `{"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"c1","name":"a","arguments":"{}"},{"type":"custom_tool_call","call_id":"c2","name":"b","input":"x"}]}`,
		"OpenAI run steps":            `{"object":"list","data":[{"type":"tool_calls","step_details":{"type":"tool_calls","tool_calls":[{"id":"1","type":"function","function":{"name":"a"}},{"id":"2","type":"function","function":{"name":"b"}}]}},{"type":"message_creation","step_details":{"type":"message_creation","message_creation":{"message_id":"m"}}}]}`,
		"Anthropic":                   `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool_use","id":"t1","name":"a","input":{"name":"q"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"ok"}]}]},{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"b","input":{}}]}]}`,
		"Anthropic answer":            `{"id":"m","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}},{"type":"server_tool_use","id":"t2","name":"b","input":{}},{"type":"web_search_tool_result","tool_use_id":"t2","content":[]}],"stop_reason":"tool_use"}`,
		"Bedrock":                     `{"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"a","input":{}}},{"toolUse":{"toolUseId":"2","name":"b","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[]}},{"toolResult":{"toolUseId":"2"}}]}]}`,
		"Gemini":                      `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"a","args":{"name":"z"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"calls":["z"]}}}]},{"role":"model","parts":[{"function_call":{"name":"b","args":{}}}]}]}`,
		"Gemini answer":               `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}},{"functionCall":{"name":"b","args":{}}}]},"finishReason":"STOP"}],"usageMetadata":{"toolUsePromptTokenCount":3}}`,
		"Vercel":                      `{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"a","args":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"a","result":3}]},{"role":"assistant","parts":[{"type":"step-start"},{"type":"tool-b","toolCallId":"2","state":"output-available","input":{}}]}]}`,
		"Vercel steps":                `{"steps":[{"toolCalls":[{"toolCallId":"1","toolName":"a","args":{}}],"toolResults":[{"toolCallId":"1","toolName":"a","result":1}]},{"toolCalls":[{"toolCallId":"2","toolName":"b"}]}]}`,
		"Vercel invocations":          `{"messages":[{"role":"assistant","content":"","toolInvocations":[{"state":"result","toolCallId":"1","toolName":"a"}],"parts":[{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"1","toolName":"a"}},{"type":"tool-invocation","toolInvocation":{"toolCallId":"2","toolName":"b"}}]}]}`,
		"LangChain":                   `{"messages":[{"type":"human","content":"x"},{"type":"ai","content":"","tool_calls":[{"name":"a","args":{},"id":"1","type":"tool_call"}],"additional_kwargs":{"tool_calls":[{"id":"1","type":"function","function":{"name":"a"}}]}},{"type":"tool","name":"a","tool_call_id":"1","content":"ok"},{"type":"ai","tool_calls":[{"name":"b","args":{},"id":"2"}]}]}`,
		"LangChain as it is stored":   `[{"lc":1,"type":"constructor","id":["x","AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"a","args":{},"id":"1"},{"name":"b","args":{},"id":"2"}]}}]`,
		"events":                      `{"events":[{"event":"on_chat_model_start","name":"m"},{"event":"on_tool_start","name":"a","data":{"input":{}}},{"event":"on_tool_end","name":"a","data":{}},{"event":"on_tool_start","name":"b"}]}`,
		"Model Context Protocol":      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"b\"}}",
		"lines of calls":              "{\"tool\":\"a\"}\n{\"tool\":\"b\"}\n",
		"lines of messages":           "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"a\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"2\",\"name\":\"b\",\"input\":{}}]}}\r\n\n{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"1\"}]}}",
		"messages, and their calls":   `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{}}]},{"role":"assistant","tool_calls":[{"name":"b"}]}],"tool_calls":[{"name":"a"},{"name":"b"}]}`,
		"messages, and their steps":   `{"messages":[{"role":"assistant","tool_calls":[{"name":"a"}]},{"role":"tool","name":"a"},{"role":"assistant","tool_calls":[{"name":"b"}]}],"steps":[{"tool":"a"},{"tool":"b"}]}`,
		"an answer around the answer": `{"id":"batch","response":{"status_code":200,"body":{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a"}},{"id":"2","function":{"name":"b"}}]}}]}}}`,
	} {
		trace, err := ParseTraces(TraceFile{"t.json", []byte(text)})
		if err != nil || !slices.Equal(trace.Calls, []string{"a", "b"}) || trace.Untold != "" {
			t.Errorf("%s: %+v, %v", name, trace, err)
		}
	}
}

// TestNoCalls: a file in which nothing was called has 0 calls; one that may tell of calls in another way has none that
// are known.
func TestNoCalls(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`[]`, `{"messages":[],"step_count":2}`, `{"tool_calls":[]}`, `{"steps":[]}`, `{"toolResults":[],"image":"x.png"}`,
		`{"messages":[{"role":"user","content":"call the tool"},{"role":"assistant","content":[{"type":"text","text":"no"}],"usage":{"tool_tokens":3}}]}`,
		`{"messages":[{"role":"system","content":"x"},{"role":"assistant","content":"x"}],"tools":[{"name":"a"}],"tool_choice":"auto"}`,
		`{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"},"finishReason":"STOP"}]}`,
	} {
		if trace, err := ParseTraces(TraceFile{"t.json", []byte(text)}); err != nil || len(trace.Calls) != 0 || trace.Untold != "" {
			t.Errorf("%s: %+v, %v, want no calls", text, trace, err)
		}
	}
	for text, want := range map[string]string{
		`{"messages":[{"role":"assistant","blocks":[{"kind":"tool","name":"a"}]}]}`: `"blocks" of item 0 of "messages"`,
		`{"messages":[{"role":"assistant","content":"x","tool_names":["a"]}]}`:      `"tool_names" of item 0 of "messages"`,
		`{"messages":[{"role":"assistant","extra":{"used":{"my_tool":1}}}]}`:        `"extra" of item 0 of "messages"`,
		`[{"op":"a"},{"op":"b"}]`:                   `item 0 of the list`,
		`[{"step":1,"type":"a","x":3}]`:             `item 0 of the list`,
		`{"steps":[{"step":1,"do":"a"}]}`:           `item 0 of "steps"`,
		"{\"op\":\"a\"}\n{\"op\":\"b\"}":            `value 0 of the file`,
		`{"step_count":3,"ops":[{"op":"a"}]}`:       `"ops" of the file`,
		`{"messages":[],"executed":[{"name":"a"}]}`: `"executed" of the file`,
		`{"cost":3}`: "found an object without them",
	} {
		if trace, err := ParseTraces(TraceFile{"t.json", []byte(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", text, trace, err, want)
		}
	}
	trace, err := ParseTraces(TraceFile{"t.json", []byte(`{"step_count":4.0}`)})
	if err != nil || trace.Untold == "" || trace.Steps == nil || *trace.Steps != 4 {
		t.Errorf("steps alone: %+v, %v", trace, err)
	}
}

// TestTraceFiles: what tools returned in the steps on the way is in files of their own.
func TestTraceFiles(t *testing.T) {
	t.Parallel()
	response := TraceFile{"r.json", []byte(`{"json_response":{"messages":[{"role":"assistant","tool_calls":[{"name":"a"},{"name":"b"}]}],"step_count":7}}`)}
	one, two := TraceFile{"1.json", []byte(`{"toolResults":[{"name":"a"}]}`)}, TraceFile{"2.json", []byte(`{"toolResults":[{"name":"b"},{"name":"b"}]}`)}
	for want, files := range map[string][]TraceFile{"a b b": {response, one, two}, "a b": {response, one}, "b b a": {two, one}} {
		trace, err := ParseTraces(files...)
		if err != nil || strings.Join(trace.Calls, " ") != want || (trace.Steps != nil) != (len(files[0].Name) == len("r.json")) && files[0].Name == "r.json" {
			t.Errorf("%v: %+v, %v", want, trace, err)
		}
	}
	if _, err := ParseTraces(one, TraceFile{"bad.json", []byte("{")}); err == nil || !strings.HasPrefix(err.Error(), "bad.json: ") {
		t.Errorf("error %v", err)
	}
}

// TestDeepTrace: messages in messages end where nobody writes them, in no time.
func TestDeepTrace(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: a large file")
	}
	for _, open := range []string{`{"message":`, `[`, `{"content":[`, `{"tool_calls":[{"function":`} {
		text := `{"messages":[` + strings.Repeat(open, 100_000)
		if _, err := ParseTraces(TraceFile{"t.json", []byte(text)}); err == nil {
			t.Errorf("%s…: no error", open)
		}
		shut := strings.NewReplacer("{", "}", "[", "]", `"message":`, "", `"content":`, "", `"tool_calls":`, "", `"function":`, "").Replace(open)
		runes := []rune(shut)
		slices.Reverse(runes)
		if _, err := ParseTraces(TraceFile{"t.json", []byte(text + "3" + strings.Repeat(string(runes), 100_000) + `]}`)}); err == nil {
			t.Errorf("%s…: no error", open)
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
		trace, err := ParseTraces(TraceFile{"some/t.json", []byte(c.text)})
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
	trace, err := ParseTraces(TraceFile{"t.json", []byte(text)})
	if err != nil || len(trace.Calls) != n+1 {
		t.Errorf("%v", err)
	}
}

func FuzzParseTraces(f *testing.F) {
	for _, text := range []string{
		`["a","b"]`, `{"json_response":{"messages":[{"role":"assistant","content":{"data":{"tool_calls":[{"id":"1","name":"a"}]}}},{"role":"tool","tool_call_id":"1"}],"step_count":1}}`,
		`{"snapshots":[{"toolResults":[{"name":"a"}]}]}`, `{"toolResults":[{"id":3,"name":"a"}],"step_count":2}`, `[{"type":"tool","tool":{"name":"x"},"content":{"id":"7"}}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := ParseTraces(TraceFile{"t.json", data})
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
