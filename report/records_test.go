// Rows of tables as JSON.

package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	got, err := Records("t.jsonl", []byte("{\"model\":\"a\",\"n\":1e-3}\n\n{\"n\":null,\"ok\":true,\"model\":\"b, c\"}\n"))
	if want := "model,n,ok\na,1e-3,\n\"b, c\",,true\n"; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for text, want := range map[string]string{
		"{\"a\":1}\n[2]\n":             "t.jsonl:2: want an object, which is a row of a table",
		"{\"a\":1}\n{\"a\":2,\"a\":3}": "t.jsonl:2:8: a: the name is used twice",
		"{\"a\":1}\n{\"a\":":           "t.jsonl:2:6: a: truncated",
	} {
		if _, err := Records("t.jsonl", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestIsRecords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"{\"a\":1}\n{\"a\":2}\n": true,
		"{\"a\":1}\n":            false, // one object is a whole file
		"{\n\"a\":1}\n":          false,
		"[1]\n[2]\n":             false,
	} {
		if IsRecords("t.json", []byte(text)) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
	if !IsRecords("t.jsonl.gz", []byte(`{"a":1}`)) {
		t.Error("one line of a file named .jsonl.gz is no row")
	}
}

// Rows that each have a name of their own would make a table of the square of their number.
func TestRecords_Hostile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, "{\"%d\":1}\n", i)
	}
	if _, err := Records("t.jsonl", []byte(b.String())); err == nil || !strings.Contains(err.Error(), "more than 16384 different members") {
		t.Errorf("error %v", err)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte("{\"model\":\"a\",\"n\":1e-3}\n\n{\"n\":null,\"ok\":true,\"model\":\"b, c\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Records("t.jsonl", data); err != nil && !strings.Contains(err.Error(), "t.jsonl") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}

// What pandas writes with each of its orientations, and documents that look alike.
func TestFrame(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"columns":["model","score"],"index":[0,1],"data":[["a",0.5],["b",0.6]]}`: "split",
		`{"columns":["model","score"],"data":[["a",0.5],["b",0.6]]}`:               "split",
		`{"model":{"0":"a","1":"b"},"score":{"0":0.5,"1":0.6}}`:                    "columns",
		`{"0":{"model":"a","score":0.5},"1":{"model":"b","score":0.6}}`:            "index",
		// Rows that were sorted or filtered, columns of other names, and names of several levels.
		`{"1":{"model":"a","score":0.5},"0":{"model":"b","score":0.6}}`:   "index",
		`{"3":{"algo":"a","return":0.5},"7":{"algo":"b","return":0.6}}`:   "index",
		`{"model":{"7":"a","3":"b"},"score":{"7":0.5,"3":0.6}}`:           "columns",
		`{"algo":{"3":"a","7":"b"},"return":{"3":0.5,"7":0.6}}`:           "columns",
		`{"('A', 'x')":{"0":0.5,"1":0.6},"('A', 'y')":{"0":0.7,"1":0.8}}`: "columns",
		`{"recall":{"1":0.5,"5":0.6},"precision":{"1":0.7,"5":0.8}}`:      "",
		`[["a",0.5],["b",0.6]]`: "values",
		`{"schema":{"fields":[{"name":"model","type":"string"}],"pandas_version":"1.4.0"},"data":[{"model":"a"}]}`: "table",
		`[{"model":"a","score":0.5},{"model":"b","score":0.6}]`:                                                    "",
		`{"pong":{"mse":1},"breakout":{"mse":2}}`:                                                                  "",
		`{"accuracy":{"0":0.5,"1":0.6}}`:                                                                           "",
		`{"0":{"mse":1},"1":{"mse":2}}`:                                                                            "",
		`{"metrics":{"mse":1},"evaluation_config":{}}`:                                                             "",
		`{"data":[1,2]}`: "", `{}`: "", `[]`: "", `[1]`: "", `3`: "",
	} {
		v, err := Parse("x.json", []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if got := Frame(v); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}

// The error of scores per sample without groups says what to give.
func TestReadSamples_NoGroup(t *testing.T) {
	t.Parallel()
	_, err := ReadGraded("s.csv", strings.NewReader("model,sample,mse\na,1,0.5\n"))
	var hint interface{ Hints() []string }
	if !errors.As(err, &hint) || !strings.Contains(strings.Join(hint.Hints(), " "), "add a column group") ||
		!strings.Contains(err.Error(), `s.csv:1: there is no column "group"`) {
		t.Errorf("got %v", err)
	}
}
