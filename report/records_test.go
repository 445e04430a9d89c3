// Rows of tables as JSON.

package report

import (
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
