// Traces of tools: the calls of an agent during a design.

package casefile

import (
	"fmt"
)

// Trace is the calls of an agent, in its order, each call once.
type Trace struct {
	Calls []string // names of tools
	Steps *int     // step_count of the file, or the number of its steps; nil without either
	// Untold explains why no calls are known, for a file with other contents only; empty if they are known.
	Untold string
}

// TraceFile is a file of a trace. Name is used in error messages.
type TraceFile struct {
	Name string
	Data []byte
}

// ParseTraces reads a trace from a file, or from several, such as a response and the tool results of its steps, each
// call once. A file is JSON, or several values that follow each other (lines of JSON), in any of these layouts, also
// below "json_response", "response", "choices", "message" and the like:
//
//	messages     a list: messages of the role or type "tool" identify calls by name, tool, content.name or
//	             content.data.name; others list theirs in tool_calls, function_call, or as blocks of
//	             content or parts (tool_use, function_call, functionCall, tool-call, toolUse …)
//	steps        a list, also under trajectory, events …: each is a call (tool, action, name with arguments) or has any
//	             of the keys of messages
//	tool_calls   a list of calls: names, or objects with a name; also calls, actions, function_calls …
//	snapshots    a list of objects with toolResults, a list of objects with a name
//	toolResults  the same of one snapshot
//	step_count   a whole number
//
// or a list of names of tools, of calls, of steps or of messages. Results refer to calls by their ids. A call that
// occurs in several of these ways counts once. Calls with equal ids are one. If one of them has no id, the first call
// of a name in one way is the first of this name in another. Errors: no JSON; an unknown layout, such as a file without
// any recognized call but with a key that may hold some; values of the wrong type; calls without a name.
func ParseTraces(files ...TraceFile) (*Trace, error) {
	r := &traceReader{byID: map[string]int{}, free: map[freeCall][]int{}}
	for _, f := range files {
		if r.file(f.Data); r.err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, r.err)
		}
	}
	t := &Trace{Calls: make([]string, len(r.calls)), Steps: r.steps}
	for i := range r.calls {
		t.Calls[i] = r.calls[i].name
	}
	if len(t.Calls) == 0 {
		t.Untold = r.untold
	}
	return t, nil
}

// file reads all values of a file.
func (r *traceReader) file(data []byte) {
	r.jsonText, r.odd, r.told = newJSONText(data), "", 0
	var values []int
	for r.err == nil && (len(values) == 0 || r.at < len(data) && (data[r.at] == '{' || data[r.at] == '[')) {
		values = append(values, r.at)
		r.skip()
		r.space()
	}
	r.end()
	for i, offset := range values {
		if r.err != nil {
			return
		}
		s := traceScope{what: "the file", way: calledByAssistant}
		if len(values) > 1 {
			s.what, s.depth = fmt.Sprintf("value %d of the file", i), 1
		}
		r.at = offset
		r.read(s)
	}
	if r.err == nil && r.told == 0 && r.odd != "" {
		r.err = fmt.Errorf("no call found: %s is not in a known layout: %s", r.odd, traceForms)
	}
}

// traceWay is a way in which a file lists calls.
type traceWay uint8

const (
	inherited         traceWay = iota // the way of the parent
	calledByAssistant                 // messages
	answeredByTool                    // messages of tools
	shownInSnapshot                   // toolResults
	toldInSteps                       // steps
	listedAlone                       // tool_calls next to messages
	traceWays
)

// traceCall is a call.
type traceCall struct {
	name  string
	id    string
	own   bool // the id belongs to the call, not perhaps to a message about it
	known [traceWays]bool
}

// freeCall is the key of calls that one of the ways has not listed yet.
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
	free  map[freeCall][]int // calls listed in another way, in order
	steps *int

	told   int    // calls of the current file, including ones listed in other files
	known  bool   // the layout of the value that is read
	odd    string // unread contents that may hold calls
	untold string // see Trace
}

// string is the text under a key, empty where there is none. Ids may be numbers.
func (r *traceReader) string(f map[string]int, key string) string {
	offset, ok := f[key]
	if !ok {
		return ""
	}
	r.at = offset
	switch r.kind() {
	case jsonString:
		return r.text()
	case jsonNumber:
		return string(r.number())
	}
	return ""
}

// inside returns the members of the object under a key, if there is one.
func (r *traceReader) inside(f map[string]int, key string) (map[string]int, bool) {
	offset, ok := f[key]
	if !ok {
		return nil, false
	}
	r.at = offset
	if r.kind() != jsonObject {
		return nil, false
	}
	return r.members(), true
}

// call records a call; only its id can replace its name.
func (r *traceReader) call(s traceScope, name, id string, certain bool) {
	if _, known := r.byID[id]; name == "" && (id == "" || !known) {
		r.fail("%s has no name of a tool", s.what)
		return
	}
	r.told, r.known = r.told+1, true
	r.enter(s.way, name, id, certain)
}

// enter adds a call that was not seen before.
func (r *traceReader) enter(way traceWay, name, id string, certain bool) {
	if r.err != nil {
		return
	}
	i, ok := -1, false
	if id != "" {
		i, ok = r.byID[id]
	}
	if !ok {
		i, ok = r.waiting(way, name, certain)
	}
	if !ok {
		i = len(r.calls)
		r.calls = append(r.calls, traceCall{name: name, id: id, own: certain})
		for other := calledByAssistant; other < traceWays; other++ {
			if other != way {
				r.wait(freeCall{other, name, certain}, i)
			}
		}
	}
	r.calls[i].known[way] = true
	if id != "" {
		r.byID[id] = i
		r.calls[i].own = r.calls[i].own || certain
	}
}

// wait records a call that one of the ways has not listed.
func (r *traceReader) wait(key freeCall, i int) { r.free[key] = append(r.free[key], i) }

// waiting finds the first call of a name that other ways have listed, and this one has not. Two calls with certain ids
// of their own are two.
func (r *traceReader) waiting(way traceWay, name string, certain bool) (int, bool) {
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
	case len(b) > 0 && !certain && (len(a) == 0 || b[0] < a[0]):
		return b[0], true
	case len(a) > 0:
		return a[0], true
	}
	return 0, false
}
