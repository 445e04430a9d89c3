// The tools that a client can call.

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"repscope/internal/filename"
	"repscope/internal/run"
	"repscope/report"
)

// mostText is the most bytes of text in the answer of a tool.
const mostText = 64 << 10

// mostFiles is the most files of a run that are named.
const mostFiles = 100

// answer is the answer of a tool.
type answer struct {
	content    []object
	structured any
	failed     bool
}

func (a *answer) text(text string) {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + "\n(cut)"
	}
	a.content = append(a.content, object{"type": "text", "text": text})
}

// structured is an answer of data, as text too for clients that show only text.
func structured(value object) (*answer, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	a := &answer{structured: json.RawMessage(encoded)}
	a.content = append(a.content, object{"type": "text", "text": string(encoded)})
	return a, nil
}

// tool is one of the tools.
type tool struct {
	name, title, description string
	properties               object
	required                 []string
	runs                     bool // it computes something
	call                     func(s *server, q *request, data json.RawMessage) (*answer, error)
}

func textProperty(description string) object {
	return object{"type": "string", "description": description}
}

func listProperty(description string) object {
	return object{"type": "array", "items": object{"type": "string"}, "description": description}
}

// Properties of tools that run something.
var (
	analysisProperty = textProperty("name of an analysis, as list_analyses lists it")
	optionsProperty  = object{"type": "object",
		"description": "options by name; describe_analysis has their schema. Models are {\"model\": {\"NAME\": \"FILE\"}}"}
	argumentsProperty = listProperty("files of compare and validate, which have no option for them")
	outProperty       = textProperty("name of the folder for the result, inside the output folder; default: a new folder")
	figuresProperty   = object{"type": "string", "enum": []string{"images", "links", "none"}, "default": "images",
		"description": "how figures come back"}
)

// figureKinds are the values of figures; empty is the first of the others.
var figureKinds = []string{"", "images", "links", "none"}

// tools are all tools in the order of a conversation.
var tools = []tool{
	{name: "list_analyses", title: "List analyses",
		description: "Lists the analyses of repscope, each with a line on what it measures. Start here.",
		properties:  object{}, call: (*server).listAnalyses},
	{name: "describe_analysis", title: "Describe an analysis",
		description: "Returns the manual of one analysis, the JSON Schema of its options, and its metrics.",
		properties:  object{"analysis": analysisProperty}, required: []string{"analysis"}, call: (*server).describe},
	{name: "show_file", title: "Show the arrays of a file",
		description: "Lists the arrays of a file (NumPy, HDF5, NetCDF, Zarr, Parquet, PyTorch, …) with types and shapes, " +
			"or the inputs and outputs of an ONNX file. Reads headers only.",
		properties: object{"path": textProperty("FILE, or FILE:NAME for the arrays below a name")},
		required:   []string{"path"}, call: (*server).show},
	{name: "dry_run", title: "Check a run",
		description: "Checks the options and inputs of a run and returns its plan: models, shapes, memory, time of " +
			"encoding, files. Computes nothing.",
		properties: object{"analysis": analysisProperty, "options": optionsProperty, "arguments": argumentsProperty},
		required:   []string{"analysis"},
		runs:       true, call: func(s *server, q *request, data json.RawMessage) (*answer, error) {
			return s.runAnalysis(q, data, true)
		}},
	{name: "run_analysis", title: "Run an analysis",
		description: "Runs an analysis. Returns its console output, headline numbers with intervals, comparisons of " +
			"models, warnings, and figures.",
		properties: object{"analysis": analysisProperty, "options": optionsProperty, "arguments": argumentsProperty,
			"out": outProperty, "figures": figuresProperty},
		required: []string{"analysis"}, runs: true,
		call: func(s *server, q *request, data json.RawMessage) (*answer, error) {
			return s.runAnalysis(q, data, false)
		}},
	studyTool,
	{name: "compare_results", title: "Compare results",
		description: "Compares result files of the same analysis over tasks, runs and checkpoints (the program compare).",
		properties: object{"results": listProperty("result files or folders of them; [TASK][@RUN=]FILE names task and run"),
			"options": optionsProperty, "out": outProperty,
			"figures": figuresProperty}, required: []string{"results"}, runs: true, call: (*server).compare},
	{name: "read_result", title: "Read a result",
		description: "Reads a result file: a summary; or the part at a JSON pointer; or one metric of all models. A null " +
			"comes with its reason.",
		properties: object{"path": textProperty("the result file"),
			"pointer": textProperty("JSON pointer, such as /models/jepa or /warnings"),
			"model":   textProperty("name of a model"),
			"metric":  textProperty("path of a number, such as by_k[k=10].trustworthiness"),
			"max_bytes": object{"type": "integer", "minimum": 1, "maximum": mostBytes, "default": plainBytes,
				"description": "a larger value is outlined"}},
		required: []string{"path"}, call: (*server).readResult},
	{name: "list_results", title: "List results",
		description: "Lists result files in the folders of the server, with their analyses and models.",
		properties: object{"folder": textProperty("folder to search; default: all"),
			"cursor": textProperty("next_cursor of an earlier answer"),
			"limit":  object{"type": "integer", "minimum": 1, "maximum": pageSize, "default": pageSize}},
		call: (*server).listResults},
}

