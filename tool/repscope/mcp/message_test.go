// Messages as clients send them, and everything else.

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReader(t *testing.T) {
	t.Parallel()
	long := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", longestMessage) + `"}`
	for _, c := range []struct {
		text   string
		method string
		code   int
		id     string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "ping", 0, "1"},
		{"\n \r\n" + `{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}` + "\r\n", "ping", 0, `"a"`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notifications/initialized", 0, ""},
		{`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "ping", 0, "2"},
		{`{`, "", codeParse, ""},
		{"\x00\xff", "", codeParse, ""},
		{strings.Repeat("[", 20_000), "", codeParse, ""},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "", codeInvalidRequest, ""},
		{`7`, "", codeInvalidRequest, ""},
		{`{"id":1,"method":"ping"}`, "", codeInvalidRequest, "1"},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "", codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "", codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "", codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "", codeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":1}`, "", codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, "", codeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, "ping", codeInvalidParams, "1"},
		{long, "", codeInvalidRequest, ""},
	} {
		r := newReader(strings.NewReader(c.text + "\n" + `{"jsonrpc":"2.0","id":99,"method":"next"}`))
		m, wrong, err := r.next()
		code := 0
		if wrong != nil {
			code = wrong.Code
		}
		if err != nil || m.Method != c.method || code != c.code || string(m.ID) != c.id {
			t.Errorf("%.80s: %+v %v %v", c.text, m, wrong, err)
			continue
		}
		if m, wrong, err := r.next(); err != nil || wrong != nil || m.Method != "next" {
			t.Errorf("%.80s: then %+v %v %v", c.text, m, wrong, err)
		}
		if _, _, err := r.next(); !errors.Is(err, io.EOF) {
			t.Errorf("%.80s: the end is %v", c.text, err)
		}
	}
}

// Any bytes are read to their end; messages have valid parts.
func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}` + "\n{\n[]\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\ud800","method":"m"}`))
	f.Add([]byte("\xef\xbb\xbf{}\n\n\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newReader(bytes.NewReader(data))
		for range bytes.Count(data, []byte("\n")) + 2 {
			m, wrong, err := r.next()
			if err != nil {
				return
			}
			if m.ID != nil && !json.Valid(m.ID) {
				t.Fatalf("the id %q is no JSON", m.ID)
			}
			if wrong == nil && (m.Method == "" || len(m.Params) > 0 && !json.Valid(m.Params)) {
				t.Fatalf("message %+v", m)
			}
		}
		t.Fatal("the reader does not end")
	})
}
