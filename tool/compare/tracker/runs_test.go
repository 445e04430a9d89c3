// Tables of Weights & Biases. The columns are those of exports of 2025: the page's own, the configuration, the summary.

package tracker

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"repscope/internal/tabular"
)

const projectText = `"Name","Agent","State","Notes","User","Tags","Created","Runtime","Sweep","batch_size","data.dir","lr","model_type","seed","best_loss","epoch","eval/acc","log/info"
"unet-1","","finished","-","","","2025-11-13T09:48:11.000Z","9910","1wfhjnkh","8","./x","0.0001","unet","1","0.25","100","0.75","done"
"unet-2","","failed","-","","","2025-11-13T09:34:15.000Z","5902","1wfhjnkh","8","./x","0.0001","unet","2","0.5","100","NaN",""
"swin-1","","finished","-","","","2025-11-13T07:56:21.000Z","5628","1wfhjnkh","8","./x","0.0001","swin","1","0.125","90","","x"
`

func project(text string, asked ...string) (*Project, error) {
	rows, names, err := tabular.Open("runs.csv", strings.NewReader(text), tabular.Options{})
	if err != nil || !IsProject(names) {
		return nil, err
	}
	return ReadProject(rows, names, asked)
}

func TestProject(t *testing.T) {
	t.Parallel()
	p, err := project(projectText, ProjectName)
	if err != nil {
		t.Fatal(err)
	}
	want := "Name,best_loss,epoch,eval/acc\nunet-1,0.25,100,0.75\nunet-2,0.5,100,NaN\nswin-1,0.125,90,\n"
	if string(p.Text) != want || p.Runs != 3 || p.Unfinished != 1 || !slices.Equal(p.Config, []string{"batch_size", "lr", "seed"}) {
		t.Errorf("%s, %+v", p.Text, p)
	}
	if p, err = project(projectText, "model_type", "seed"); err != nil || !strings.HasPrefix(string(p.Text),
		"model_type,seed,best_loss,epoch,eval/acc\nunet,1,0.25,100,0.75\n") {
		t.Errorf("%s, %v", p.Text, err)
	}
	// Columns in an order of the user's: nothing is taken for the configuration.
	p, err = project("Name,State,Created,Runtime,Sweep,b,a,c,_runtime,b2\nx,running,t,1,,1,2,3,4,5\n", ProjectName)
	if err != nil || string(p.Text) != "Name,b,a,c,b2\nx,1,2,3,5\n" || len(p.Config) > 0 || p.Unfinished != 1 {
		t.Errorf("%s, %+v, %v", p.Text, p, err)
	}
	for text, want := range map[string]string{
		"Name,State,Created,Runtime,Sweep,a\nx,running\n": "line 2 does not have the same number of cells",
	} {
		if _, err := project(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	wide := "Name,State,Created,Runtime,Sweep"
	for i := range 4000 {
		wide += ",c" + shortest(float64(i))
	}
	wide += "\n" + strings.Repeat(strings.Repeat("1,", 4004)+"1\n", 1100)
	if _, err := project(wide); err == nil || !strings.Contains(err.Error(), "more than the 4194304 cells") {
		t.Errorf("a table of 4.4 million cells: %v", err)
	}
}

func TestHistoryTable(t *testing.T) {
	t.Parallel()
	read := func(text string) (string, error) {
		rows, names, err := tabular.Open("h.csv", strings.NewReader(text), tabular.Options{})
		if err != nil || !IsHistoryTable(names) {
			t.Fatal(names, err)
		}
		out, err := HistoryTable(rows, names, "run")
		return string(out), err
	}
	got, err := read(",_step,_runtime,loss,val/acc,note\n0,0,3,2,0.5,x\n1,2,9,NaN,,\n2,1,5,1.5,0.75,y\n")
	if err != nil || got != "model,loss,val/acc\nrun,NaN,0.75\n" {
		t.Errorf("%s, %v", got, err)
	}
	for text, want := range map[string]string{
		"_step;loss;acc\n1;0,5;1.234\n": "the column acc: points may be of decimals or of thousands",
		"_step,loss\nx,1\n":             `line 2: the column _step holds "x", want a number`,
		"_step,loss\n1,1,2\n":           "line 2 does not have the same number of cells",
		"_step,note\n1,a\n":             "no column has numbers next to _step",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzTables(f *testing.F) {
	f.Add([]byte(projectText))
	f.Add([]byte("_step,loss\n1,2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, names, err := tabular.Open("t.csv", bytes.NewReader(data), tabular.Options{})
		switch {
		case err != nil:
		case IsProject(names):
			if p, err := ReadProject(rows, names, []string{ProjectName}); err == nil && p.Runs > 0 && !bytes.HasPrefix(p.Text, []byte(ProjectName)) {
				t.Errorf("%s", p.Text)
			}
		case IsHistoryTable(names):
			if out, err := HistoryTable(rows, names, "run"); err == nil && !bytes.HasPrefix(out, []byte("model,")) {
				t.Errorf("%s", out)
			}
		}
	})
}

// A zero byte in a cell moves no other cell.
func TestReadProject_ZeroByte(t *testing.T) {
	t.Parallel()
	rows := csv.NewReader(strings.NewReader("a\x00b,finished,1,2,3,0.5\n"))
	names := []string{"Name", "State", "Created", "Runtime", "Sweep", "acc"}
	p, err := ReadProject(rows, names, []string{ProjectName})
	if want := "Name,acc\na\x00b,0.5\n"; err != nil || string(p.Text) != want {
		t.Errorf("got %+v, %v, want %q", p, err, want)
	}
}