// instructions tell an agent how to begin.
func (s *server) instructions() string {
	mode := "The server is read-only: results of runs are kept until it ends."
	if s.write {
		mode = "Results of runs are written to " + s.out + "."
	}
	return "repscope measures learned representations: intervals, comparisons and figures for encoders and latents. " +
		"Call list_analyses, then describe_analysis, " +
		"show_file for the names of arrays, dry_run, run_analysis, read_result. Folders: " + strings.Join(s.asked,
		", ") +
		". Relative paths start in the first. " + mode
}

// listTools lists the tools.
func (s *server) listTools(q *request) (object, error) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if len(q.params) > 0 && json.Unmarshal(q.params, &p) != nil {
		return nil, faultOf(codeInvalidParams, "cursor: want a text")
	}
	page, next, err := pageOf(tools, p.Cursor, pageSize)
	if err != nil {
		return nil, err
	}
	list := []object{}
	for i := range page {
		t := &page[i]
		schema := object{"type": "object", "properties": t.properties, "additionalProperties": false}
		if t.required != nil {
			schema["required"] = t.required
		}
		list = append(list, object{"name": t.name, "title": t.title, "description": t.description,
			"inputSchema": schema,
			"annotations": object{"readOnlyHint": !t.runs || !s.write, "destructiveHint": false, "idempotentHint": true,
				"openWorldHint": false}})
	}
	result := object{"tools": list}
	if next != "" {
		result["nextCursor"] = next
	}
	return result, nil
}

// callTool calls a tool. An error of its arguments, or of its run, is a result, so that a model sees it.
func (s *server) callTool(q *request) (object, error) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(q.params, &p); err != nil {
		return nil, faultOf(codeInvalidParams, "tools/call: want a name and arguments")
	}
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == p.Name })
	if i < 0 {
		return nil, faultOf(codeInvalidParams, "there is no tool %q", p.Name)
	}
	a, err := tools[i].call(s, q, p.Arguments)
	if err != nil {
		if q.ctx.Err() != nil {
			return nil, err
		}
		_, lines := run.Exit(err)
		a = &answer{failed: true}
		a.text(strings.Join(lines, "\n"))
	}
	result := object{"content": a.content, "isError": a.failed}
	if a.content == nil {
		result["content"] = []object{}
	}
	if a.structured != nil && q.version >= linkedVersion {
		result["structuredContent"] = a.structured
	}
	return result, nil
}

// listAnalyses lists the analyses.
func (s *server) listAnalyses(_ *request, data json.RawMessage) (*answer, error) {
	if err := decode(data, &struct{}{}); err != nil {
		return nil, err
	}
	list := []object{}
	for _, c := range s.commands {
		one := object{"name": c.Name, "summary": c.Summary}
		if c.Arguments != "" {
			one["arguments"] = c.Arguments
		}
		list = append(list, one)
	}
	return structured(object{"version": report.ReadBuild().Version, "analyses": list})
}

