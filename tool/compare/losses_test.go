// Logs of training that are read, their figures, and the choice of a checkpoint.

package compare

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/torchfile/torchtest"
	"repscope/plots"
	"repscope/report"
)

// logged writes a file and reads its losses.
func logged(t *testing.T, name, text string, columns ...string) ([]*Losses, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, text)
	return ReadLosses([]LossSpec{{Name: "m", Path: path}}, columns)
}

func TestLosses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"plain.csv", "epoch,train_loss,val_loss\n1,0.9,1\n2,0.5,0.7\n3,0.4,0.8\n", "epoch train_loss 0.4@3 best 0.4@3; epoch val_loss 0.8@3 best 0.7@2"},
		{"wandb.csv", "\"Step\",\"run-1 - train/loss\",\"run-1 - train/loss__MIN\",\"run-1 - train/loss__MAX\"\n10,2,2,2\n20,1,1,1\n", "step train_loss 1@20 best 1@20"},
		{"tb.csv", "Wall time,Step,Value\n1700000000.5,0,3\n1700000001.5,5,2.5\n", "step Value 2.5@5 best 2.5@5"},
		// Two runs of W&B: each keeps its name, and is asked for by it.
		{"runs.csv", "Step,run-1 - val_loss,run-2 - val_loss,train_loss\n1,5,7,9\n2,4,,8\n", "step train_loss 8@2 best 8@2"},
		{"gaps.csv", "step,train_loss,val_loss\n1,3,\n2,2,\n2,,5\n3,nan,4\n", "step train_loss 2@2 best 2@2 undefined 1; step val_loss 4@3 best 4@3"},
		{"l.jsonl", "{\"_step\":1,\"val_loss\":2,\"note\":\"x\"}\n\n{\"_step\":2,\"val_loss\":NaN}\n{\"_step\":3,\"val_loss\":1.5}\n", "step val_loss 1.5@3 best 1.5@3 undefined 1"},
		{"rows.json", `[{"epoch":2,"val_loss":1},{"epoch":1,"val_loss":3}]`, "epoch val_loss 1@2 best 1@2"},
		{"lists.json", `{"train_loss":[3,2,1],"val_loss":[1,2,3]}`, "row train_loss 1@3 best 1@3; row val_loss 3@3 best 1@1"},
	} {
		losses, err := logged(t, c.name, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, l := range losses {
			for _, curve := range l.Curves {
				s := fmt.Sprintf("%s %s %v@%v best %v@%v", l.X, curve.Column, curve.Final.V, curve.FinalAt.V, curve.Best.V, curve.BestAt.V)
				if curve.Undefined > 0 {
					s += fmt.Sprintf(" undefined %d", curve.Undefined)
				}
				got = append(got, s)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, "; "), c.want)
		}
	}
	losses, err := logged(t, "acc.csv", "epoch,val_accuracy\n1,0.5\n2,0.75\n3,0.7\n", "val_accuracy")
	if err != nil || losses[0].Curves[0].Best.V != 0.5 && losses[0].Curves[0].Direction == report.Lower {
		t.Errorf("%+v, %v", losses, err)
	}
	losses, err = logged(t, "acc.csv", "epoch,accuracy\n1,0.5\n2,0.75\n3,0.7\n", "acc*")
	if err != nil || losses[0].Curves[0].Best.V != 0.75 || losses[0].Curves[0].BestAt.V != 2 {
		t.Errorf("%+v, %v", losses, err)
	}
}

// Columns of two runs are none of them "val_loss", which would be one of both.
func TestLosses_TwoRuns(t *testing.T) {
	t.Parallel()
	const text = "Step,run-1 - val_loss,run-2 - val_loss\n1,5,7\n2,,3\n"
	if _, err := logged(t, "l.csv", text); err == nil || !strings.Contains(err.Error(),
		"(there are Step, run-1 - val_loss, run-2 - val_loss)") {
		t.Errorf("got %v", err)
	}
	losses, err := logged(t, "l.csv", text, "run-1 - val_loss")
	if err != nil || len(losses[0].Curves) != 1 || losses[0].Curves[0].Final.V != 5 || losses[0].Curves[0].Points != 1 {
		t.Errorf("%+v, %v", losses, err)
	}
}

func TestCheckpointLosses(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	loss := torchtest.Floats(nil, []float32{0.25})
	if err := torchtest.Encode(&b, torchtest.Dict{{Key: "epoch", Value: 7}, {Key: "val_loss", Value: loss}, {Key: "config", Value: "x"}}); err != nil {
		t.Fatal(err)
	}
	losses, err := logged(t, "jepa_checkpoint.pth", b.String())
	if err != nil || len(losses) != 1 || losses[0].X != "epoch" || losses[0].Curves[0].Best.V != 0.25 || losses[0].Curves[0].BestAt.V != 7 {
		t.Errorf("%+v, %v", losses, err)
	}
}

