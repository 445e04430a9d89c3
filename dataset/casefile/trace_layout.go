// The layouts in which traces of tools are written.

package casefile

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// traceForms are the layouts of a file.
const traceForms = `want "messages", "steps", "tool_calls", "snapshots", "toolResults" or a list of calls`

// traceKey is a key whose value lists calls.
type traceKey struct {
	name string
	form traceForm
	way  traceWay
	list bool // anything but a list is an error
	loud bool // a text in the list is the name of a tool
	// alone says that the key has other uses in other files: it is read only if an object has none of the other keys.
	alone bool
}

// traceForm is the form of the value of a key.
type traceForm uint8

const (
	traceItems   traceForm = iota // messages, steps, events or blocks, one or a list
	traceCalls                    // a list of calls
	traceOne                      // a call
	traceResults                  // results of tools, one or a list
)

// traceKeys are the keys that are read, in the order in which they are.
var traceKeys = slices.Concat(
	keysAs(traceKey{way: calledByAssistant, list: true, loud: true}, "messages"),
	keysAs(traceKey{way: calledByAssistant}, "contents", "candidates", "choices"),
	keysAs(traceKey{}, "message", "content", "parts", "step_details", "kwargs", "additional_kwargs"),
	keysAs(traceKey{form: traceCalls, list: true, loud: true}, "tool_calls", "toolCalls", "tool_uses", "toolUses", "function_calls",
		"functionCalls"),
	keysAs(traceKey{form: traceCalls, loud: true}, "calls", "actions", "invocations", "tool_invocations", "toolInvocations"),
	keysAs(traceKey{form: traceOne}, "tool_call", "toolCall", "tool_use", "toolUse", "function_call", "functionCall", "toolInvocation"),
	keysAs(traceKey{way: toldInSteps, loud: true}, "steps", "step", "trajectory", "trace"),
	keysAs(traceKey{way: toldInSteps}, "turns", "events", "history", "conversation", "transcript", "intermediate_steps"),
	keysAs(traceKey{way: shownInSnapshot, list: true, loud: true}, "snapshots"),
	keysAs(traceKey{form: traceResults, way: shownInSnapshot, list: true}, "toolResults", "tool_results"),
	keysAs(traceKey{form: traceResults, way: answeredByTool}, "toolResult", "tool_result", "functionResponse", "function_response"),
	keysAs(traceKey{alone: true}, "response", "input", "output", "outputs", "result", "results", "data", "body", "payload", "items", "log",
		"logs", "entries"),
)

// keysAs are several keys of one kind.
func keysAs(k traceKey, names ...string) (out []traceKey) {
	for _, k.name = range names {
		out = append(out, k)
	}
	return out
}