// describe describes an analysis.
func (s *server) describe(_ *request, data json.RawMessage) (*answer, error) {
	var call runCall
	if err := decode(data, &call); err != nil {
		return nil, err
	}
	if call.Analysis == studyCommand && s.study != nil {
		return structured(object{"name": studyCommand, "summary": s.study.Summary,
			"manual": strings.TrimSpace(s.study.Manual),
			"tool":   studyTool.name})
	}
	c, err := s.find(call.Analysis)
	if err != nil {
		return nil, err
	}
	metrics := []object{}
	if c.Metrics != nil {
		for _, m := range c.Metrics() {
			one := object{"name": m.Name, "about": m.About, "direction": m.Better}
			if m.Unit != "" {
				one["unit"] = m.Unit
			}
			if m.Headline {
				one["headline"] = true
			}
			metrics = append(metrics, one)
		}
	}
	return structured(object{"name": c.Name, "summary": c.Summary, "manual": strings.TrimSpace(c.Manual),
		"arguments": c.Arguments,
		"options":   s.schemaOf(c), "metrics": metrics})
}

// show lists the arrays of a file.
func (s *server) show(q *request, data json.RawMessage) (*answer, error) {
	var call struct {
		Path string `json:"path"`
	}
	if err := decode(data, &call); err != nil {
		return nil, err
	}
	if call.Path == "" || call.Path[0] == '-' {
		return nil, run.Usage("path %q: want a file", call.Path)
	}
	if err := s.roots.check(call.Path, true); err != nil {
		return nil, err
	}
	done, err := s.start(q, "show", []string{"show", "--json", call.Path})
	if err != nil {
		return nil, err
	}
	return done.data()
}

// data is the answer of a run that prints JSON.
func (e *ended) data() (*answer, error) {
	a := &answer{failed: e.code != 0}
	var short bytes.Buffer
	if e.code == 0 && !e.cut && len(e.stdout) <= mostBytes && json.Compact(&short, []byte(e.stdout)) == nil {
		e.stdout = short.String()
		a.structured = json.RawMessage(e.stdout)
	}
	for _, text := range []string{e.stdout, e.stderr} {
		if text != "" {
			a.text(text)
		}
	}
	return a, nil
}

// start runs this program in its turn, within its time.
func (s *server) start(q *request, what string, args []string) (*ended, error) {
	select {
	case s.jobs <- struct{}{}:
		defer func() { <-s.jobs }()
	case <-q.ctx.Done():
		return nil, context.Cause(q.ctx)
	}
	if err := s.clear(); err != nil {
		return nil, err
	}
	bounded, release := s.within(q.ctx, what)
	defer release()
	ctx, stop := context.WithTimeoutCause(bounded, s.limit,
		fmt.Errorf("%s: not finished after %v, the limit of --timeout",
			what, s.limit))
	defer stop()
	s.log(q, "info", what+": started")
	var passed steps
	c := child{program: s.program, args: args, folder: s.roots.folders[0],
		settings: []string{"TMPDIR=" + s.scratch, "XDG_CACHE_HOME=" + s.scratch},
		wall:     wall{reads: append([]string{s.program}, s.roots.folders...), writes: []string{s.out, s.scratch}},
		progress: func(step run.Progress) {
			if q.token == nil {
				return
			}
			count := fmt.Sprintf("%s: %d/%d", step.Task, step.Done, step.Total)
			s.notify("notifications/progress", object{"progressToken": q.token, "progress": passed.add(step),
				"message": strings.TrimSpace(count + " " + step.Unit)})
		}}
	done, err := c.run(ctx)
	if err == nil && done.stderr != "" {
		s.log(q, "warning", done.stderr[:min(len(done.stderr), mostText)])
	}
	return done, err
}

// runAnalysis runs an analysis, or says what it would do.
func (s *server) runAnalysis(q *request, data json.RawMessage, dry bool) (*answer, error) {
	var call runCall
	if err := decode(data, &call); err != nil {
		return nil, err
	}
	return s.runCall(q, &call, dry)
}

