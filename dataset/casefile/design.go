// Package casefile reads the files of a case that only canvas has: interface designs, which are hierarchies of nodes in
// the JSON of Figma's files, and traces of an agent's tools.
package casefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits of a design; more is an error. The depth has no separate limit.
const (
	// maxDesignNodes is the most nodes, which take less than 256 MiB.
	maxDesignNodes = 1 << 20
	// maxDesignPaints is the most fills, or strokes, of a node.
	maxDesignPaints = 1 << 12
	// MaxDesignPixels is the largest magnitude of a coordinate or a size.
	MaxDesignPixels = 1e9
)

// Design is a hierarchy of nodes, as Figma writes it: {"document": node} or {"nodes": {key:
// {"document": node}}}.
type Design struct {
	// Nodes are all nodes depth first: parents come before their children, and children keep their order, later ones above
	// earlier ones. Nodes[0] is the root.
	Nodes []Node
}

// Node is a node of a design.
type Node struct {
	ID, Name, Type string // Type as "FRAME", "TEXT", "RECTANGLE", "GROUP", …
	Parent, Depth  int    // Parent is an index of Nodes, −1 of the root, whose depth is 0
	// Shown reports that the node and all its ancestors are visible (the default) and have an opacity above 0.01, that it
	// is no slice, and in no section with hidden contents.
	Shown bool
	// Opacity is the opacity of the node itself; default 1.
	Opacity float64
	// Bounds is the absolute bounding box; nil where it is null or missing.
	Bounds *Bounds
	// Characters is the text of a node of type TEXT as it is shown, in the case of its style and of
	// the styles of its parts. FontSize is the size of its style in pixels and FontWeight its
	// weight, 400 of regular and 700 of bold; 0 where there is none.
	Characters           string
	FontSize, FontWeight float64
	// Fills and Strokes are the paints of the node. Fills default to its background in old files without a key of
	// fills; strokes without weight are omitted.
	Fills, Strokes []Paint
	// Clips says that descendants of the node are visible only within its bounds. Mask says that the node is invisible,
	// and that later siblings are visible only within its bounds.
	Clips, Mask bool
	// Rotation is the absolute rotation of the node in radians, including its ancestors. Size is its size before the
	// rotation, nil if the file lacks it.
	Rotation float64
	Size     *Size

	shut bool // a section whose contents are hidden
}

// Size is a width and a height in pixels of the design.
type Size struct{ Width, Height float64 }

// Bounds is a box in pixels of the design. Width and Height are at least 0.
type Bounds struct{ X, Y, Width, Height float64 }

// Paint is one fill or stroke; later ones are above earlier ones.
type Paint struct {
	Type    string // "SOLID", "GRADIENT_LINEAR", "IMAGE", …
	Visible bool
	Opacity float64    // of the paint, 1 by default
	Color   [4]float64 // red, green, blue and alpha in [0, 1] of a SOLID one
}

// ParseDesign reads the design in data: {"document": node}, {"nodes": {key: {"document": node}}}, or a node alone.
// Several non-null keys of nodes become children of a root of type DOCUMENT without other contents. name is the name
// of the file, for errors. Fills and strokes that are null or a word ("MIXED") are dropped; colors can also be
// "#rrggbb" or "#rrggbbaa". Ids can repeat, except between a node and its descendants. Errors: text that is not JSON
// or is truncated; and, with the node, values of wrong type, negative or infinite sizes, colors and opacities outside
// [0, 1], repeated keys, and values beyond the limits above.
func ParseDesign(name string, data []byte) (*Design, error) {
	r := &designReader{jsonText: newJSONText(data), words: map[string]string{}}
	r.find()
	r.walk()
	d := &Design{Nodes: r.nodes}
	if r.err == nil {
		d.turn()
		d.inherit()
		r.err = d.circle()
	}
	if r.err != nil {
		return nil, fmt.Errorf("%s: %w", name, r.err)
	}
	return d, nil
}