func TestBadLosses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "truncated: the file is empty",
		"epoch,loss_val\n1,2\n": "it has none of the columns train_loss, val_loss, " +
			"val_reconstruction_loss (there are epoch, loss_val)",
		"epoch,train_loss\n1,2\n2,x\n":            `:3: train_loss: "x" is no number`,
		"epoch,train_loss\n1,2\n3\n":              "no CSV",
		"epoch,val_loss,val_loss\n1,2\n":          `two columns are named "val_loss"`,
		`[{"epoch":1,"val/loss":2,"val_loss":3}]`: "row 0 has val_loss twice",
		"{\"train_loss\":1}\n{\n":                 "truncated",
		"[1,2]":                                   "row 0 is no object of numbers",
		"epoch,train_losses\n1,2\n":               "did you mean --loss-columns train_losses?",
	} {
		if _, err := logged(t, "l.csv", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "tb.csv")
	write(t, path, "Wall time,Step,Value\n1,1,2\n")
	twice := []LossSpec{{Name: "m", Path: path}, {Name: "m", Path: path}}
	if _, err := ReadLosses(twice, nil); err == nil || !strings.Contains(err.Error(), "already has the column Value") {
		t.Errorf("got %v", err)
	}
	twice[0].Column, twice[1].Column = "train_loss", "val_loss"
	if losses, err := ReadLosses(twice, nil); err != nil || len(losses) != 1 || len(losses[0].Curves) != 2 {
		t.Errorf("%+v, %v", losses, err)
	}
	if _, err := ReadLosses([]LossSpec{{Name: "m", Path: "none.csv"}}, nil); err == nil || err.Error() != "none.csv: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

func FuzzLosses(f *testing.F) {
	for _, text := range []string{
		"epoch,train_loss,val_loss\n1,0.9,1\n", "Wall time,Step,Value\n1,0,3\n", "{\"_step\":1,\"val_loss\":2}\n{\"_step\":2}\n", `{"train_loss":[3,2,null]}`, `[{"epoch":1,"val_loss":NaN}]`,
	} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "l.csv")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		losses, err := ReadLosses([]LossSpec{{Name: "m", Path: path}}, nil)
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		for _, l := range losses {
			if l.X == "" || len(l.Curves) == 0 {
				t.Errorf("%+v", l)
			}
			for _, c := range l.Curves {
				if c.Points+c.Undefined == 0 || c.Best.Defined() != (c.Points > 0) {
					t.Errorf("%+v", c)
				}
			}
		}
	})
}

func TestSelect(t *testing.T) {
	t.Parallel()
	r := must(t, Options{}, one(t, "late", noisy(1, 8, 4, 0.1), nil), one(t, "later", noisy(2, 8, 4, 0.1), nil), one(t, "early", noisy(3, 8, 9, 0.1), nil))
	got, err := Select(r, nil, "mse")
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Best, []string{"late", "later"}) || len(got[0].Untested) != 0 ||
		!strings.HasSuffix(got[0].Sentence, "; late and later may be the best") || got[0].Leader != "late" && got[0].Leader != "later" {
		t.Errorf("%+v, %v", got, err)
	}
	losses, err := logged(t, "l.csv", "epoch,val_loss\n1,3\n2,2\n3,4\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Select(nil, losses, "val_loss"); err != nil || got[0].Sentence != "m: val_loss is lowest at epoch 2.000 (2.000); nothing tests it" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Select(r, losses, "msee"); err == nil || !strings.Contains(err.Error(), "did you mean mse?") {
		t.Errorf("got %v", err)
	}
}

// Figures of one, four and twelve models and twenty metrics, without a warning.
func TestFigures(t *testing.T) {
	t.Parallel()
	check := func(what string, f *plots.Figure) {
		t.Helper()
		if warnings, err := f.Warnings(); err != nil || len(warnings) > 0 {
			t.Errorf("%s: %q, %v", what, warnings, err)
		}
	}
	for _, models := range []int{1, 4, 12} {
		for _, metrics := range []int{1, 20} {
			dir := t.TempDir()
			var args []string
			for m := range models {
				var fields []string
				for k := range metrics {
					fields = append(fields, fmt.Sprintf(`"metric_%d":%d`, k, m*k%7))
				}
				path := filepath.Join(dir, fmt.Sprintf("model_%d.json", m))
				write(t, path, `{"metrics":{`+strings.Join(fields, ",")+`}}`)
				args = append(args, path)
			}
			r := must(t, Options{Higher: []string{"*"}}, args...)
			check(fmt.Sprint(models, " models, ", metrics, " metrics"), r.Figure())
		}
	}
	g, err := Example(42)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	check("the study", r.StudyFigure())
	losses, err := logged(t, "l.csv", "epoch,train_loss,val_loss\n1,300,200\n2,2,2\n3,0.4,nan\n")
	if err != nil {
		t.Fatal(err)
	}
	check("losses", LossFigure(losses))
}
