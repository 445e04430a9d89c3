// Tests that tables are joined by the names of their columns wherever one is read.

package suite

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/canvas"
	generation "repscope/analysis/generation/command"
	"repscope/dataset"
	"repscope/dataset/casefile"
	"repscope/dataset/protein"
	"repscope/internal/run"
	"repscope/report"
	"repscope/tool/compare"
	"repscope/tool/validate"
)

// tablePlace is a place where a table is read.
type tablePlace struct {
	source string // the file that reads it
	option string // who gives it
	table  string
	needs  string // a column that must be there; empty: any columns are taken
	// read is what is understood of the table at path, without its digest.
	read func(t *testing.T, path string) (any, error)
}

// bytesRead reads a table by its bytes.
func bytesRead[T any](parse func(name string, data []byte) (T, error)) func(t *testing.T, path string) (any, error) {
	return func(t *testing.T, path string) (any, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return parse("table.csv", data)
	}
}

// tablePlaces are all of them.
var tablePlaces = []tablePlace{
	{"dataset/table.go", "reward --targets NAME=FILE.csv", "lives,x,side\n3,0.5,left\n2,0.25,right\n", "",
		func(_ *testing.T, path string) (any, error) {
			columns, err := dataset.ReadTable(path)
			byName := map[string]dataset.Column{}
			for _, c := range columns {
				byName[c.Name] = c
			}
			return byName, err
		}},
	{"dataset/table.go", "generation --generated NAME=FILE.csv", "a,b,label,group\n" + rowsOfTwo, "a", func(t *testing.T,
		path string) (any, error) {
		return generated(t, "--generated", "g="+path, "--real", beside(t, path, "real.csv", "a,b,label,group\n"+rowsOfTwo))
	}},
	{"dataset/table.go", "generation --holdout FILE.csv", "a,b,label\n" + strings.ReplaceAll(rowsOfTwo, ",u\n", "\n"),
		"b", func(t *testing.T, path string) (any, error) {
			real := beside(t, path, "real.csv", "a,b,label\n"+strings.ReplaceAll(rowsOfTwo, ",u\n", "\n"))
			return generated(t, "--generated", "g="+real, "--real", real, "--holdout", path)
		}},
	{"dataset/table.go", "generation --predictions NAME=FILE.csv",
		"target,predicted,num_generated\n1,1,4\n2,1,5\n1,2,4\n2,2,5\n", "predicted", func(t *testing.T, path string) (any,
			error) {
			return generated(t, "--predictions", "g="+path)
		}},
	{"report/samples.go", "compare FILE.csv", "model,sample,group,mse,mae\na,0,7,1,2\nb,0,7,3,4\n", "group",
		func(t *testing.T, path string) (any, error) {
			table, err := report.ReadSamples(path)
			if err != nil {
				return nil, err
			}
			byName := map[string]any{}
			for _, m := range table.Models {
				for k, metric := range table.Metrics {
					byName[m.Model+" "+metric] = []any{m.Sample, m.Group, m.Scores[k]}
				}
			}
			return byName, nil
		}},
	{"tool/compare/scores.go", "compare FILE.csv (scores)",
		"model,task,seed,metric,score\nA,x,1,mse,2\nB,x,1,mse,3\nA,y,2,mae,4\n", "score",
		func(_ *testing.T, path string) (any, error) { return scoresByName(path) }},
	{"tool/compare/scores.go", "compare FILE.csv (wide)", "model,task,seed,mse,mae\nA,x,1,2,3\nB,x,1,3,4\nA,y,2,4,5\n", "",
		func(_ *testing.T, path string) (any, error) { return scoresByName(path) }},
	{"tool/compare/command.go", "compare --scale FILE.csv",
		"task,worst,best,metric\npong,-21,21,return\nqbert,100,2000,return\n", "best",
		func(_ *testing.T, path string) (any, error) { return compare.ReadScale(path) }},
	{"tool/compare/losses.go", "compare --losses NAME=FILE.csv", "epoch,val_loss,train_loss\n1,4,3\n2,2,1\n", "",
		func(_ *testing.T, path string) (any, error) {
			losses, err := compare.ReadLosses([]compare.LossSpec{{Name: "m", Path: path}}, nil)
			if err != nil {
				return nil, err
			}
			byName := map[string]any{"x": losses[0].X}
			for _, c := range losses[0].Curves {
				byName[c.Column] = c.XY
			}
			return byName, nil
		}},
	{"tool/validate/read.go", "validate TABLE", "run,step,y,x\na,1,0.5,2\na,2,0.7,3\nb,1,0.1,4\n", "y",
		bytesRead(func(name string, data []byte) (map[string]any, error) {
			in, err := validate.Parse(name, data, validate.Columns{Outcome: "y"}, nil)
			if err != nil {
				return nil, err
			}
			byName := map[string]any{"y": in.Outcome, "run": in.Run, "step": in.Step}
			for _, c := range in.Numbers {
				byName[c.Name] = c.Values
			}
			return byName, nil
		})},
	{"analysis/canvas/ratings.go", "canvas --ratings FILE.csv", "case_id,rating,rater\na,4,x\nb,2,x\n", "rating",
		bytesRead(canvas.ReadRatings)},
	{"analysis/canvas/ratings.go", "canvas --ratings FILE.csv (preferences)", "case_a,case_b,winner,rater\na,b,tie,x\nb,c,a,x\n", "winner",
		bytesRead(canvas.ReadPreferences)},
	{"dataset/casefile/captions.go", "canvas --captions FILE.csv", "case_id,gt_caption,gen_caption\na,one,two\nb,three,four\n",
		"gen_caption", bytesRead(casefile.ParseCaptions)},
	{"dataset/casefile/captions.go", "canvas --embeddings-ids FILE.csv", "case_id,note\na,one\nb,two\n", "case_id",
		bytesRead(casefile.ParseCases)},
	{"dataset/fixations.go", "canvas --fixations FILE.csv", "x,y,sample\n1,2,a\n3,4,b\n", "y",
		bytesRead(dataset.ParseFixations)},
	{"dataset/protein/sequences_table.go", "sequence --sequences FILE.csv",
		"id,cluster,heavy_chain,heavy_cdr_mask\na,c,WKLE,0123\nb,d,YYCP,0120\n", "heavy_chain", func(_ *testing.T,
			path string) (any, error) {
			f, err := protein.Open(path, protein.Options{})
			if err != nil {
				return nil, err
			}
			defer f.Close()
			all := make([]protein.Sequence, f.Len())
			for i := range all {
				if err := f.Read(i, &all[i]); err != nil {
					return nil, err
				}
			}
			return all, nil
		}},
	{"dataset/protein/positions.go", "sequence --positions NAME=FILE.csv",
		"seq,pos,region_mode,target,pred,nll,prob\na,1,standard,E,E,0,1\nb,2,standard,E,L,0.6931472,0.5\n", "pred",
		func(_ *testing.T, path string) (any, error) {
			f, err := protein.OpenPositions(path, []string{"standard"})
			if err != nil {
				return nil, err
			}
			var all [][]protein.Position
			for i := range f.IDs() {
				rows, err := f.Read(i)
				if err != nil {
					return nil, err
				}
				all = append(all, rows)
			}
			return all, nil
		}},
	{"dataset/protein/substitutions.go", "sequence --substitutions ASSAY=FILE.csv",
		"mutant,DMS_score,chain,assay\nA1P,0.5,heavy,x\nA2P,1,light,x\n", "DMS_score", func(_ *testing.T, path string) (any,
			error) {
			var all []protein.Substitution
			err := protein.ReadSubstitutions(path, func(s *protein.Substitution) error {
				all = append(all, *s)
				all[len(all)-1].GermlineDistance = 0 // NaN: it is not given
				return nil
			})
			return all, err
		}},
}

