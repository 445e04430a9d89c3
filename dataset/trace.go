// Traces of tools: what an agent called while it made a design.

package dataset

import (
	"fmt"
	"math"
)

// Trace is what an agent called, in its order, each call once.
type Trace struct {
	Calls []string // names of tools
	Steps *int     // step_count of the file; nil where it is missing
}

// traceForms are what a file may be.
const traceForms = `want "messages", "snapshots", "toolResults" or a list of names`

// ParseTrace reads a trace in data; name is that of the file, for errors. It is an object, or
// one under "json_response", with any of
//
//	messages    a list; messages of the role or type "tool" are calls, by name, tool,
//	            content.name or content.data.name; others list theirs in tool_calls of the
//	            message, its content or content.data
//	snapshots   a list of objects with toolResults, a list of objects with a name
//	toolResults the same of one snapshot
//	step_count  a whole number
//
// or a list of names of tools, or of messages. A call that is seen in several of these ways
// counts once: those of one id are one, and where one of them has none, the first of a name in
// one way is the first of this name in another. Errors: no JSON; none of the forms; values of
// the wrong type; calls without a name.
func ParseTrace(name string, data []byte) (*Trace, error) {
	r := &traceReader{jsonText: newJSONText(data), byID: map[string]int{}, free: map[freeCall][]int{}}
	start := r.at
	r.skip()
	r.end()
	if r.err == nil {
		r.at = start
		r.read()
	}
	if r.err != nil {
		return nil, fmt.Errorf("%s: %w", name, r.err)
	}
	t := &Trace{Calls: make([]string, len(r.calls)), Steps: r.steps}
	for i := range r.calls {
		t.Calls[i] = r.calls[i].name
	}
	return t, nil
}

// traceWay is a way in which a file tells of calls.
type traceWay uint8

const (
	calledByAssistant traceWay = iota // tool_calls
	answeredByTool                    // messages of tools
	shownInSnapshot                   // toolResults
	traceWays
)

// traceCall is a call.
type traceCall struct {
	name  string
	id    string
	own   bool // the id is that of the call, not perhaps that of a message about it
	known [traceWays]bool
}

// freeCall is what calls wait under that one of the ways has not told of.
type freeCall struct {
	way  traceWay
	name string
	own  bool // as of the call
}

// traceReader reads a trace.
type traceReader struct {
	*jsonText
	calls []traceCall
	byID  map[string]int
	free  map[freeCall][]int // calls that another way told of, in order
	steps *int
}

// read reads any of the forms. That the text is JSON is known.
func (r *traceReader) read() {
	switch kind := r.kind(); kind {
	case jsonList:
		r.list("the list", r.message)
	case jsonObject:
		at := r.at
		f := r.fields("json_response")
		if inner, ok := f["json_response"]; ok {
			r.at = inner
			if kind := r.kind(); kind != jsonObject {
				r.fail(`"json_response" is %s, want an object`, kind)
				return
			}
			at = inner
		}
		r.at = at
		r.object()
	default:
		r.fail("found %s, %s", kind, traceForms)
	}
}

// object reads messages, snapshots and the number of steps.
func (r *traceReader) object() {
	at := r.at
	f := r.fields("messages", "snapshots", "toolResults", "step_count")
	if len(f) == 0 {
		r.at = at
		r.fail("found an object without them, %s", traceForms)
		return
	}
	if at, ok := f["messages"]; ok {
		r.at = at
		r.list(`"messages"`, r.message)
	}
	if at, ok := f["snapshots"]; ok {
		r.at = at
		r.list(`"snapshots"`, r.message)
	}
	if at, ok := f["toolResults"]; ok {
		r.at = at
		r.list(`"toolResults"`, r.result)
	}
	if at, ok := f["step_count"]; ok {
		r.at = at
		kind := r.kind()
		v := math.NaN()
		if kind == jsonNumber {
			v = r.float()
		}
		if v != math.Trunc(v) || v < 0 || v > 1<<53 {
			r.at = at
			r.fail(`"step_count" is not a whole number of at least 0`)
			return
		}
		steps := int(v)
		r.steps = &steps
	}
}

// list reads the items of a list.
func (r *traceReader) list(what string, item func(what string)) {
	if kind := r.kind(); kind != jsonList {
		r.fail("%s is %s, want a list", what, kind)
		return
	}
	i := 0
	for begun := false; r.element(&begun); i++ {
		from := r.at
		item(fmt.Sprintf("item %d of %s", i, what))
		if r.err != nil {
			return
		}
		r.at = from
		r.skip()
	}
}

// message reads a message or a snapshot, or the name of a tool.
func (r *traceReader) message(what string) {
	kind := r.kind()
	if kind == jsonString {
		r.call(calledByAssistant, what, r.text(), "", false)
		return
	}
	if kind != jsonObject {
		r.fail("%s is %s, want an object or the name of a tool", what, kind)
		return
	}
	at := r.at
	f := r.fields("role", "type", "toolResults", "tool_calls", "content", "name")
	if at, ok := f["toolResults"]; ok {
		r.at = at
		r.list("the toolResults of "+what, r.result)
		return
	}
	if r.string(f, "role") == "tool" || r.string(f, "type") == "tool" {
		r.at = at
		r.answer(what)
		return
	}
	_, named := f["name"]
	_, role := f["role"]
	_, kindOf := f["type"]
	if named && !role && !kindOf {
		r.at = at
		r.result(what)
		return
	}
	r.toolCalls(f, what)
	if content, ok := r.inside(f, "content", "tool_calls", "data"); ok {
		r.toolCalls(content, what)
		if data, ok := r.inside(content, "data", "tool_calls"); ok {
			r.toolCalls(data, what)
		}
	}
}

