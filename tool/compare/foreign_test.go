// Tables and cells of other programs that are refused, and records of Every Eval Ever.

package compare

import (
	"errors"
	"math"
	"strings"
	"testing"

	"repscope/report"
)

func TestCellHints(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		`\textbf{0.51}`: "no LaTeX", "$0.5$": "no LaTeX", "**0.51**": "no LaTeX", "0.51*": "no LaTeX",
		"0.51 ± 0.02": "write the value alone", "51.2 (0.3)": "write the value alone", "0.5 [0.4, 0.6]": "write the value alone",
		"0.5 +/- 0.1": "write the value alone", "1,234": "separators of thousands", "1,234.5": "separators of thousands",
		"1.234,5": "separators of thousands", "1'234": "separators of thousands", "1 234": "separators of thousands",
		"−1.5": "minus sign as -", "51.2%": "without the sign", "51.2 %": "without the sign", "0,51": "a decimal point",
		"12ms": "without their unit", "3.5 GB": "without their unit", "adam": "--columns task=acc", "2024-01-01": "--columns task=acc",
	} {
		if got := cellHint(cell, "acc"); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", cell, got, want)
		}
	}
}

func TestForeignTables(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Wall time,Step,Value\n1,0,1\n":                                      "a curve of TensorBoard|--losses",
		",number,value,datetime_start,state\n0,0,1,x,COMPLETE\n":             "trials of Optuna",
		"Start Time,Run ID,Name,Status,mae\nx,a,b,FINISHED,1\n":              "mlflow.search_runs()",
		",mean_fit_time,params,mean_test_score\n0,1,{},1\n":                  "a row for each split",
		",pong,pong\n,acc,f1\nmodel,,\nA,1,2\n":                              `two columns are named "pong"|'/'.join`,
		",,score,score\n,,mean,std\nmodel,task,,\nA,x,1,2\n":                 `column 2 has no name|'/'.join`,
		"acc,acc,model\n1,2,A\n":                                             "one name of its own",
		"sep=;\nmodel;score\nA;1\n":                                          "for Excel alone",
		"| model | acc |\n| --- | --- |\n| A | 1 |\n":                        "save it as CSV",
		"name,old time/op (ns/op),±,new time/op (ns/op),±\nA,1,1%,1,1%\n":    "save it as text",
		"SQLite format 3\x00\x10\x00":                                        "is a SQLite database|search_runs(search_all_experiments=True).to_csv",
		":W&B\xbe\xe1\x00model,score\n":                                      "is the log of a run of Weights & Biases|wandb sync",
		"\x93NUMPY\x01\x00v\x00{}\n":                                         "is a NumPy array, which does not name models|a row for each score",
		"PK\x03\x04\x14\x00,,,\n":                                            "such as .npz or .xlsx|save the sheet as CSV",
		"\x89HDF\r\n\x1a\n":                                                  "is an HDF5 file",
		"\x80\x05\x95\x10\x00":                                               "is a pickle|df.to_csv",
		"model   acc\nA   1\n":                                               "tables need a first line of names",
		"model;task;return\nA;x;1.234\nB;x;0,5\n":                            `"1.234" next to "0,5"|without separators of thousands`,
		"model;task;return\nA;x;0,5\nB;x;-1.234.567\n":                       `holds "-1.234.567", want a number|separators of thousands`,
		`[{"name":{"name":"em","split":"test"},"count":1,"sum":1,"mean":1}]`: "HELM",
	} {
		_, err := ReadFrom("a.txt", []byte(text))
		if strings.HasPrefix(text, "[") {
			_, err = ReadFrom("a.json", []byte(text))
		}
		if err == nil {
			t.Errorf("%q is read", text)
			continue
		}
		got := err.Error() + " " + hintsOf(err)
		for _, part := range strings.Split(want, "|") {
			if !strings.Contains(got, part) {
				t.Errorf("%q: %s, want %s", text, got, part)
			}
		}
	}
	// One decimal comma is enough, and points with other than three digits are of decimals.
	files, err := ReadFrom("a.csv", []byte("model;score\nA;0,5\nB;0.125\nC;12.5\n"))
	if got := scoresOf(files); err != nil || got["|B||score"] != 0.125 || got["|C||score"] != 12.5 {
		t.Errorf("%v, %v", got, err)
	}
}

const everyRecord = `{"schema_version": "0.2.1", "model_info": {"name": "M", "id": "org/M"}, "evaluation_results": [
{"evaluation_name": "share", "metric_config": {"lower_is_better": false}, "score_details": {"score": 0.75,
	"uncertainty": {"standard_error": {"value": 0.04351941398892446}, "num_samples": 100}}},
{"evaluation_name": "loss", "metric_config": {"lower_is_better": true, "metric_id": "nll"}, "score_details": {"score": 2.5,
	"uncertainty": {"standard_error": {"value": 0.1}, "num_samples": 16}}},
{"evaluation_name": "loss", "metric_config": {"lower_is_better": true, "metric_id": "ppl"}, "score_details": {"score": 12,
	"uncertainty": {"confidence_interval": {"lower": 11, "upper": 14, "confidence_level": 0.95}}}},
{"evaluation_name": "bare", "metric_config": {}, "score_details": {"score": 0.5, "uncertainty": {"standard_error": {"value": 0.11}}}}
]}`

func TestEveryEval(t *testing.T) {
	t.Parallel()
	files, err := ReadFrom("r.json", []byte(everyRecord))
	if err != nil || len(files) != 3 || files[0].Models[0].Name != "org/M" {
		t.Fatal(files, err)
	}
	number := func(file int, path string) report.Named {
		n, ok := files[file].Models[0].number(path)
		if !ok {
			t.Errorf("there is no %s", path)
		}
		return n
	}
	// Wilson's interval of 75 of 100 and Student's t with 15 degrees of freedom, of SciPy 1.15.
	for _, c := range []struct {
		file      int
		path      string
		value     float64
		low, high float64
		direction report.Direction
	}{
		{0, "score", 0.75, 0.656955364519384, 0.8245478863771232, report.Higher},
		{1, "nll", 2.5, 2.5 - 0.2131449545559323, 2.5 + 0.2131449545559323, report.Lower},
		{1, "ppl", 12, 11, 14, report.Lower},
	} {
		n := number(c.file, c.path)
		if n.Value.V != c.value || math.Abs(n.Interval.Low-c.low) > 1e-9 || math.Abs(n.Interval.High-c.high) > 1e-9 ||
			files[c.file].metrics[c.path].Direction != c.direction {
			t.Errorf("%s: %+v, %+v", c.path, n, files[c.file].metrics[c.path])
		}
	}
	if n := number(2, "score"); n.Interval.Defined() {
		t.Errorf("%+v", n)
	}
	for old, new := range map[string]string{
		`"nll"`: `"ppl"`, `"score": 12,`: `"score": "x",`, `"name": "M", "id": "org/M"`: ``, `"value": 0.1}, "num`: `"value": -1}, "num`,
	} {
		if _, err := ReadFrom("r.json", []byte(strings.Replace(everyRecord, old, new, 1))); err == nil {
			t.Errorf("%s instead of %s is read", new, old)
		}
	}
}

func hintsOf(err error) string {
	var h interface{ Hints() []string }
	if errors.As(err, &h) {
		return strings.Join(h.Hints(), " ")
	}
	return ""
}