// designReader reads nodes.
type designReader struct {
	*jsonText
	nodes  []Node
	frames []designFrame
	words  map[string]string // types that were seen, to keep each once
	// Data of nodes that are applied when they end: the case of texts, the background of nodes without fills, and the
	// weight of strokes.
	cases      map[int]*textCases
	background map[int][]Paint
	thin       map[int]bool
	roots      []int // where the documents of several keys begin
}

// designFrame is an object or a list of nodes that is being read.
type designFrame struct {
	node  int // index of nodes: itself, or whose children the list holds
	list  bool
	begun bool
	count int    // elements of the list so far
	seen  uint32 // keys of the node so far, as bits
}

// designForms are the layouts of a file.
const designForms = `want {"document": node}, {"nodes": {key: {"document": node}}} or a node with "type" and "children"`

// find checks the form of the whole text and moves to the root node.
func (r *designReader) find() {
	if kind := r.kind(); r.err == nil && kind != jsonObject {
		r.fail("found %s, %s", kind, designForms)
	}
	root := r.at
	document, nodes, bare := -1, -1, false
	var keys []string
	for begun := false; ; {
		key, more := r.member(&begun)
		if !more {
			break
		}
		switch string(key) {
		case "document":
			document = r.at
		case "nodes":
			nodes = r.at
		case "id", "type", "children", "absoluteBoundingBox":
			bare = true
		}
		if len(keys) < 8 {
			keys = append(keys, strconv.Quote(string(key)))
		}
		r.skip()
	}
	r.end()
	switch {
	case r.err != nil:
	case document >= 0:
		r.at = document
	case bare:
		r.at = root
	case nodes >= 0:
		r.at = nodes
		r.documents()
	default:
		r.at = root
		r.fail("found an object with %s, %s", orNothing(keys), designForms)
	}
	if r.err == nil {
		if kind := r.kind(); kind != jsonObject {
			r.fail(`the document is %s, want an object`, kind)
		}
	}
}

func orNothing(keys []string) string {
	if len(keys) == 0 {
		return "no keys"
	}
	return "the keys " + strings.Join(keys, ", ")
}

// documents finds the documents of the keys of "nodes" whose values are not null, and moves to the first.
func (r *designReader) documents() {
	if kind := r.kind(); kind != jsonObject {
		r.fail(`"nodes" is %s, want an object of {key: {"document": node}}`, kind)
		return
	}
	var keys []string
	var offsets []int
	for begun := false; ; {
		key, more := r.member(&begun)
		if !more {
			break
		}
		if r.kind() != jsonNull {
			offsets, keys = append(offsets, r.at), append(keys, strconv.Quote(string(key)))
		}
		r.skip()
	}
	if r.err != nil {
		return
	}
	if len(offsets) == 0 {
		r.fail(`"nodes" has no keys with a value, want at least one`)
		return
	}
	for i, offset := range offsets {
		r.at = offset
		if kind := r.kind(); kind != jsonObject {
			r.fail(`"nodes" has %s under %s, want an object with "document"`, kind, keys[i])
			return
		}
		if r.document(keys[i]); r.err != nil {
			return
		}
		if kind := r.kind(); kind != jsonObject {
			r.fail(`the document under %s is %s, want an object`, keys[i], kind)
			return
		}
		r.roots = append(r.roots, r.at)
	}
	if r.at = r.roots[0]; len(r.roots) == 1 {
		r.roots = nil
	}
}

// document moves to the document of a key of "nodes".
func (r *designReader) document(name string) {
	for begun := false; ; {
		key, more := r.member(&begun)
		if !more {
			r.fail(`"nodes" has no "document" under %s`, name)
			return
		}
		if string(key) == "document" {
			return
		}
		r.skip()
	}
}

