// The work of agents: intermediate designs, revisions, and tool calls.

package screens

import (
	"encoding/json"
	"fmt"
	"math"

	"repscope/stat"
)

// beginning is a screen with its first nodes only, after step of n steps.
func beginning(root *node, step, n int) *node {
	out := root.clone()
	total := 0
	out.each(func(*node, *node, int) { total++ })
	remaining := (total*step + n - 1) / n
	var cut func(n *node)
	cut = func(n *node) {
		remaining--
		for i, c := range n.children {
			if remaining <= 0 {
				n.children = n.children[:i]
				return
			}
			cut(c)
		}
	}
	cut(out)
	return out
}

// revise is a screen after a requested edit: another accent, another title, and one card less or a line less.
func revise(s screen, r *stat.Random) *node {
	out := s.root.clone()
	t := newTheme(r)
	var accent *fill
	out.each(func(n, _ *node, _ int) {
		if n.name == "Dot" || n.name == "Submit" {
			accent = n.fill
		}
	})
	out.each(func(n, _ *node, _ int) {
		if n.fill != nil && n.kind != typeText && n.fill.kind == fillSolid && n.fill.from == accent.from {
			n.fill = solid(t.accent)
		}
		if n.name == "Title" {
			n.text = "New " + n.text
			n.width = textWidth(n.text, n.size, n.bold)
		}
	})
	const after = 2 // children after the content: the navigation and the guides
	last := len(out.children) - after - 1
	out.children = append(out.children[:last:last], out.children[last+1:]...)
	return out
}

// Tools of an agent that draws.
var toolOf = map[string]string{
	typeFrame: "create_frame", typeGroup: "group_nodes", typeRectangle: "create_rectangle", typeEllipse: "create_ellipse", typeText: "create_text",
}

// drawingTools are all that make a screen.
var drawingTools = []string{"create_frame", "group_nodes", "create_rectangle", "create_ellipse", "create_text", "set_fill_color", "set_corner_radius"}

// otherTools are called by agents that lost their way.
var otherTools = []string{"get_node_info", "move_node", "resize_node", "delete_node", "clone_node", "scan_text_nodes", "get_selection", "set_stroke_color"}

// callsFor are the calls that make a screen.
func callsFor(root *node) (calls []string) {
	root.each(func(n, _ *node, _ int) {
		calls = append(calls, toolOf[n.kind])
		if n.fill != nil && n.kind != typeText {
			calls = append(calls, "set_fill_color")
		}
		if n.radius > 0 {
			calls = append(calls, "set_corner_radius")
		}
	})
	return calls
}

// The effects on calls at full strength.
const (
	toolForgot  = 0.6 // of tools are never called
	callLost    = 0.2 // is not made
	callWrong   = 0.4 // another tool is called
	callChecked = 0.9 // is made again or looked at
)

// worse are calls with some lost, wrong or repeated.
func worse(calls []string, strength float64, key stat.Key) (out []string) {
	r := stat.NewRandom(key)
	forgotten := map[string]bool{}
	for _, tool := range drawingTools {
		forgotten[tool] = r.Float64() < toolForgot*strength
	}
	others := few(r, otherTools, len(otherTools))
	options := int(math.Ceil(strength * float64(len(others))))
	for i, c := range calls {
		r := stat.NewRandom(key.Derive(uint64(i)))
		lost, wrong, checked, other, again := r.Float64(), r.Float64(), r.Float64(), r.Float64(), r.Float64()
		if strength == 0 {
			out = append(out, c)
			continue
		}
		instead := others[int(other*float64(options))]
		if wrong < callWrong*strength || forgotten[c] {
			c = instead
		}
		if lost >= callLost*strength {
			out = append(out, c)
		}
		if checked < callChecked*strength {
			if again < 0.5 {
				c = instead
			}
			out = append(out, c)
		}
	}
	return out
}

// perStep is how many calls an agent makes at once.
const perStep = 5

// encodeExpected writes the calls that are expected, as names or as messages.
func encodeExpected(calls []string, messages bool) []byte {
	if messages {
		return encodeTrace(calls)
	}
	return encodeJSON(calls)
}

// encodeTrace writes the messages of an agent and its tools.
func encodeTrace(calls []string) []byte {
	messages := []any{map[string]any{"role": "user", "content": "Make this screen."}}
	steps := 0
	for first := 0; first < len(calls); first += perStep {
		steps++
		var requests, answers []any
		for i := first; i < min(first+perStep, len(calls)); i++ {
			id := fmt.Sprintf("call_%d", i+1)
			requests = append(requests, map[string]any{"id": id, "name": calls[i]})
			answers = append(answers, map[string]any{"role": "tool", "tool_call_id": id, "content": map[string]any{"data": map[string]any{"name": calls[i]}}})
		}
		messages = append(messages, map[string]any{"role": "assistant", "content": map[string]any{"data": map[string]any{"tool_calls": requests}}})
		messages = append(messages, answers...)
	}
	return encodeJSON(map[string]any{"json_response": map[string]any{"messages": messages, "step_count": steps}})
}

func encodeJSON(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // of texts and whole numbers
	}
	return append(out, '\n')
}
