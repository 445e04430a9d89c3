// Tests of errors of JSON in the terms of a file.

package text

import (
	"strings"
	"testing"
)

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	type part struct {
		Name  string             `json:"name"`
		Count *uint8             `json:"count"`
		Parts map[string]part    `json:"parts"`
		List  []int              `json:"list"`
		Share map[string]float64 `json:"share"`
		On    bool               `json:"on"`
	}
	for data, want := range map[string]string{
		`{"name": 5}`:                       "name is a number, want a string",
		`{"count": 1.5}`:                    "count is the number 1.5, want a whole number from 0",
		`{"count": 256}`:                    "count is the number 256, want a whole number from 0",
		`{"count": -1}`:                     "count is the number -1, want a whole number from 0",
		`{"parts": {"a": {"list": [2.5]}}}`: "parts.list is the number 2.5, want a whole number",
		`{"parts": [1]}`:                    "parts is a list, want an object",
		`{"list": {}}`:                      "list is an object, want a list",
		`{"share": {"x": "1"}}`:             "share is a string, want a number",
		`{"on": "yes"}`:                     "on is a string, want true or false",
		`{"name": true}`:                    "name is true or false, want a string",
		`[1]`:                               "the value is a list, want an object",
		`{"name": "x", "count": null}`:      "",
		`{`:                                 "unexpected end of JSON input",
	} {
		var p part
		err := Unmarshal([]byte(data), &p)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", data, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v", data, err)
		}
	}
}
