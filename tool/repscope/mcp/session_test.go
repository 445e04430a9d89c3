// Conversations with the server, whose runs are this test as the program.

package mcp_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"repscope/dataset"
	"repscope/internal/runtest"
	"repscope/stat"
	"repscope/suite"
	"repscope/tool/repscope"
	"repscope/tool/repscope/mcp"
)

var update = flag.Bool("update", false, "write the golden conversation")

// asProgram makes this test the program.
const asProgram = "REPSCOPE_MCP_TEST"

func TestMain(m *testing.M) {
	worker := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.fuzzworker") })
	if os.Getenv(asProgram) != "" && !worker { // a fuzz worker has the environment of its coordinator
		repscope.Main(suite.Commands())
	}
	if err := os.Setenv(asProgram, "1"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// reply is a line of the server.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Result *result         `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
	line   string
}

// result is the result of tools and resources.
type result struct {
	Content []struct {
		Type, Text, Data, URI, MimeType string
	} `json:"content"`
	IsError    bool           `json:"isError"`
	Structured map[string]any `json:"structuredContent"`
	Resources  []struct{ URI string }
	Contents   []struct{ Text, Blob string }
}

func (r *result) text() string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

// client is the other end.
type client struct {
	t     *testing.T
	to    io.WriteCloser
	lines chan reply
	told  []reply // notifications
	ended chan error
	next  int
}

// begin starts a server.
func begin(t *testing.T, o mcp.Options) *client {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &client{t: t, to: to, lines: make(chan reply, 100), ended: make(chan error, 1)}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Minute
	}
	o.Jobs, o.Program = max(o.Jobs, 1), os.Args[0]
	go func() {
		err := mcp.Serve(context.Background(), o, suite.Commands(), in, out)
		out.Close()
		c.ended <- err
	}()
	go func() {
		defer close(c.lines)
		for lines := bufio.NewReader(from); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			r := reply{line: line}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				r.line = "no JSON: " + line
			}
			c.lines <- r
		}
	}()
	t.Cleanup(c.end)
	return c
}