// walk reads the root node at the current position, or all roots, and all nodes below.
func (r *designReader) walk() {
	if r.roots == nil {
		r.open(-1)
		r.below()
		return
	}
	if r.err != nil {
		return
	}
	r.open(-1)
	r.nodes[0].Type, r.frames = "DOCUMENT", nil
	for _, offset := range r.roots {
		r.at = offset
		r.open(0)
		r.below()
	}
}

// below reads the open node, and all nodes below it.
func (r *designReader) below() {
	for len(r.frames) > 0 && r.err == nil {
		f := &r.frames[len(r.frames)-1]
		if f.list {
			if !r.element(&f.begun) {
				r.frames = r.frames[:len(r.frames)-1]
				continue
			}
			f.count++
			if kind := r.kind(); kind != jsonObject {
				r.fail("child %d of %s is %s, want an object", f.count, r.who(f.node), kind)
				return
			}
			r.open(f.node)
			continue
		}
		key, more := r.member(&f.begun)
		if !more {
			r.shut(f)
			r.frames = r.frames[:len(r.frames)-1]
			continue
		}
		r.field(f, key)
	}
}

// open begins a node.
func (r *designReader) open(parent int) {
	if r.err != nil {
		return
	}
	if len(r.nodes) == maxDesignNodes {
		r.fail("more than %d nodes; that is the limit", maxDesignNodes)
		return
	}
	depth := 0
	if parent >= 0 {
		depth = r.nodes[parent].Depth + 1
	}
	r.nodes = append(r.nodes, Node{Parent: parent, Depth: depth, Shown: true, Opacity: 1})
	r.frames = append(r.frames, designFrame{node: len(r.nodes) - 1})
}

// who names a node in messages: by its id, or by its way from one that has an id.
func (r *designReader) who(i int) string {
	way := ""
	for range 4 {
		n := &r.nodes[i]
		if n.ID != "" {
			return fmt.Sprintf("%snode %q", way, n.ID)
		}
		if i = n.Parent; i < 0 {
			return way + "the root"
		}
		way += "a child of "
	}
	return way + "others"
}

// designKeys are the keys of nodes that are read; a bit of designFrame.seen is an index.
var designKeys = []string{
	"id", "name", "type", "visible", "opacity", "absoluteBoundingBox", "characters", "style", "fills", "strokes", "children",
	"clipsContent", "isMask", "rotation", "size", "background", "backgroundColor", "strokeWeight", "sectionContentsHidden",
	"characterStyleOverrides", "styleOverrideTable",
}

// field reads a member of a node.
func (r *designReader) field(f *designFrame, written []byte) {
	bit := slices.Index(designKeys, string(written))
	if bit < 0 {
		r.skip()
		return
	}
	key := designKeys[bit]
	if f.seen&(1<<bit) != 0 {
		r.fail("%s has the key %q twice", r.who(f.node), key)
		return
	}
	f.seen |= 1 << bit
	n := &r.nodes[f.node]
	kind := r.kind()
	if kind == jsonNull {
		r.null()
		return
	}
	switch key {
	case "id":
		r.word(f.node, kind, key, &n.ID)
	case "name":
		r.word(f.node, kind, key, &n.Name)
	case "characters":
		r.word(f.node, kind, key, &n.Characters)
	case "type":
		r.word(f.node, kind, key, &n.Type)
		n.Type = r.intern(n.Type)
	case "visible":
		if r.want(f.node, key, kind, jsonBool) {
			n.Shown = r.truth()
		}
	case "opacity":
		if r.want(f.node, key, kind, jsonNumber) {
			n.Opacity = r.share(f.node, key)
		}
	case "absoluteBoundingBox":
		n.Bounds = r.bounds(f.node, kind)
	case "style":
		r.style(f.node, kind)
	case "fills":
		n.Fills = r.paints(f.node, kind, key)
	case "strokes":
		n.Strokes = r.paints(f.node, kind, key)
	case "children":
		if r.want(f.node, key, kind, jsonList) {
			r.frames = append(r.frames, designFrame{node: f.node, list: true})
		}
	default:
		r.look(f.node, kind, key)
	}
}
