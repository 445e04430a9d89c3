// Tests of designs: the layouts of files, defaults, and errors.

package casefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/readtest"
)

const boxJSON = `"absoluteBoundingBox":{"x":1,"y":-2,"width":3,"height":4}`

func TestParseDesign(t *testing.T) {
	t.Parallel()
	_, err := ParseDesign("a.json", []byte("\xef\xbb\xbf"+`{"name": "file", "document": {"children": [
		{"id": "1:2", "type": "TEXT", "name": "T", "characters": "a\u00e9\n", "style": {"fontFamily": "Inter", "fontWeight": 700, "fontSize": 14.5}, "opacity": 0.5,
			"fills": [{"type": "SOLID", "blendMode": "NORMAL", "color": {"r": 1, "g": 0.5, "b": 0}},
				{"type": "GRADIENT_LINEAR", "visible": false, "opacity": 0.25, "gradientStops": [{"position": 0, "color": {"r": 7}}]},
				{"type": "IMAGE", "imageRef": "x", "color": null}, {"type": "SOLID", "color": "#3366CC"}, {"type": "SOLID", "color": "#36c8"}],
			"strokes": [{"type": "SOLID", "color": {"r": 0, "g": 0, "b": 0, "a": 0.25}}]},
		{"id": "1:3", "visible": false, "absoluteBoundingBox": null, "children": [{"id": "1:4", "children": null, "fills": "MIXED"}]},
		{"id": "1:5", "opacity": 0.01, "fills": null, "style": "MIXED", "children": []},
		{"id": "1:6", "visible": null, "opacity": null, "name": null, "style": {"fontSize": "MIXED"}}
	], "id": "1:1", "type": "FRAME", "name": "Root", `+boxJSON+`}}`))
	if err == nil || !strings.Contains(err.Error(), `"1:2": its color is a string, "#36c8", want`) {
		t.Fatalf("%v: want an error for the color", err)
	}
	d, err := ParseDesign("a.json", []byte(`{"document": {"children": [
		{"id": "1:2", "type": "TEXT", "name": "T", "characters": "a\u00e9\n", "style": {"fontFamily": "Inter", "fontWeight": 700, "fontSize": 14.5}, "opacity": 0.5,
			"fills": [{"type": "SOLID", "blendMode": "NORMAL", "color": {"r": 1, "g": 0.5, "b": 0}},
				{"type": "GRADIENT_LINEAR", "visible": false, "opacity": 0.25, "gradientStops": [{"position": 0, "color": {"r": 7}}]},
				{"type": "IMAGE", "imageRef": "x", "color": null}, {"type": "SOLID", "color": "#3366CC"}, {"type": "SOLID", "color": "#36c"}],
			"strokes": [{"type": "SOLID", "color": {"r": 0, "g": 0, "b": 0, "a": 0.25}}]},
		{"id": "1:3", "visible": false, "absoluteBoundingBox": null, "children": [{"id": "1:4", "children": null, "fills": "MIXED"}]},
		{"id": "1:5", "opacity": 0.01, "fills": null, "style": "MIXED", "children": []},
		{"id": "1:6", "visible": null, "opacity": null, "name": null, "style": {"fontSize": "MIXED"}}
	], "id": "1:1", "type": "FRAME", "name": "Root", `+boxJSON+`}, "schemaVersion": 0}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Node{
		{ID: "1:1", Type: "FRAME", Name: "Root", Parent: -1, Shown: true, Opacity: 1, Bounds: &Bounds{1, -2, 3, 4}},
		{ID: "1:2", Type: "TEXT", Name: "T", Depth: 1, Shown: true, Opacity: 0.5, Characters: "aé\n", FontSize: 14.5, FontWeight: 700,
			Fills: []Paint{
				{"SOLID", true, 1, [4]float64{1, 0.5, 0, 1}}, {"GRADIENT_LINEAR", false, 0.25, [4]float64{}}, {"IMAGE", true, 1, [4]float64{}},
				{"SOLID", true, 1, [4]float64{0.2, 0.4, 0.8, 1}}, {"SOLID", true, 1, [4]float64{0.2, 0.4, 0.8, 1}},
			},
			Strokes: []Paint{{"SOLID", true, 1, [4]float64{0, 0, 0, 0.25}}}},
		{ID: "1:3", Depth: 1, Opacity: 1}, {ID: "1:4", Parent: 2, Depth: 2, Opacity: 1}, {ID: "1:5", Depth: 1, Opacity: 0.01}, {ID: "1:6", Depth: 1, Shown: true, Opacity: 1},
	}
	if got, want := fmt.Sprintf("%+v", d.Nodes[1:]), fmt.Sprintf("%+v", want[1:]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r := d.Nodes[0]; *r.Bounds != *want[0].Bounds || r.Parent != -1 || r.ID != "1:1" {
		t.Errorf("root %+v", r)
	}
}

// The same node in each of the forms.
func TestDesignForms(t *testing.T) {
	t.Parallel()
	const node = `{"id":"1:1","type":"FRAME",` + boxJSON + `,"children":[{"id":"1:2"}]}`
	for _, text := range []string{
		node, `{"document":` + node + `}`, `{"nodes":{"1:1":{"document":` + node + `,"components":{}}}}`,
		`{"nodes":{"0:0":null,"1:1":{"components":{"document":1},"document":` + node + `}},"name":"x"}`,
	} {
		d, err := ParseDesign("a.json", []byte(text))
		if err != nil || len(d.Nodes) != 2 || d.Nodes[1].ID != "1:2" || d.Nodes[0].Bounds.Height != 4 {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
}

func TestBadDesigns(t *testing.T) {
	t.Parallel()
	node := func(s string) string {
		return `{"document":{"id":"1:1","type":"FRAME","children":[{"id":"3:4",` + s + `}]}}`
	}
	for _, c := range []struct{ text, want string }{
		{``, "it is empty"},
		{`[]`, `found a list, want {"document": node}`},
		{`"x"`, "found a string, want"},
		{`{}`, "found an object with no keys, want"},
		{`{"error":1,"status":404}`, `the keys "error", "status", want`},
		{`{"document":[]}`, "the document is a list, want an object"},
		{`{"document":null}`, "the document is null, want an object"},
		{`{"nodes":[]}`, `"nodes" is a list, want an object`},
		{`{"nodes":{}}`, `"nodes" has no keys with a value, want at least one`},
		{`{"nodes":{"1:1":null}}`, `"nodes" has no keys with a value`},
		{`{"nodes":{"1:1":{"document":{}},"1:2":{"document":[]}}}`, `the document under "1:2" is a list, want an object`},
		{`{"nodes":{"1:1":3}}`, `"nodes" has a number under "1:1", want an object`},
		{`{"nodes":{"1:1":{"components":{}}}}`, `"nodes" has no "document" under "1:1"`},
		{`{"document":{"id":"1:1"}} x`, "line 1, byte 26: found 'x' after the end"},
		{`{"document":{"id":"1:1","children":[{"id":"1:2",`, "truncated: the JSON text ends too early, at line 1, byte 48"},
		{node(`"children":{}`), `node "3:4": "children" is an object, want a list`},
		{node(`"children":[7]`), `child 1 of node "3:4" is a number, want an object`},
		{node(`"children":[{},null]`), `child 2 of node "3:4" is null, want an object`},
		{node(`"name":7`), `node "3:4": "name" is a number, 7, want a string`},
		{node(`"type":["x"]`), `node "3:4": "type" is a list, want a string`},
		{node(`"characters":false`), `node "3:4": "characters" is a truth value, false, want a string`},
		{node(`"visible":"no"`), `node "3:4": "visible" is a string, "no", want a truth value`},
		{node(`"opacity":"1"`), `node "3:4": "opacity" is a string, "1", want a number`},
		{node(`"opacity":2`), `node "3:4": "opacity" is 2, want a number from 0 to 1`},
		{node(`"opacity":NaN`), `node "3:4": "opacity" is a number, NaN, want a finite number`},
		{node(`"absoluteBoundingBox":[]`), `node "3:4": "absoluteBoundingBox" is a list, want an object`},
		{node(`"absoluteBoundingBox":{"x":0,"y":0,"width":5}`), `node "3:4": its box has no height`},
		{node(`"absoluteBoundingBox":{"x":0,"y":0,"width":5,"height":null}`), `node "3:4": its box has no height`},
		{node(`"absoluteBoundingBox":{"x":"NaN","y":0,"width":5,"height":5}`), `node "3:4": "x" is a string, "NaN", want a number`},
		{node(`"absoluteBoundingBox":{"x":0,"y":NaN,"width":5,"height":5}`), `node "3:4": "y" is a number, NaN, want a finite number`},
		{node(`"absoluteBoundingBox":{"x":0,"y":0,"width":1e300,"height":5}`), `node "3:4": "width" is a number, 1e300, want a finite number of at most 1e+09`},
		{node(`"absoluteBoundingBox":{"x":0,"y":0,"width":-5,"height":5}`), `node "3:4": the width of its box is -5, want at least 0`},
		{node(`"fills":{}`), `node "3:4": "fills" is an object, want a list`},
		{node(`"fills":[1]`), `node "3:4": "fills" is a number, 1, want an object`},
		{node(`"fills":[{"color":{"r":255}}]`), `node "3:4": "r" is 255, want a number from 0 to 1`},
		{node(`"fills":[{"color":"red"}]`), `node "3:4": its color is a string, "red", want {"r", "g", "b", "a"} or "#rrggbb"`},
		{node(`"strokes":[{"type":3}]`), `node "3:4": "type" is a number, 3, want a string`},
		{node(`"style":[]`), `node "3:4": "style" is a list, want an object`},
		{node(`"style":{"fontSize":-1}`), `node "3:4": the size of its font is -1`},
		{node(`"name":"a","name":"b"`), `node "3:4" has the key "name" twice`},
		{node(`"children":[{"children":[{"id":"3:4"}]}]`), `node "3:4" is one of its own descendants, 3 levels below the root: the ids form a cycle`},
		{`{"document":{"children":[{"children":[{"opacity":3}]}]}}`, `a child of a child of the root: "opacity" is 3`},
		{node(`"fills":[` + strings.Repeat(`{},`, maxDesignPaints) + `{}]`), `node "3:4": more than 4096 fills`},
	} {
		d, err := ParseDesign("some/a.json", []byte(c.text))
		if err == nil || d != nil || !strings.HasPrefix(err.Error(), "some/a.json: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s: %v, want %q", c.text, err, c.want)
		}
	}
}

// Ids that repeat elsewhere are no circle: copies of a component have them.
func TestDesignRepeatedIDs(t *testing.T) {
	t.Parallel()
	d, err := ParseDesign("a.json", []byte(`{"type":"FRAME","id":"","children":[{"id":"1:1","children":[{"id":"1:2"},{"id":"1:2"}]},{"id":"1:1"},{"id":""},{"id":"1:2","children":[{"id":"1:1"}]}]}`))
	if err != nil || len(d.Nodes) != 8 {
		t.Errorf("%v", err)
	}
}

// Depth costs no more than breadth: a chain of 10,000 nodes and one of 50,000 are read, and
// so are nested values that nobody asks for.
func TestDeepAndLargeDesigns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: large files, one after another")
	}
	for _, depth := range []int{10_000, 50_000} {
		text := strings.Repeat(`{"type":"GROUP","children":[`, depth) + strings.Repeat(`]}`, depth)
		d, err := ParseDesign("deep.json", []byte(text))
		if err != nil || len(d.Nodes) != depth || d.Nodes[depth-1].Depth != depth-1 || d.Nodes[depth-1].Parent != depth-2 {
			t.Fatalf("%d nodes, %v", depth, err)
		}
		if _, err := ParseDesign("deep.json", []byte(text[:len(text)/2])); !errors.Is(err, dataset.ErrTruncated) {
			t.Errorf("%v, want a truncated file", err)
		}
		other := `{"type":"GROUP","pluginData":` + strings.Repeat(`[{"a":`, depth) + `1` + strings.Repeat(`}]`, depth) + `}`
		if _, err := ParseDesign("deep.json", []byte(other)); err != nil {
			t.Error(err)
		}
	}
	many := `{"type":"GROUP","children":[` + strings.Repeat(`{},`, maxDesignNodes) + `{}]}`
	if _, err := ParseDesign("many.json", []byte(many)); err == nil || !strings.Contains(err.Error(), "more than 1048576 nodes") {
		t.Errorf("%v, want the limit", err)
	}
	wide, err := ParseDesign("wide.json", []byte(`{"type":"GROUP","children":[`+strings.Repeat(`{"id":"1",`+boxJSON+`},`, 99_998)+`{}]}`))
	if err != nil || len(wide.Nodes) != 100_000 {
		t.Errorf("%v", err)
	}
}

// Real files read as encoding/json reads them.
func TestRealDesigns(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(readtest.Samples(t, "canvas"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no designs: %v", err)
	}
	type node struct {
		ID         string
		Type       string
		Name       string
		Visible    *bool
		Box        *Bounds `json:"absoluteBoundingBox"`
		Characters string
		Fills      []struct{ Color struct{ R, G, B, A float64 } }
		Children   []node
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Document node }
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		d, err := ParseDesign(file, data)
		if err != nil {
			t.Fatal(err)
		}
		offset := 0
		var walk func(n *node, parent, depth int, shown bool)
		walk = func(n *node, parent, depth int, shown bool) {
			g := d.Nodes[offset]
			shown = shown && (n.Visible == nil || *n.Visible)
			var colors, want [][4]float64
			for _, p := range g.Fills {
				colors = append(colors, p.Color)
			}
			for _, p := range n.Fills {
				want = append(want, [4]float64{p.Color.R, p.Color.G, p.Color.B, p.Color.A})
			}
			if g.ID != n.ID || g.Type != n.Type || g.Name != n.Name || g.Parent != parent || g.Depth != depth || g.Shown != shown ||
				*g.Bounds != *n.Box || g.Characters != n.Characters || !slices.Equal(colors, want) {
				t.Fatalf("%s: node %d is %+v, want %+v", file, offset, g, n)
			}
			index := offset
			offset++
			for i := range n.Children {
				walk(&n.Children[i], index, depth+1, shown)
			}
		}
		walk(&v.Document, -1, 0, true)
		if offset != len(d.Nodes) {
			t.Errorf("%s: %d nodes, want %d", file, len(d.Nodes), offset)
		}
		for cut := 1; cut < len(data)-1; cut += 997 {
			if _, err := ParseDesign(file, data[:cut]); !errors.Is(err, dataset.ErrTruncated) && cut > 3 {
				t.Errorf("%s cut at %d: %v", file, cut, err)
			}
		}
	}
}

func BenchmarkParseDesign(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := []byte(`{"document":{"id":"0:1","type":"FRAME",` + boxJSON + `,"children":[` + strings.Repeat(
				`{"id":"1:2","name":"Label","type":"TEXT",`+boxJSON+`,"characters":"Add to cart","style":{"fontFamily":"Inter","fontSize":14},"constraints":{"vertical":"TOP"},`+
					`"fills":[{"blendMode":"NORMAL","type":"SOLID","color":{"r":0.9098039269447327,"g":0.09019608050584793,"b":0.5411764979362488,"a":1.0}}]},`, n-2) + `{}]}}`)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseDesign("b.json", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzParseDesign reads any bytes; whatever is read obeys the rules of [Design].
func FuzzParseDesign(f *testing.F) {
	f.Add([]byte(`{"document":{"id":"1:1","type":"FRAME",` + boxJSON + `,"children":[{"id":"1:2","type":"TEXT","characters":"a","fills":[{"type":"SOLID","color":{"r":1}}]}]}}`))
	f.Add([]byte(`{"nodes":{"1":{"document":{"children":[{"opacity":0.5,"visible":false,"style":{"fontSize":3}}],"strokes":"MIXED"}}}}`))
	f.Add([]byte(`{"type":"A","fills":[{"color":"#123456"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDesign("a.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "a.json: ") || d != nil {
				t.Errorf("%v", err)
			}
			return
		}
		for i, n := range d.Nodes {
			up := -1
			if i > 0 {
				up = d.Nodes[n.Parent].Depth
			}
			if n.Parent >= i || n.Depth != up+1 || !(n.Opacity >= 0 && n.Opacity <= 1) || n.Bounds != nil && (n.Bounds.Width < 0 || n.Bounds.Height < 0) {
				t.Errorf("node %d: %+v", i, n)
			}
		}
	})
}
