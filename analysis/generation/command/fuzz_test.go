// Fuzzing of the names of labels.

package command

import (
	"encoding/json"
	"strconv"
	"testing"
)

// Every entry of a file of names is one label with one name, and written again it is the same.
func FuzzParseNames(f *testing.F) {
	for _, s := range []string{`{"0":"cat","1":"dog"}`, `{"01":"a","1":"b"}`, `{"-3":"x"}`, `{"a":"b"}`, `{"0":"a","1":"a"}`, `[]`, `null`, `{"0":1}`, `{"+1":"a"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		names, err := parseNames(data)
		if err != nil {
			return
		}
		var raw map[string]string
		if err := json.Unmarshal(data, &raw); err != nil || len(raw) != len(names) {
			t.Fatalf("%d names of %d entries: %v", len(names), len(raw), err)
		}
		written := map[string]string{}
		for label, name := range names {
			written[strconv.Itoa(label)] = name
		}
		text, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parseNames(text); err != nil || len(again) != len(names) {
			t.Errorf("%s: %v", text, err)
		}
	})
}