// scoresByName are the scores of a table by task, model, run and metric.
func scoresByName(path string) (any, error) {
	files, err := compare.Read(path)
	byName := map[string]float64{}
	for _, f := range files {
		for _, m := range f.Models {
			for _, n := range m.Numbers {
				byName[f.Task+" "+m.Name+" "+m.Run+" "+n.Path] = n.Value.V
			}
		}
	}
	return byName, err
}

// rowsOfTwo are rows of two numbers that are far from each other, a label and a group.
var rowsOfTwo = strings.Repeat("0.1,50.2,x,u\n0.4,50.9,x,u\n-0.3,49.5,y,u\n1.2,51.1,y,u\n0.7,48.8,x,u\n-1.1,50.4,y,u\n", 2)

// beside writes a file beside another.
func beside(t *testing.T, path, name, text string) string {
	t.Helper()
	path = filepath.Join(filepath.Dir(path), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// generated is the part of the models in the result of generation.
func generated(t *testing.T, args ...string) (any, error) {
	var stdout, stderr bytes.Buffer
	args = append(args, "--metrics", "similarity,conditioning,fidelity", "--json", "--quiet", "--bootstrap", "0",
		"--format", "none", "--out", filepath.Join(t.TempDir(), "out"))
	if code := run.Run(t.Context(), generation.Command, args, &stdout, &stderr); code != 0 {
		return nil, errorText(stderr.String())
	}
	var result struct{ Models any }
	err := json.Unmarshal(stdout.Bytes(), &result)
	return result.Models, err
}

type errorText string

func (e errorText) Error() string { return string(e) }

// TestTables holds at every place that the order of columns does not matter, and that columns of one
// name, and a column that is missing, are refused by name.
func TestTables(t *testing.T) {
	t.Parallel()
	for _, place := range tablePlaces {
		t.Run(place.option, func(t *testing.T) {
			t.Parallel()
			records, err := csv.NewReader(strings.NewReader(place.table)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			read := func(order []int, rename map[string]string) (any, error) {
				var text bytes.Buffer
				w := csv.NewWriter(&text)
				for r, record := range records {
					row := make([]string, len(record))
					for k, from := range order {
						if row[k] = record[from]; r == 0 && rename[row[k]] != "" {
							row[k] = rename[row[k]]
						}
					}
					_ = w.Write(row)
				}
				w.Flush()
				path := filepath.Join(t.TempDir(), "table.csv")
				if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				return place.read(t, path)
			}
			names := records[0]
			order := make([]int, len(names))
			for i := range order {
				order[i] = i
			}
			want, err := read(order, nil)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(order)
			for range names {
				if got, err := read(order, nil); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("columns %v: %v, error %v, want %v", order, got, err, want)
				}
				order = append(order[1:], order[0])
			}
			if _, err := read(order, map[string]string{names[1]: names[0]}); err == nil || !strings.Contains(err.Error(),
				`two columns are named "`+names[0]+`"`) {
				t.Errorf("two columns %s: error %v", names[0], err)
			}
			if place.needs == "" {
				return
			}
			if _, err := read(order, map[string]string{place.needs: "zzz"}); err == nil || !strings.Contains(err.Error(),
				place.needs) || !strings.Contains(err.Error(), "zzz") {
				t.Errorf("without %s: error %v", place.needs, err)
			}
		})
	}
}

// TestTablePlaces holds that the list has every file that opens a table.
func TestTablePlaces(t *testing.T) {
	t.Parallel()
	var listed, found []string
	for _, p := range tablePlaces {
		listed = append(listed, p.source)
	}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		source := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || source == "dataset/protein/tablereader.go" { // whose openRows others call
				return true
			}
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				if of, ok := f.X.(*ast.Ident); ok && of.Name == "tabular" && (f.Sel.Name == "Open" || f.Sel.Name == "First") {
					found = append(found, source)
				}
			case *ast.Ident:
				if f.Name == "openRows" {
					found = append(found, source)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	slices.Sort(found)
	if listed, found = slices.Compact(listed), slices.Compact(found); !slices.Equal(listed, found) {
		t.Errorf("tables are opened in %v, and tried in %v", found, listed)
	}
}