// compare compares results.
func (s *server) compare(q *request, data json.RawMessage) (*answer, error) {
	var call struct {
		Results []string        `json:"results"`
		Options json.RawMessage `json:"options"`
		Out     string          `json:"out"`
		Figures string          `json:"figures"`
	}
	if err := decode(data, &call); err != nil {
		return nil, err
	}
	if len(call.Results) == 0 {
		return nil, run.Usage("results: want one or more result files")
	}
	return s.runCall(q, &runCall{"compare", call.Options, call.Results, call.Out, call.Figures}, false)
}

func (s *server) runCall(q *request, call *runCall, dry bool) (*answer, error) {
	c, args, err := s.commandLine(call)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(figureKinds, call.Figures) {
		return nil, run.Usage("figures %q: want images, links or none", call.Figures)
	}
	flags := run.FlagNames(c)
	has := func(flag string) bool { return slices.Contains(flags, flag) }
	if dry && call.Out == "" {
		call.Out = "dry-run"
	}
	folder, err := s.folder(call.Out, c.Name)
	if err != nil {
		return nil, err
	}
	line := []string{c.Name, "--out=" + folder}
	if has("cache") {
		line = append(line, "--cache="+s.cache())
	}
	if dry {
		if !has("dry-run") {
			return nil, run.Usage("%s has no dry run", c.Name)
		}
		done, err := s.start(q, c.Name, append(append(line, "--dry-run", "--json"), args...))
		if err != nil {
			return nil, err
		}
		return done.data()
	}
	began := time.Now()
	done, err := s.start(q, c.Name, append(line, args...))
	if err != nil {
		return nil, err
	}
	return s.ran(q, call, &finished{done, folder, filepath.Join(folder, c.Name+".json"), began})
}

// folder is where a run writes: a new folder, or the one of a name.
func (s *server) folder(name, analysis string) (string, error) {
	if name == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		for {
			s.counter++
			folder := filepath.Join(s.out, fmt.Sprintf("%s-%d", analysis, s.counter))
			if _, err := os.Lstat(folder); errors.Is(err, os.ErrNotExist) {
				return folder, nil
			}
		}
	}
	if !filepath.IsLocal(name) || name == "." {
		return "", run.Usage("out %q: want the name of a folder inside the output folder", name)
	}
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if reason := filename.Wrong(part); reason != "" {
			return "", run.Usage("out %q: %s", name, reason)
		}
	}
	whole, _, err := s.roots.resolve(filepath.Join(s.out, name))
	if err != nil || !inside(s.out, whole) {
		return "", run.Usage("out %q: it leads outside the output folder", name)
	}
	return whole, nil
}

// finished is a run that ended by itself.
type finished struct {
	*ended
	folder, result string
	began          time.Time
}

// ran is the answer of a run: its console output, its result in short, its files.
func (s *server) ran(q *request, call *runCall, f *finished) (*answer, error) {
	a := &answer{failed: f.code != 0}
	data := object{"exit_code": f.code}
	if f.stdout != "" {
		a.text(f.stdout)
	}
	if f.stderr != "" {
		a.text(f.stderr)
	}
	if info, err := os.Stat(f.result); err == nil && (f.code == 0 || info.ModTime().After(f.began)) {
		r, err := report.Read(f.result)
		if err != nil {
			return nil, err
		}
		short, err := summary(r)
		if err != nil {
			return nil, err
		}
		short["exit_code"], short["result"] = f.code, f.result
		data = short
		a.text("result: " + f.result)
	}
	names := []string{}
	entries, err := os.ReadDir(f.folder)
	if err == nil {
		for _, entry := range entries[:min(len(entries), mostFiles)] {
			if entry.Type().IsRegular() && entry.Name()[0] != '.' {
				names = append(names, filepath.Join(f.folder, entry.Name()))
			}
		}
	}
	data["files"] = names
	if call.Figures == "" || call.Figures == "images" {
		shown, notes := images(slices.DeleteFunc(slices.Clone(names),
			func(name string) bool { return filepath.Ext(name) != ".png" }))
		a.content = append(a.content, shown...)
		for _, note := range notes {
			a.text(note)
		}
	}
	if q.version >= linkedVersion {
		a.content = append(a.content, s.links(names, call.Figures)...)
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	a.structured = json.RawMessage(encoded)
	return a, nil
}
