// The conversation: versions, requests at a time, cancellation, notifications.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"repscope/internal/run"
	"repscope/report"
)

// Versions of the protocol. With handshakes a connection begins by initialize; without, each request has its version.
var handshakes = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

const (
	modernVersion = "2026-07-28"
	// The first version with links to resources and structured content.
	linkedVersion = "2025-06-18"

	pageSize     = 50 // of lists
	mostRequests = 64 // at a time
	listLifetime = 3_600_000
)

// Keys of _meta.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLevel        = "io.modelcontextprotocol/logLevel"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// levels of messages, from least to most.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// errCancelled is why a request ends that its client no longer wants: it gets no answer.
var errCancelled = errors.New("cancelled by the client")

// server answers one client.
type server struct {
	commands []run.Command
	study    *run.Command // evaluate; nil: there is none
	roots    *roots
	asked    []string // roots without the temporary folder
	program  string   // that is run
	out      string   // results are below it
	scratch  string   // a folder, removed when the server ends
	space    int64    // bytes that it may take
	clearing sync.Mutex
	write    bool
	limit    time.Duration // of a run
	jobs     chan struct{}
	counter  int // of folders

	writing sync.Mutex
	to      io.Writer
	hangUp  context.CancelFunc // the client cannot be written to

	mu      sync.Mutex
	version string // of the handshake; empty before it
	level   string // of messages, after the handshake
	running map[string]context.CancelCauseFunc
	tasks   sync.WaitGroup
}

// request is a request that is being answered.
type request struct {
	ctx     context.Context
	id      json.RawMessage
	method  string
	params  json.RawMessage
	version string
	level   string // least of the messages that the client wants; empty: none
	token   json.RawMessage
}

func (q *request) modern() bool { return q.version == modernVersion }

// serve answers until the input ends or ctx does, and then ends all that runs.
func (s *server) serve(ctx context.Context, in io.Reader) error {
	ctx, s.hangUp = context.WithCancel(ctx)
	defer s.tasks.Wait()
	defer s.hangUp()
	type read struct {
		message *message
		wrong   *fault
		err     error
	}
	messages := make(chan read)
	go func() {
		for r := newReader(in); ; {
			m, wrong, err := r.next()
			select {
			case messages <- read{m, wrong, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case got := <-messages:
			switch {
			case errors.Is(got.err, io.EOF):
				return nil
			case got.err != nil:
				return fmt.Errorf("standard input: %w", got.err)
			case got.wrong != nil:
				s.reply(got.message.ID, nil, got.wrong)
			default:
				s.handle(ctx, got.message)
			}
		}
	}
}

// handle answers a message, or begins to.
func (s *server) handle(ctx context.Context, m *message) {
	if m.ID == nil {
		if m.Method == "notifications/cancelled" {
			s.cancel(m.Params)
		}
		return
	}
	q, wrong := s.request(m)
	if wrong != nil {
		s.reply(m.ID, nil, wrong)
		return
	}
	if !slices.Contains([]string{"tools/call", "resources/list", "resources/read"}, m.Method) {
		q.ctx = ctx
		s.answer(q)
		return
	}
	var cancel context.CancelCauseFunc
	q.ctx, cancel = context.WithCancelCause(ctx)
	if wrong := s.enter(m.ID, cancel); wrong != nil {
		cancel(nil)
		s.reply(m.ID, nil, wrong)
		return
	}
	s.tasks.Go(func() {
		s.answer(q)
		s.leave(m.ID)
		cancel(nil)
	})
}

// enter notes a request that runs.
func (s *server) enter(id json.RawMessage, cancel context.CancelCauseFunc) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running[string(id)] != nil:
		return faultOf(codeInvalidRequest, "a request with the id %s is being answered", id)
	case len(s.running) >= mostRequests:
		return faultOf(codeInternal, "%d requests are being answered; wait for one", mostRequests)
	}
	s.running[string(id)] = cancel
	return nil
}

func (s *server) leave(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, string(id))
}

// cancel ends a request.
func (s *server) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[string(p.ID)]; cancel != nil {
		cancel(errCancelled)
	}
}

// request reads the metadata of a request, and finds an unknown version.
func (s *server) request(m *message) (*request, *fault) {
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &params) != nil {
		return nil, faultOf(codeInvalidParams, "_meta: want an object")
	}
	q := &request{id: m.ID, method: m.Method, params: m.Params}
	s.mu.Lock()
	q.version, q.level = s.version, s.level
	s.mu.Unlock()
	if token := params.Meta["progressToken"]; validID(token) {
		q.token = token
	}
	if stated := params.Meta[metaVersion]; stated != nil || m.Method == "server/discover" {
		return q, statedVersion(q, params.Meta)
	}
	if q.version == "" && m.Method != "initialize" && m.Method != "ping" {
		return nil, faultOf(codeInvalidRequest, "%s: initialize comes first", m.Method)
	}
	return q, nil
}