// toolCalls reads the calls of an assistant's message, if it has any.
func (r *traceReader) toolCalls(f map[string]int, what string) {
	if at, ok := f["tool_calls"]; ok {
		r.at = at
		r.list("the tool_calls of "+what, func(what string) {
			if kind := r.kind(); kind != jsonObject {
				r.fail("%s is %s, want an object with a name", what, kind)
				return
			}
			call := r.fields("id", "name", "function")
			name := r.string(call, "name")
			if function, ok := r.inside(call, "function", "name"); ok && name == "" {
				name = r.string(function, "name")
			}
			r.call(calledByAssistant, what, name, r.string(call, "id"), true)
		})
	}
}

// answer reads a message of a tool.
func (r *traceReader) answer(what string) {
	f := r.fields("name", "tool", "content", "tool_call_id", "toolCallId", "id")
	name := r.string(f, "name")
	if tool, ok := r.inside(f, "tool", "name"); ok && name == "" {
		name = r.string(tool, "name")
	} else if name == "" {
		name = r.string(f, "tool")
	}
	id, own := r.identity(f)
	if content, ok := r.inside(f, "content", "name", "data", "tool_call_id", "toolCallId", "id"); ok {
		if name == "" {
			name = r.string(content, "name")
		}
		if !own {
			if inner, sure := r.identity(content); sure || id == "" {
				id, own = inner, sure
			}
		}
		if data, ok := r.inside(content, "data", "name", "tool_call_id", "toolCallId", "id"); ok {
			if name == "" {
				name = r.string(data, "name")
			}
			if inner, sure := r.identity(data); !own && (sure || id == "") {
				id, own = inner, sure
			}
		}
	}
	r.call(answeredByTool, what, name, id, own)
}

// result reads what a tool returned in a snapshot.
func (r *traceReader) result(what string) {
	if kind := r.kind(); kind != jsonObject {
		r.fail("%s is %s, want an object with a name", what, kind)
		return
	}
	f := r.fields("name", "tool_call_id", "toolCallId", "id")
	id, own := r.identity(f)
	r.call(shownInSnapshot, what, r.string(f, "name"), id, own)
}

// identity is the id of a call among the members of an object, and whether it surely is one.
func (r *traceReader) identity(f map[string]int) (id string, own bool) {
	for _, key := range []string{"tool_call_id", "toolCallId"} {
		if id := r.string(f, key); id != "" {
			return id, true
		}
	}
	return r.string(f, "id"), false
}

// string is the text under a key, empty where there is none. Ids may be numbers.
func (r *traceReader) string(f map[string]int, key string) string {
	at, ok := f[key]
	if !ok {
		return ""
	}
	r.at = at
	switch r.kind() {
	case jsonString:
		return r.text()
	case jsonNumber:
		return string(r.number())
	}
	return ""
}

// inside returns the members of the object under a key, if there is one.
func (r *traceReader) inside(f map[string]int, key string, names ...string) (map[string]int, bool) {
	at, ok := f[key]
	if !ok {
		return nil, false
	}
	r.at = at
	if r.kind() != jsonObject {
		return nil, false
	}
	return r.fields(names...), true
}

// call enters what was seen of a call; only its id can stand for its name.
func (r *traceReader) call(way traceWay, what, name, id string, own bool) {
	if _, known := r.byID[id]; name == "" && (id == "" || !known) {
		r.fail("%s has no name of a tool", what)
		return
	}
	r.enter(way, name, id, own)
}

// enter adds a call that was not seen before.
func (r *traceReader) enter(way traceWay, name, id string, own bool) {
	if r.err != nil {
		return
	}
	i, found := -1, false
	if id != "" {
		i, found = r.byID[id]
	}
	if !found {
		i, found = r.waiting(way, name, own)
	}
	if !found {
		i = len(r.calls)
		r.calls = append(r.calls, traceCall{name: name, id: id, own: own})
		for other := range traceWays {
			if other != way {
				r.wait(freeCall{other, name, own}, i)
			}
		}
	}
	r.calls[i].known[way] = true
	if id != "" {
		r.byID[id] = i
		r.calls[i].own = r.calls[i].own || own
	}
}

// wait enters a call that one of the ways has not told of.
func (r *traceReader) wait(key freeCall, i int) { r.free[key] = append(r.free[key], i) }

// waiting finds the first call of a name that other ways have told of, and this one not. Two
// that surely have ids of their own are two.
func (r *traceReader) waiting(way traceWay, name string, own bool) (int, bool) {
	loose, sure := freeCall{way, name, false}, freeCall{way, name, true}
	for len(r.free[loose]) > 0 {
		i := r.free[loose][0]
		if c := &r.calls[i]; c.own && !c.known[way] { // learned since
			r.wait(sure, i)
		} else if !c.known[way] {
			break
		}
		r.free[loose] = r.free[loose][1:]
	}
	for len(r.free[sure]) > 0 && r.calls[r.free[sure][0]].known[way] {
		r.free[sure] = r.free[sure][1:]
	}
	a, b := r.free[loose], r.free[sure]
	switch {
	case len(b) > 0 && !own && (len(a) == 0 || b[0] < a[0]):
		return b[0], true
	case len(a) > 0:
		return a[0], true
	}
	return 0, false
}