// The keys of a call.
var (
	traceNames     = []string{"name", "toolName", "tool_name", "function_name", "functionName"}
	traceObjects   = []string{"tool", "function", "action", "call"} // a name, or an object that has one
	traceInner     = []string{"toolInvocation", "tool_call", "toolCall", "tool_use", "toolUse", "function_call", "functionCall"}
	traceArguments = []string{"arguments", "args", "input", "parameters", "params", "tool_input", "action_input"}
	traceIDs       = []string{"tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "callId"}
)

// Contents without calls: keys of objects, types of blocks, and roles.
var (
	harmlessKeys = append([]string{"usage", "usage_metadata", "usageMetadata", "tools", "tool_choice", "toolChoice", "tool_config",
		"toolConfig", "parallel_tool_calls", "functions", "function_declarations", "functionDeclarations", "invalid_tool_calls",
		"tool_call_chunks", "metadata", "response_metadata", "annotations", "citations", "logprobs", "safetyRatings", "reasoning",
		"reasoning_details", "thinking"}, traceIDs...)
	harmlessTypes = []string{"text", "input_text", "output_text", "image", "image_url", "input_image", "thinking", "redacted_thinking",
		"reasoning", "document", "file", "audio", "input_audio", "video", "refusal", "summary", "summary_text", "message", "human",
		"user", "ai", "assistant", "model", "system", "step_start", "step-start", "completed"}
	harmlessRoles = []string{"user", "human", "system", "developer"}
)

// traceScope is the context of a value.
type traceScope struct {
	what  string // for messages
	way   traceWay
	form  traceForm
	loud  bool
	depth int // 0 of the whole file
}

// mostNested bounds messages in messages.
const mostNested = 64

// read reads the value of a file, or one of several that follow each other as lines.
func (r *traceReader) read(s traceScope) {
	r.known = false
	switch kind := r.kind(); kind {
	case jsonList:
		s.what, s.loud, r.known = "the list", true, true
		r.list(s)
	case jsonObject:
		begin := r.at
		f := r.members()
		if inner, ok := f["json_response"]; ok {
			r.at = inner
			if kind := r.kind(); kind != jsonObject {
				r.fail(`"json_response" is %s, want an object`, kind)
				return
			}
			begin = inner
			f = r.members()
		}
		told := r.countSteps(f)
		r.at = begin
		r.object(s)
		switch {
		case r.err != nil || r.known || r.odd != "" && s.depth > 0:
		case told:
			r.untold = `it has the number of steps but not the calls`
		default:
			r.at = begin
			r.fail("found an object without them, %s", traceForms)
		}
	default:
		r.fail("found %s, %s", kind, traceForms)
	}
}

// countSteps reads the number of steps, if an object has it.
func (r *traceReader) countSteps(f map[string]int) bool {
	for _, key := range []string{"step_count", "stepCount", "steps"} {
		offset, ok := f[key]
		if !ok {
			continue
		}
		r.at = offset
		steps, kind := 0, r.kind()
		if key == "steps" && kind == jsonList {
			for begun := false; r.element(&begun); steps++ {
				r.skip()
			}
		} else {
			v := math.NaN()
			if kind == jsonNumber {
				v = r.float()
			}
			if v != math.Trunc(v) || v < 0 || v > 1<<53 {
				r.at = offset
				r.fail("%q is not a whole number of at least 0", key)
				return false
			}
			steps = int(v)
		}
		r.steps = &steps
		return true
	}
	return false
}

// list reads the items of a list.
func (r *traceReader) list(s traceScope) {
	around, i := s.what, 0
	s.depth++
	for begun := false; r.element(&begun); i++ {
		from := r.at
		s.what = fmt.Sprintf("item %d of %s", i, around)
		r.item(s)
		if r.err != nil {
			return
		}
		r.at = from
		r.skip()
	}
}

// item reads an item of a list, or a single item instead of a list.
func (r *traceReader) item(s traceScope) {
	kind := r.kind()
	switch {
	case kind == jsonObject && s.form == traceResults:
		r.answer(s)
	case kind == jsonObject && s.form != traceItems:
		r.tool(s)
	case kind == jsonObject:
		r.object(s)
	case kind == jsonString && s.loud:
		r.call(s, r.text(), "", false)
	case s.form != traceItems:
		r.fail("%s is %s, want an object with a name", s.what, kind)
	case kind == jsonList && !s.loud: // a call and its result
		if s.depth < mostNested {
			r.list(s)
		}
	case s.loud:
		r.fail("%s is %s, want an object or the name of a tool", s.what, kind)
	}
}

// object reads a message, a step, an event or a block, or an object around them.
func (r *traceReader) object(s traceScope) {
	begin := r.at
	f := r.members()
	typ, role := r.string(f, "type"), r.string(f, "role")
	name, sure := r.nameOf(f)
	sure = sure || name != "" && hasAny(f, traceArguments)
	if r.err != nil {
		return
	}
	r.at = begin
	switch {
	case (role == "tool" || role == "function" || typ == "tool") && r.identifies(f, name):
		r.at = begin
		s.way = answeredByTool
		r.answer(s)
		return
	case role == "" && r.typed(s, f, typ, begin), role == "" && r.event(s, f, name):
		return
	}
	content := r.inner(f, s, role == "" && sure)
	switch {
	case r.err != nil:
	case role == "" && !content.calls && (sure || name != "" && typ == "" && !content.any && s.depth > 0):
		id, own := r.identity(f)
		r.call(s, name, id, own)
	case slices.Contains(harmlessRoles, role):
	default:
		says := role != "" || slices.Contains(harmlessTypes, typ) || typ == "" && hasAny(f, []string{"text", "content", "jsonrpc"})
		if r.notRead(f, s); r.odd == "" && s.depth > 0 && !content.any && !says {
			r.odd = s.what
		}
	}
}

// innerFound is the result of reading below an object.
type innerFound struct{ any, calls bool }

// inner reads the values of the keys of an object; for an object that is itself a call, only calls and results.
func (r *traceReader) inner(f map[string]int, s traceScope, call bool) (content innerFound) {
	for i := range traceKeys {
		k := &traceKeys[i]
		offset, ok := f[k.name]
		if !ok || r.err != nil || call && k.form == traceItems || k.alone && content.any {
			continue
		}
		r.at = offset
		in, kind := s, r.kind()
		in.what, in.form, in.loud = s.under(k.name), k.form, k.loud
		switch {
		case s.depth == 0 && (k.form == traceCalls || k.form == traceOne):
			in.way = listedAlone
		case k.way != inherited && (s.way != toldInSteps || k.form == traceResults):
			in.way = k.way
		}
		switch {
		case k.list && kind != jsonList:
			r.fail("%s is %s, want a list", in.what, kind)
		case s.depth >= mostNested:
			r.odd = cmp.Or(r.odd, in.what)
		case kind == jsonList && k.form != traceOne:
			r.list(in)
		case kind == jsonObject:
			in.depth++
			r.item(in)
		default:
			continue // a text, or the number of a step
		}
		r.known = true
		content.any, content.calls = true, content.calls || k.form == traceCalls || k.form == traceOne
	}
	return content
}

// under names the value of a key, for messages.
func (s *traceScope) under(key string) string {
	if s.depth == 0 {
		return `"` + key + `"`
	}
	return "the " + key + " of " + s.what
}

// typed reads an object whose type marks it as a call, or the result of one.
func (r *traceReader) typed(s traceScope, f map[string]int, typ string, begin int) bool {
	kind := strings.ReplaceAll(strings.ToLower(typ), "-", "_")
	is := func(kinds ...string) bool { return slices.Contains(kinds, kind) }
	_, certain := r.identity(f)
	_, content := f["content"]
	r.at = begin
	switch {
	case kind == "":
		return false
	case strings.HasSuffix(kind, "tool_result"), strings.HasSuffix(kind, "call_output"), kind == "function" && content,
		is("function_response", "functionresponse", "tool_response", "toolresult"):
		s.way = answeredByTool
		r.answer(s)
	case strings.HasSuffix(kind, "_call"), strings.HasSuffix(kind, "tool_use"), is("functioncall", "toolcall", "tooluse", "tool_invocation",
		"dynamic_tool", "function"), strings.HasPrefix(kind, "tool_") && certain:
		r.tool(s)
	default:
		return false
	}
	return true
}

// event reads an event of a tool: that it begins, or that it has ended. Other events are not calls, whatever their
// name is.
func (r *traceReader) event(s traceScope, f map[string]int, name string) bool {
	event := r.string(f, "event")
	if !strings.Contains(event, "tool") {
		return strings.HasPrefix(event, "on_")
	}
	id, certain := r.identity(f)
	if data, ok := r.inside(f, "data"); ok {
		if name == "" {
			name, _ = r.nameOf(data)
		}
		if inner, sure := r.identity(data); !certain && inner != "" {
			id, certain = inner, sure
		}
	}
	if regexp.MustCompile(`end|result|output|response|finish|complet|stop|error`).MatchString(event) {
		s.way = answeredByTool
	}
	r.call(s, name, id, certain)
	return true
}

// tool reads a call.
func (r *traceReader) tool(s traceScope) {
	f := r.members()
	typ := r.string(f, "type")
	for _, key := range traceInner {
		if inner, ok := r.inside(f, key); ok {
			f = inner
		}
	}
	name, _ := r.nameOf(f)
	id, certain := r.identity(f)
	if before, ok := strings.CutSuffix(typ, "_call"); ok && name == "" && before != "function" && before != "tool" {
		name = before
	} else if after, ok := strings.CutPrefix(typ, "tool-"); ok && name == "" && certain {
		name = after
	}
	r.call(s, name, id, certain || id != "")
}

// identifies reports whether a message of a tool itself identifies its call: otherwise its blocks do.
func (r *traceReader) identifies(f map[string]int, name string) bool {
	if _, own := r.identity(f); own || name != "" {
		return true
	}
	for _, key := range []string{"content", "parts"} {
		if offset, ok := f[key]; ok {
			if r.at = offset; r.kind() == jsonList {
				return false
			}
		}
	}
	return true
}

// answer reads the result of a tool.
func (r *traceReader) answer(s traceScope) {
	f := r.members()
	name, _ := r.nameOf(f)
	id, certain := r.identity(f)
	for _, key := range []string{"content", "data"} {
		content, ok := r.inside(f, key)
		if !ok {
			break
		}
		if name == "" {
			name, _ = r.nameOf(content)
		}
		if inner, sure := r.identity(content); !certain && (sure || id == "") {
			id, certain = inner, sure
		}
		f = content
	}
	r.call(s, name, id, certain)
}

// nameOf is the name of a tool among the members of an object; sure says that its key is specific to tools.
func (r *traceReader) nameOf(f map[string]int) (name string, sure bool) {
	for i, key := range traceNames {
		if name := r.string(f, key); name != "" {
			return name, i > 0
		}
	}
	for _, key := range traceObjects {
		if name := r.string(f, key); name != "" {
			return name, true
		}
		if inner, ok := r.inside(f, key); ok {
			for _, key := range slices.Concat(traceNames, []string{"tool", "type"}) {
				if name := r.string(inner, key); name != "" {
					return name, true
				}
			}
		}
	}
	if params, ok := r.inside(f, "params"); ok && r.string(f, "method") == "tools/call" { // Model Context Protocol
		return r.string(params, "name"), true
	}
	return "", false
}

// identity is the id of a call among the members of an object, and whether it surely is one.
func (r *traceReader) identity(f map[string]int) (id string, certain bool) {
	for _, key := range traceIDs {
		if id := r.string(f, key); id != "" {
			return id, true
		}
	}
	return r.string(f, "id"), false
}

// hasAny reports whether an object has one of the keys.
func hasAny(f map[string]int, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := f[key]; return ok })
}

// aboutCalls is a text in quotes that may be of calls.
var aboutCalls = regexp.MustCompile(`(?i)"[^"]{0,32}(tool|call|func|action|command|invo)[^"]{0,32}"`)

// notRead remembers the first key that is not read and may hold calls.
func (r *traceReader) notRead(f map[string]int, s traceScope) {
	if r.odd != "" || r.err != nil {
		return
	}
	for key, offset := range f {
		if slices.Contains(harmlessKeys, key) || slices.ContainsFunc(traceKeys, func(k traceKey) bool { return k.name == key && !k.alone }) {
			continue
		}
		r.at = offset
		kind, begun := r.kind(), false
		telling := aboutCalls.MatchString(`"` + key + `"`)
		if kind == jsonList && r.element(&begun) {
			telling = telling || r.kind() == jsonObject
		} else if kind == jsonList {
			continue // it is empty
		}
		if r.at = offset; kind == jsonObject && !telling {
			r.skip()
			telling = aboutCalls.Match(r.data[offset:r.at])
		}
		if kind != jsonNumber && kind != jsonBool && telling {
			if odd := fmt.Sprintf("%q of %s", key, s.what); r.odd == "" || odd < r.odd {
				r.odd = odd
			}
		}
	}
}