// end closes the input and waits for the server.
func (c *client) end() {
	c.to.Close()
	for range c.lines { // until it has ended
	}
	select {
	case err := <-c.ended:
		c.ended <- err
		if err != nil {
			c.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(time.Minute):
		c.t.Fatal("the server does not end")
	}
}

func (c *client) send(line string) {
	if _, err := io.WriteString(c.to, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// answer waits for an answer to a request and keeps notifications.
func (c *client) answer(id string) reply {
	c.t.Helper()
	for r := range c.lines {
		if r.Method == "" && string(r.ID) == id {
			return r
		}
		c.told = append(c.told, r)
	}
	c.t.Fatalf("no answer to %s", id)
	return reply{}
}

// request asks and waits.
func (c *client) request(method, params string) reply {
	c.t.Helper()
	c.next++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.next, method, params))
	return c.answer(fmt.Sprint(c.next))
}

func (c *client) handshake(version string) {
	c.t.Helper()
	r := c.request("initialize", `{"protocolVersion":"`+version+`","capabilities":{},`+
		`"clientInfo":{"name":"test","version":"1"}}`)
	if !strings.Contains(r.line, `"protocolVersion":"`+version+`"`) {
		c.t.Fatalf("initialize: %s", r.line)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// call calls a tool; wrong is a part of the text of its error, empty for none.
func (c *client) call(tool, arguments, wrong string) *result {
	c.t.Helper()
	r := c.request("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`,"_meta":{"progressToken":"p"}}`)
	if r.Error != nil || r.Result == nil {
		c.t.Fatalf("%s %s: %s", tool, arguments, r.line)
	}
	if text := r.Result.text(); r.Result.IsError != (wrong != "") || !strings.Contains(text, wrong) {
		c.t.Fatalf("%s %s: %s, want %q", tool, arguments, text, wrong)
	}
	return r.Result
}

// data is a root with frames, latents of two models, and a link to the outside.
func data(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	random := stat.NewRandom(stat.NewKey(1))
	for _, array := range []struct {
		name  string
		width int
	}{{"x", 8}, {"a", 3}, {"b", 4}} {
		name, width := array.name, array.width
		values := make([]float32, 200*width)
		for i := range values {
			values[i] = float32(i%7) / float32(width)
		}
		for i := range values {
			values[i] += float32(random.Normal())
		}
		if err := dataset.WriteNPY(filepath.Join(root, name+".npy"), []int{200, width}, values); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const inputs = `"frames":"x.npy","latents":{"a":"a.npy","b":"b.npy"}`

// TestSession_Golden holds the words of the protocol against a file.
func TestSession_Golden(t *testing.T) {
	t.Parallel()
	root := data(t)
	c := begin(t, mcp.Options{Roots: []string{root}})
	var b strings.Builder
	say := func(line, id string) {
		c.send(line)
		b.WriteString("> " + line + "\n< " + c.answer(id).line)
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "1")
	say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, "2")
	say(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{}}}`,
		"3")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":"four","method":"tools/list","params":{}}`, `"four"`)
	say(`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"7x"}}`, "5")
	say(`{"jsonrpc":"2.0","id":6,"method":"prompts/list"}`, "6")
	say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}`, "7")
	say(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"list_analyses","arguments":{"x":1}}}`, "8")
	say(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read_result",`+
		`"arguments":{"path":"/etc/passwd"}}}`, "9")
	say(`{"jsonrpc":"2.0","id":10,"method":"logging/setLevel","params":{"level":"loud"}}`, "10")
	say(`{"jsonrpc":"2.0","id":11,"method":"logging/setLevel","params":{"level":"debug"}}`, "11")
	say(`{"jsonrpc":"2.0","id":12,"method":"resources/list","params":{}}`, "12")
	say(`{"jsonrpc":"2.0","id":13,"method":"resources/templates/list"}`, "13")
	say(`{"jsonrpc":"2.0","id":14,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, "14")
	say(`{"jsonrpc":"2.0",`, "null")
	say(`[]`, "null")
	c.send(`{"jsonrpc":"2.0","method":"notifications/unknown"}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	meta := func(version string) string {
		return `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version +
			`","io.modelcontextprotocol/clientCapabilities":{}}}`
	}
	say(`{"jsonrpc":"2.0","id":20,"method":"server/discover","params":`+meta("2026-07-28")+`}`, "20")
	say(`{"jsonrpc":"2.0","id":21,"method":"server/discover","params":`+meta("2030-01-01")+`}`, "21")
	say(`{"jsonrpc":"2.0","id":22,"method":"ping","params":`+meta("2026-07-28")+`}`, "22")
	say(`{"jsonrpc":"2.0","id":23,"method":"tools/list",`+
		`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, "23")
	say(`{"jsonrpc":"2.0","id":24,"method":"resources/list","params":`+meta("2026-07-28")+`}`, "24")
	if len(c.told) > 0 {
		t.Errorf("notifications nobody asked for: %v", c.told)
	}
	got := strings.ReplaceAll(b.String(), root, "ROOT")
	got = regexp.MustCompile(`"version":"[^"]*"`).ReplaceAllString(got, `"version":"VERSION"`)
	path := filepath.Join("testdata", "session.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("the conversation differs from %s (-update writes it): %v\n%s", path, err, got)
	}
}

// TestSession_Run runs an analysis, reads and compares its results.
func TestSession_Run(t *testing.T) {
	t.Parallel()
	runtest.Long(t, "runs are programs")
	root := data(t)
	c := begin(t, mcp.Options{Roots: []string{root}, Jobs: 2})
	c.handshake("2025-06-18")
	if files := c.call("show_file", `{"path":"x.npy"}`, ""); !strings.Contains(files.text(), `"shape":[200,8]`) {
		t.Errorf("show_file: %s", files.text())
	}
	plan := c.call("dry_run", `{"analysis":"manifold","options":{`+inputs+`}}`, "")
	if plan.Structured["schema"] != "repscope/plan/1" || plan.Structured["states"] != 200.0 {
		t.Errorf("dry_run: %v", plan.Structured)
	}
	c.call("dry_run", `{"analysis":"manifold","options":{"frames":"x.npy","latents":{"a":"missing.npy"}}}`,
		"missing.npy")
	c.call("run_analysis", `{"analysis":"manifold","options":{`+inputs+`,"seed":-1}}`, "seed")
	c.call("show_file", `{"path":5}`, "path is a number, want a string")
	c.call("list_results", `{"folder":"nothing"}`, "no such file or directory")
	c.call("list_results", `{"folder":"x.npy"}`, "folder x.npy: want a folder; read_result reads a file")
	ran := c.call("run_analysis", `{"analysis":"neighborhood","options":{`+inputs+`,"k":5}}`, "")
	if progress := ofMethod(c.told, "notifications/progress"); len(progress) == 0 ||
		progress[0].Params["progressToken"] != "p" {
		t.Errorf("progress: %v", progress)
	}
	pictures, links := 0, 0
	for _, content := range ran.Content {
		switch content.Type {
		case "image":
			pictures++
			if picture, err := png.DecodeConfig(base64.NewDecoder(base64.StdEncoding,
				strings.NewReader(content.Data))); err != nil || picture.Width > 1200 {
				t.Errorf("a figure of %d columns: %v", picture.Width, err)
			}
		case "resource_link":
			links++
		}
	}
	path, _ := ran.Structured["result"].(string)
	if pictures == 0 || links == 0 || path == "" || ran.Structured["exit_code"] != 0.0 {
		t.Fatalf("%d figures, %d links, result %q", pictures, links, path)
	}
	read := c.call("read_result", `{"path":"`+path+`","metric":"by_k[k=5].trustworthiness","model":"b"}`, "")
	part := c.call("read_result", `{"path":"`+path+`","pointer":"/models/b/by_k/0/trustworthiness"}`, "")
	number := read.Structured["numbers"].([]any)[0].(map[string]any)["number"].(map[string]any)
	if number["value"] != part.Structured["value"] || number["value"] == nil || len(number["interval"].([]any)) != 2 {
		t.Errorf("%v and %v", number, part.Structured)
	}
	whole := c.call("read_result", `{"path":"`+path+`","pointer":"/models","max_bytes":100}`, "")
	if !strings.Contains(whole.text(), "ask for one of its parts") {
		t.Errorf("a part that is too large: %s", whole.text())
	}
	c.call("read_result", `{"path":"`+path+`","pointer":"/models/c"}`, "the keys of /models/ are a, b")
	c.call("read_result", `{"path":"`+path+`","metric":"nothing"}`, "model a")
	c.call("read_result", `{"path":"x.npy"}`, "x.npy")
	c.call("read_result", `{"path":"`+path+`","max_bytes":0}`, "want 1 to")
	list := c.call("list_results", `{"limit":1}`, "")
	if list.Structured["found"] != 1.0 || !strings.Contains(list.text(), path) {
		t.Errorf("list_results: %s", list.text())
	}
	other := c.call("run_analysis",
		`{"analysis":"neighborhood","options":{`+inputs+`,"k":5,"samples":150},"out":"second","figures":"links"}`, "")
	compared := c.call("compare_results",
		`{"results":["one@1=`+path+`","one@2=`+other.Structured["result"].(string)+`"],"options":{"allow-different":true}}`,
		"")
	if compared.Structured["analysis"] != "compare" {
		t.Errorf("compare_results: %v", compared.Structured)
	}
	resources := c.request("resources/list", "{}").Result.Resources
	if len(resources) != 3 {
		t.Fatalf("resources: %v", resources)
	}
	content := c.request("resources/read", `{"uri":"`+resources[0].URI+`"}`).Result.Contents
	if len(content) != 1 || !strings.Contains(content[0].Text, `"schema": "repscope/1"`) {
		t.Errorf("resources/read: %v", content)
	}
	// The encoders of the example are unpacked where a run may write.
	c.call("run_analysis", `{"analysis":"manifold","options":{"example":true,"samples":40,"bootstrap":0,"format":"none"}}`, "")
	left, _ := filepath.Glob(filepath.Join(root, "*"))
	c.end()
	if _, err := os.Stat(path); err == nil || len(left) != 3 {
		t.Errorf("left behind: %v, %v", err, left)
	}
}

func ofMethod(replies []reply, method string) (list []reply) {
	for _, r := range replies {
		if r.Method == method {
			list = append(list, r)
		}
	}
	return list
}

// TestSession_Write keeps results inside a root.
func TestSession_Write(t *testing.T) {
	t.Parallel()
	runtest.Long(t, "runs are programs")
	root := data(t)
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "out", "link")); err != nil {
		t.Skipf("the system makes no symbolic links: %v", err)
	}
	c := begin(t, mcp.Options{Roots: []string{root}, Write: true, Out: filepath.Join(root, "out")})
	c.handshake("2024-11-05")
	options := `"options":{` + inputs + `,"format":"none","bootstrap":0}`
	ran := c.call("run_analysis", `{"analysis":"manifold",`+options+`,"out":"first"}`, "")
	if _, err := os.Stat(filepath.Join(root, "out", "first", "manifold.json")); err != nil || ran.Structured != nil {
		t.Errorf("the result: %v; structured %v", err, ran.Structured)
	}
	for _, content := range ran.Content {
		if content.Type != "text" {
			t.Errorf("a client of 2024-11-05 gets %s", content.Type)
		}
	}
	for _, out := range []string{"../x", "link", "link/x", "/x", "."} {
		c.call("run_analysis", `{"analysis":"manifold",`+options+`,"out":"`+out+`"}`, "out")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside: %v %v", entries, err)
	}
	uri := (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(root, "out", "first",
		"manifold_metrics.csv"))}).String()
	if r := c.request("resources/read", `{"uri":"`+uri+`"}`); r.Result == nil ||
		!strings.Contains(r.Result.Contents[0].Text, "participation_ratio") {
		t.Errorf("%s: %s", uri, r.line)
	}
	if err := mcp.Serve(t.Context(), mcp.Options{Roots: []string{root}, Write: true, Out: outside, Jobs: 1}, nil,
		strings.NewReader(""), io.Discard); err == nil {
		t.Error("--out outside the roots")
	}
}

