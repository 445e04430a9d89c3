// Tests of what changes how nodes look.

package casefile

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

// oneNode is the node of a design with these members.
func oneNode(t *testing.T, members string) *Node {
	t.Helper()
	d, err := ParseDesign("a.json", []byte(`{"document":{"id":"1","type":"FRAME","children":[{"id":"2","type":"TEXT",`+boxJSON+`,`+members+`}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return &d.Nodes[1]
}

// TestTextCase: what JavaScript's toUpperCase and toLowerCase return, and the first letters of words.
func TestTextCase(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		`"characters":"Buy now, straße","style":{"textCase":"UPPER"}`:      "BUY NOW, STRASSE",
		`"style":{"textCase":"LOWER","fontSize":3},"characters":"ÀB Γ"`:    "àb γ",
		`"characters":"it's a ca\u0301fé 3d","style":{"textCase":"TITLE"}`: "It's A Ca\u0301fé 3d",
		`"characters":"Ab","style":{"textCase":"ORIGINAL"}`:                "Ab",
		`"characters":"Ab","style":{"textCase":"SMALL_CAPS"}`:              "Ab",
		`"characters":"Ab","style":{"textCase":null}`:                      "Ab",
		`"characters":"Ab","style":{"textCase":7}`:                         "Ab",
		`"characters":"ab cd","style":{"textCase":"UPPER"},"characterStyleOverrides":[0,1,1],"styleOverrideTable":{"1":{"textCase":"ORIGINAL"},"x":{}}`: "Ab CD",
		`"characters":"ab cd","characterStyleOverrides":[0,0,0,2,2,9],"styleOverrideTable":{"2":{"textCase":"UPPER","fontSize":3}}`:                     "ab CD",
		`"characters":"\ud83d\ude00ab","characterStyleOverrides":[1,1,0,1],"styleOverrideTable":{"1":{"textCase":"UPPER"}}`:                             "😀aB",
		`"characters":"ab","characterStyleOverrides":[1,1],"styleOverrideTable":{"1":{"fontWeight":700}},"style":{"textCase":"UPPER"}`:                  "AB",
	} {
		if got := oneNode(t, members).Characters; got != want {
			t.Errorf("%s: %q, want %q", members, got, want)
		}
	}
}

// TestOldPaints: a background stands for fills that have no key, strokes of no weight are none, and gradients of no
// color are not seen.
func TestOldPaints(t *testing.T) {
	t.Parallel()
	red := Paint{"SOLID", true, 1, [4]float64{1, 0, 0, 1}}
	const solid = `{"type":"SOLID","color":{"r":1,"g":0,"b":0,"a":1}}`
	for members, want := range map[string][2][]Paint{
		`"background":[` + solid + `]`:                                                                       {{red}, nil},
		`"backgroundColor":{"r":1,"g":0,"b":0,"a":1}`:                                                        {{red}, nil},
		`"background":[],"backgroundColor":{"r":1,"g":0,"b":0,"a":1}`:                                        {nil, nil},
		`"backgroundColor":{"r":1,"g":0,"b":0,"a":1},"background":[]`:                                        {nil, nil},
		`"background":[` + solid + `],"fills":[]`:                                                            {nil, nil},
		`"fills":[` + solid + `],"background":[` + solid + `,` + solid + `]`:                                 {{red}, nil},
		`"strokes":[` + solid + `],"strokeWeight":2`:                                                         {nil, {red}},
		`"strokeWeight":0,"strokes":[` + solid + `]`:                                                         {nil, nil},
		`"fills":[{"type":"GRADIENT_LINEAR","gradientStops":[{"color":{"a":0}},{"color":{"r":1,"a":0}}]}]`:   {{{Type: "GRADIENT_LINEAR", Opacity: 1}}, nil},
		`"fills":[{"type":"GRADIENT_LINEAR","gradientStops":[{"color":{"a":0}},{"color":{"r":1,"a":0.5}}]}]`: {{{Type: "GRADIENT_LINEAR", Opacity: 1, Visible: true}}, nil},
	} {
		n := oneNode(t, members)
		if len(n.Fills)+len(want[0]) > 0 && !reflect.DeepEqual(n.Fills, want[0]) || len(n.Strokes)+len(want[1]) > 0 && !reflect.DeepEqual(n.Strokes, want[1]) {
			t.Errorf("%s: %v and %v, want %v", members, n.Fills, n.Strokes, want)
		}
	}
}

// TestShownNodes: slices are never drawn, nor the contents of a section that hides them.
func TestShownNodes(t *testing.T) {
	t.Parallel()
	d, err := ParseDesign("a.json", []byte(`{"document":{"id":"1","type":"FRAME","children":[{"id":"2","type":"SLICE"},
		{"id":"3","type":"SECTION","children":[{"id":"4"}],"sectionContentsHidden":true},{"id":"5","clipsContent":true,"isMask":true},
		{"id":"6","clipsContent":"yes","isMask":1,"size":[],"background":3,"backgroundColor":"red"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, n := range d.Nodes {
		got += fmt.Sprint(n.ID, " ", n.Shown, n.Clips, n.Mask, "; ")
	}
	if want := "1 true false false; 2 false false false; 3 true false false; 4 false false false; 5 true true true; 6 true false false; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTurned: a rectangle of 100 × 148.75 rotated by −18.3°, in degrees and radians, with and without its size, and as
// a child of a rotated node. The bounds of a rectangle w × h rotated by a are w·cos a + h·sin a by w·sin a + h·cos a.
func TestTurned(t *testing.T) {
	t.Parallel()
	angle := 18.3 * math.Pi / 180
	s, c := math.Sincos(angle)
	box := fmt.Sprintf(`"absoluteBoundingBox":{"x":0,"y":0,"width":%v,"height":%v}`, 100*c+148.75*s, 100*s+148.75*c)
	for _, rotation := range []string{
		`"rotation":-18.3`, fmt.Sprintf(`"rotation":%v`, -angle), `"rotation":-18.3,"size":{"x":100,"y":148.75}`,
		fmt.Sprintf(`"size":{"x":100,"y":148.75},"rotation":%v`, -angle), fmt.Sprintf(`"rotation":%v`, math.Pi-angle),
	} {
		for _, text := range []string{
			`{"id":"1","children":[{"id":"2",` + rotation + `,` + box + `}]}`,
			`{"id":"1","children":[{"id":"g",` + rotation + `,"children":[{"id":"2",` + box + `}]}]}`,
		} {
			d, err := ParseDesign("a.json", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			size, turned := d.Nodes[len(d.Nodes)-1].Unturned()
			if !turned || math.Abs(size.Width-100) > 1e-9 || math.Abs(size.Height-148.75) > 1e-9 {
				t.Errorf("%s: %v, %v", text, size, turned)
			}
		}
	}
	for _, members := range []string{`"name":"x"`, `"rotation":0`, `"rotation":-1.5707963705062866`, `"rotation":3.1415927410125732`, `"rotation":90`} {
		if size, turned := oneNode(t, members).Unturned(); turned || size != (Size{3, 4}) {
			t.Errorf("%s: %v, %v", members, size, turned)
		}
	}
	// A square that is turned by 45° has bounds of √2 times its side; a small angle in degrees is known by the size.
	d, err := ParseDesign("a.json", []byte(`{"id":"1","children":[{"id":"2","rotation":0.7853981633974483,"absoluteBoundingBox":{"x":0,"y":0,"width":14.142135623730951,"height":14.142135623730951}}]}`))
	if size, turned := d.Nodes[1].Unturned(); err != nil || !turned || math.Abs(size.Width-10) > 1e-9 || math.Abs(size.Height-10) > 1e-9 {
		t.Errorf("%v, %v, %v", size, turned, err)
	}
	s, c = math.Sincos(2 * math.Pi / 180)
	n := oneNode(t, `"rotation":2`)
	d, err = ParseDesign("a.json", []byte(fmt.Sprintf(`{"id":"1","rotation":2,"size":{"x":100,"y":50},"absoluteBoundingBox":{"x":0,"y":0,"width":%v,"height":%v}}`, 100*c+50*s, 100*s+50*c)))
	if err != nil || math.Abs(d.Nodes[0].Rotation-2*math.Pi/180) > 1e-12 || n.Rotation != 2 {
		t.Errorf("%v and %v, %v", d.Nodes[0].Rotation, n.Rotation, err)
	}
}

// TestSeveralDocuments: the documents of several keys are below one root.
func TestSeveralDocuments(t *testing.T) {
	t.Parallel()
	d, err := ParseDesign("a.json", []byte(`{"nodes":{"1:1":{"document":{"id":"1:1","children":[{"id":"1:2"}]}},"2:1":null,"3:1":{"document":{"id":"3:1"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, n := range d.Nodes {
		got += fmt.Sprint(n.ID, n.Type, " ", n.Parent, n.Depth, "; ")
	}
	if want := "DOCUMENT -1 0; 1:1 0 1; 1:2 1 2; 3:1 0 1; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
