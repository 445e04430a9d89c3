// The examples of the panels: each draws one panel into a plot of gonum's, and its
// image is the panel's golden test.

package plots_test

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"repscope/plots"
)

// exampleFolder is where the examples save their images.
var exampleFolder string

func TestMain(m *testing.M) {
	var err error
	if exampleFolder, err = os.MkdirTemp("", "plots"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(exampleFolder)
	os.Exit(code)
}

// examples are the examples of the panels, by their names in lower case.
var examples = map[string]func(){
	"scatter": ExampleScatter, "boxplot": ExampleBoxPlot, "groupedbars": ExampleGroupedBars, "bars": ExampleBars, "curves": ExampleCurves,
	"histogram": ExampleHistogram, "heatmap": ExampleHeatMap,
	"spectrum": ExampleSpectrum, "matrix": ExampleMatrix, "criticaldifference": ExampleCriticalDifference, "table": ExampleTable, "imagegrid": ExampleImageGrid, "boardsheet": ExampleBoardSheet,
	"boxedimage": ExampleBoxedImage, "text": ExampleText,
}

// Every panel has an example.
func TestPanelsHaveExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	panels := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func \(p \*(\w+)\) prepare\(`).FindAllSubmatch(text, -1) {
			panels++
			if name := strings.ToLower(string(m[1])); examples[name] == nil {
				t.Errorf("%s: the panel %s has no example in this file's list", file, m[1])
			}
		}
	}
	if panels != len(examples) {
		t.Errorf("%d panels, %d examples", panels, len(examples))
	}
}

// Each example draws what its golden image shows.
func TestPanelExamples(t *testing.T) {
	t.Parallel()
	for name, example := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			example()
			drawn, err := os.ReadFile(filepath.Join(exampleFolder, name+".png"))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "example_"+name+".png")
			if flag.Lookup("update").Value.String() == "true" {
				if err := os.WriteFile(path, drawn, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			golden, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(golden))
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(drawn))
			if err != nil {
				t.Fatal(err)
			}
			if mean, far := plots.Difference(got, want); mean > 0.5 || far > 0.002 {
				t.Errorf("mean difference %.2f of 255, %.2f %% of the pixels clearly different (look at the image, then run with -update)",
					mean, 100*far)
			}
		})
	}
}

// A panel next to a plotter of gonum's, on our axes.
func ExampleAdd() {
	p := plot.New()
	notes, err := plots.Add(p, []string{"jepa"}, &plots.Curves{
		X:      plots.Axis{Label: "Index", Log: true},
		Y:      plots.Axis{Label: "λ_{i}", Log: true},
		Series: []plots.CurveSeries{{Name: "jepa", X: []float64{1, 10, 100}, Y: []float64{8, 0.5, 0}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	line, err := plotter.NewLine(plotter.XYs{{X: 1, Y: 10}, {X: 100, Y: 0.1}})
	if err != nil {
		log.Fatal(err)
	}
	p.Add(line)
	fmt.Println(strings.Join(notes, "\n"))
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			fmt.Println(t.Value, t.Label)
		}
	}
	// Output:
	// Panel a: not shown: 1 value non-positive on a log axis.
	// 0.1 0.1
	// 1 1
	// 10 10
}