// long is a run that takes minutes.
const long = `{"name":"run_analysis",` +
	`"arguments":{"analysis":"neighborhood","options":{"frames":"big.npy","latents":{"big":"big.npy"},"threads":1}},` +
	`"_meta":{"progressToken":7}}`

// running waits until a run says how far it is; a run that ends before is an error.
func (c *client) running() {
	c.t.Helper()
	for r := range c.lines {
		if r.Method == "notifications/progress" {
			return
		}
		if r.Method == "" {
			c.t.Fatalf("before any progress: %.500s", r.line)
		}
	}
}

// TestSession_Cancel ends runs by the client, by time and with the input; the next one does not wait for them.
func TestSession_Cancel(t *testing.T) {
	t.Parallel()
	runtest.Long(t, "runs are programs")
	root := data(t)
	big := make([]float32, 50_000*16)
	random := stat.NewRandom(stat.NewKey(2))
	for i := range big {
		big[i] = float32(random.Normal())
	}
	if err := dataset.WriteNPY(filepath.Join(root, "big.npy"), []int{50_000, 16}, big); err != nil {
		t.Fatal(err)
	}
	c := begin(t, mcp.Options{Roots: []string{root}})
	c.handshake("2025-11-25")
	c.send(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":` + long + `}`)
	c.running()
	c.send(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":` + long + `}`)
	if r := c.answer(`"long"`); r.Error == nil || r.Error.Code != -32600 {
		t.Errorf("the same id twice: %s", r.line)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long","reason":"enough"}}`)
	c.call("show_file", `{"path":"x.npy"}`, "")
	c.send(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":` + long + `}`)
	c.running()
	c.end()
	for _, r := range c.told {
		if string(r.ID) == `"long"` || string(r.ID) == `"last"` {
			t.Errorf("an answer to what was cancelled: %s", r.line)
		}
	}
	study := begin(t, mcp.Options{Roots: []string{root}, Write: true, Out: filepath.Join(root, "out")})
	study.handshake("2025-11-25")
	study.send(`{"jsonrpc":"2.0","id":"study","method":"tools/call","params":{"name":"run_study","arguments":{"out":"s","suite":` +
		`{"datasets":{"small":{` + inputs + `,"only":"manifold"},` +
		`"big":{"frames":"big.npy","latents":{"big":"big.npy"},"only":"neighborhood","threads":1}}}},` +
		`"_meta":{"progressToken":8}}}`)
	study.running()
	study.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"study"}}`)
	ran := study.call("run_study", `{"out":"s","only":["small"],"suite":{"datasets":{"small":{`+inputs+`,"only":"manifold"}}}}`, "")
	if text := ran.text(); !strings.Contains(text, "small/manifold: unchanged") || ran.Structured["exit_code"] != 0.0 {
		t.Errorf("the task that was done is not kept: %s", text)
	}
	short := begin(t, mcp.Options{Roots: []string{root}, Timeout: 50 * time.Millisecond})
	short.handshake("2025-11-25")
	short.call("run_analysis", `{"analysis":"neighborhood","options":{"frames":"big.npy","latents":{"big":"big.npy"}}}`,
		"not finished after 50ms, the limit of --timeout")
}

// TestClient is a session of the protocol's Python package, with a handshake and without.
func TestClient(t *testing.T) {
	t.Parallel()
	runtest.Long(t, "runs are programs")
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import mcp.client.client").Run(); err != nil {
		t.Skipf("%s has no package mcp of version 2 or later (set PYTHON to one that has): %v", python, err)
	}
	for mode, version := range map[string]string{"legacy": "2025-11-25", "auto": "2026-07-28"} {
		told, err := exec.Command(python, filepath.Join("testdata", "client.py"), os.Args[0], data(t), mode,
			version).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", mode, err, told)
		}
	}
}
