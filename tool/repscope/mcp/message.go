// Messages of JSON-RPC 2.0, one on each line, as the stdio transport of the protocol has them.

package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"repscope/internal/text"
)

// longestMessage is the most bytes of one message.
const longestMessage = 4 << 20

// Codes of errors: of JSON-RPC, and of the protocol from 2026-07-28 on.
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeUnsupportedVersion = -32022
)

// object is a JSON object; its keys are written in the order of their texts.
type object = map[string]any

// fault is the error of a request.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (f *fault) Error() string { return f.Message }

func faultOf(code int, format string, args ...any) *fault {
	return &fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// message is a request, or a notification where it has no ID.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// reader reads messages.
type reader struct{ lines *bufio.Reader }

func newReader(r io.Reader) *reader { return &reader{bufio.NewReaderSize(r, 64<<10)} }

// next reads the next request or notification; responses are skipped, as nothing is asked of clients. The error is an
// error of the stream, or io.EOF. A message that is wrong is a fault, with the ID if it has one, and reading goes on.
func (r *reader) next() (*message, *fault, error) {
	for {
		line, tooLong, err := r.line()
		if err != nil {
			return nil, nil, err
		}
		if tooLong {
			return &message{}, faultOf(codeInvalidRequest, "a message has more than %s",
				text.Bytes(longestMessage)), nil
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if m, wrong := parse(line); m != nil {
			return m, wrong, nil
		}
	}
}

// line reads a line; the rest of one that is too long is left out.
func (r *reader) line() (line []byte, tooLong bool, err error) {
	for {
		part, err := r.lines.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > longestMessage; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && (tooLong || len(line) > 0):
			return line, tooLong, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

// parse reads a message; nil for a response.
func parse(line []byte) (*message, *fault) {
	if !json.Valid(line) {
		return &message{}, faultOf(codeParse, "the message is not JSON")
	}
	if line[0] != '{' {
		return &message{}, faultOf(codeInvalidRequest, "want one object per line, without batches")
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil {
		return &message{}, faultOf(codeParse, "%v", err)
	}
	m := &message{Params: all["params"]}
	if id, ok := all["id"]; ok {
		if !validID(id) {
			return m, faultOf(codeInvalidRequest, "id: want a text or a whole number")
		}
		m.ID = id
	}
	var version string
	if json.Unmarshal(all["jsonrpc"], &version) != nil || version != "2.0" {
		return m, faultOf(codeInvalidRequest, `want "jsonrpc": "2.0"`)
	}
	method, asks := all["method"]
	if !asks && (all["result"] != nil || all["error"] != nil) {
		return nil, nil
	}
	if !asks || json.Unmarshal(method, &m.Method) != nil || m.Method == "" {
		return m, faultOf(codeInvalidRequest, "method: want a text")
	}
	if m.Params = bytes.TrimSpace(m.Params); len(m.Params) > 0 && m.Params[0] != '{' {
		return m, faultOf(codeInvalidParams, "params: want an object")
	}
	return m, nil
}

// validID reports whether a value can tell requests apart.
func validID(id json.RawMessage) bool {
	if len(id) > 0 && id[0] == '"' {
		return true
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil
}

// response is the answer to a request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

// notification is a message without an answer.
type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}
