// Tables of scores as JSON.

package compare

import (
	"fmt"
	"strings"
	"testing"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	want := map[string]float64{"pong|a|1|acc": 1, "pong|a|2|acc": 2, "qbert|a|1|acc": 3, "pong|b|1|acc": 4, "pong|b|2|acc": 5,
		"qbert|b|1|acc": 6}
	var lines []string
	for _, row := range []string{"pong,a,1,1", "pong,a,2,2", "qbert,a,1,3", "pong,b,1,4", "pong,b,2,5", "qbert,b,1,6"} {
		cells := strings.Split(row, ",")
		lines = append(lines, fmt.Sprintf(`{"model":%q,"task":%q,"seed":%s,"metric":"acc","score":%s}`, cells[1], cells[0], cells[2],
			cells[3]))
	}
	for name, text := range map[string]string{
		"s.jsonl":  strings.Join(lines, "\n"),
		"s.ndjson": "\ufeff" + strings.Join(lines, "\n\n") + "\n",
		"s.json":   "[" + strings.Join(lines, ",\n") + "]",
	} {
		files, err := ReadFrom(name, []byte(text))
		if got := scoresOf(files); err != nil || !sameScores(got, want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
	// A member for each metric, one of them missing, and one inside another object.
	files, err := ReadFrom("w.jsonl", []byte(`{"model":"a","acc":1,"test":{"f1":0.5}}
{"model":"b","acc":null,"late":7}
`))
	wide := map[string]float64{"|a||acc": 1, "|a||test.f1": 0.5, "|b||late": 7}
	if got := scoresOf(files); err != nil || !sameScores(got, wide) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestBadRecords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\"model\":\"a\",\"acc\":1}\n{\"model\":\"b\",\"acc\":\"high\"}\n":            `r.jsonl:2: the column acc holds "high", want a number`,
		"{\"model\":\"a\",\"acc\":1}\n{\"model\":\n":                                   "r.jsonl:2",
		"{\"model\":\"a\",\"acc\":1}\n{\"model\":\"b\",\"acc\":[1,2]}\n":               `r.jsonl:2: the column acc holds "(list of 2)"`,
		"{\"model\":\"a\",\"acc\":1}\n{\"model\":\"a\",\"acc\":1}\n":                   "r.jsonl:2: the row repeats line 1",
		"[{\"model\":\"a\",\"acc\":1},7]":                                              "r.jsonl: row 1 of the list: want an object",
		"{\"acc\":1}\n{\"acc\":2,\"acc\":3}\n":                                         "r.jsonl:2",
		"{\"model\":\"a\",\"metric\":\"acc\"}\n{\"model\":\"b\",\"metric\":\"acc\"}\n": "there is a column of metrics and none of scores",
	} {
		if files, err := ReadFrom("r.jsonl", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, files, err, want)
		}
	}
	var b strings.Builder
	// Members in the first lines alone, and a table that is much larger than the file.
	b.Reset()
	fmt.Fprintf(&b, "{\"m0\":1")
	for i := range 16_000 {
		fmt.Fprintf(&b, ",\"m%d\":1", i+1)
	}
	b.WriteString("}\n" + strings.Repeat("{\"m0\":1}\n", 20_000))
	if _, err := ReadFrom("r.jsonl", []byte(b.String())); err == nil || !strings.Contains(err.Error(), "damaged or malicious") {
		t.Errorf("a table of 320 million cells: %v", err)
	}
	b.Reset()
	// Every line with a member of its own would be a table of the square of its lines.
	for i := range 20_000 {
		fmt.Fprintf(&b, "{\"m%d\":1}\n", i)
	}
	if _, err := ReadFrom("r.jsonl", []byte(b.String())); err == nil || !strings.Contains(err.Error(), "more than 16384 different members") {
		t.Errorf("a table of 400 million cells: %v", err)
	}
}