// statedVersion reads the metadata that every request has in the version without a handshake.
func statedVersion(q *request, meta map[string]json.RawMessage) *fault {
	q.version, q.level = modernVersion, ""
	var version string
	if stated := meta[metaVersion]; stated != nil {
		if json.Unmarshal(stated, &version) != nil || version != modernVersion {
			f := faultOf(codeUnsupportedVersion, "version %s of the protocol is not supported", stated)
			f.Data = object{"supported": []string{modernVersion}, "requested": version}
			return f
		}
		var capabilities map[string]json.RawMessage
		if json.Unmarshal(meta[metaCapabilities], &capabilities) != nil {
			return faultOf(codeInvalidParams, "_meta: want an object %s", metaCapabilities)
		}
	}
	if level := meta[metaLevel]; level != nil {
		if json.Unmarshal(level, &q.level) != nil || !slices.Contains(levels, q.level) {
			return faultOf(codeInvalidParams, "%s: want one of %v", metaLevel, levels)
		}
	}
	return nil
}

// answer answers a request, unless its client has cancelled it. A panic is an error.
func (s *server) answer(q *request) {
	var result object
	var err error
	func() {
		defer func() {
			if p := recover(); p != nil {
				err = faultOf(codeInternal, "internal error: %v", p)
			}
		}()
		result, err = s.result(q)
	}()
	if q.ctx.Err() != nil {
		return
	}
	var wrong *fault
	if err != nil && !errors.As(err, &wrong) {
		wrong = faultOf(codeInvalidParams, "%v", err)
	}
	if wrong == nil && q.modern() {
		result["resultType"] = "complete"
		result["_meta"] = object{metaServer: serverInfo()}
		if q.method != "tools/call" {
			result["ttlMs"], result["cacheScope"] = 0, "private"
		}
		if q.method == "tools/list" || q.method == "server/discover" {
			result["ttlMs"] = listLifetime
		}
	}
	s.reply(q.id, result, wrong)
}

// result is the result of a request.
func (s *server) result(q *request) (object, error) {
	switch q.method {
	case "tools/list":
		return s.listTools(q)
	case "tools/call":
		return s.callTool(q)
	case "resources/list":
		return s.listResources(q)
	case "resources/read":
		return s.readResource(q)
	case "resources/templates/list":
		return object{"resourceTemplates": []object{}}, nil
	}
	if q.modern() {
		if q.method == "server/discover" {
			return object{"supportedVersions": []string{modernVersion}, "capabilities": capabilities(),
				"instructions": s.instructions()}, nil
		}
	} else {
		switch q.method {
		case "initialize":
			return s.initialize(q)
		case "ping":
			return object{}, nil
		case "logging/setLevel":
			return s.setLevel(q)
		}
	}
	return nil, faultOf(codeMethodNotFound, "there is no method %s", q.method)
}

// initialize agrees on a version: the version of the client, or the newest with a handshake.
func (s *server) initialize(q *request) (object, error) {
	var p struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(q.params, &p) != nil || p.Version == "" {
		return nil, faultOf(codeInvalidParams, "initialize: want a protocolVersion")
	}
	if !slices.Contains(handshakes, p.Version) {
		p.Version = handshakes[len(handshakes)-1]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.level = p.Version, "warning"
	result := object{"protocolVersion": p.Version, "capabilities": capabilities(), "serverInfo": serverInfo()}
	result["instructions"] = s.instructions()
	return result, nil
}

func (s *server) setLevel(q *request) (object, error) {
	var p struct {
		Level string `json:"level"`
	}
	if json.Unmarshal(q.params, &p) != nil || !slices.Contains(levels, p.Level) {
		return nil, faultOf(codeInvalidParams, "level: want one of %v", levels)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = p.Level
	return object{}, nil
}

func capabilities() object {
	return object{"tools": object{}, "resources": object{}, "logging": object{}}
}

func serverInfo() object {
	return object{"name": "repscope", "title": "repscope", "version": report.ReadBuild().Version}
}

// reply sends the answer to a request.
func (s *server) reply(id json.RawMessage, result object, wrong *fault) {
	if id == nil {
		id = json.RawMessage("null")
	}
	r := response{Version: "2.0", ID: id, Error: wrong}
	if wrong == nil {
		r.Result = result
	}
	s.send(r)
}

// notify tells the client something.
func (s *server) notify(method string, params object) { s.send(notification{"2.0", method, params}) }

// log tells the client a message if it wants messages of the level.
func (s *server) log(q *request, level string, data any) {
	if least := slices.Index(levels, q.level); least >= 0 && slices.Index(levels, level) >= least {
		s.notify("notifications/message", object{"level": level, "logger": "repscope", "data": data})
	}
}

// send writes a line.
func (s *server) send(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		panic(err) // of values of this package
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.to.Write(append(line, '\n')); err != nil {
		s.hangUp()
	}
}
