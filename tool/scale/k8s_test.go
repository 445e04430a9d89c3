// Tests of Jobs of Kubernetes: what is written is what its API takes.

package scale_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"repscope/internal/runtest"
)

// schema is a part of job.schema.json; see testdata/k8s_schema.py.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Additional json.RawMessage    `json:"additionalProperties"`
	Enum       []string           `json:"enum"`
	Types      map[string]*schema `json:"types"`
}

// check finds what of a value a schema does not allow.
func (s *schema) check(types map[string]*schema, place string, value any) []string {
	if s.Ref != "" {
		return types[s.Ref].check(types, place, value)
	}
	wrong := func(want string) []string {
		return []string{fmt.Sprintf("%s: %T %v, want %s", place, value, value, want)}
	}
	switch s.Type {
	case "string":
		text, ok := value.(string)
		if !ok || len(s.Enum) > 0 && !slices.Contains(s.Enum, text) {
			return wrong(fmt.Sprint("a text ", s.Enum))
		}
	case "integer":
		if _, ok := value.(int); !ok {
			return wrong("a whole number")
		}
	case "boolean":
		if _, ok := value.(bool); !ok {
			return wrong("true or false")
		}
	case "array":
		list, ok := value.([]any)
		if !ok {
			return wrong("a list")
		}
		var all []string
		for i, v := range list {
			all = append(all, s.Items.check(types, fmt.Sprintf("%s[%d]", place, i), v)...)
		}
		return all
	case "object":
		members, ok := value.(map[string]any)
		if !ok {
			return wrong("a mapping")
		}
		return s.members(types, place, members)
	}
	return nil
}

func (s *schema) members(types map[string]*schema, place string, members map[string]any) (all []string) {
	for _, name := range s.Required {
		if _, ok := members[name]; !ok {
			all = append(all, place+": "+name+" is missing")
		}
	}
	for name, v := range members {
		at := place + "." + name
		var rest schema
		switch p := s.Properties[name]; {
		case p != nil:
			all = append(all, p.check(types, at, v)...)
		case string(s.Additional) == "false":
			all = append(all, at+": there is no such field")
		case len(s.Additional) > 0 && json.Unmarshal(s.Additional, &rest) == nil:
			all = append(all, rest.check(types, at, v)...)
		}
	}
	return all
}

// jobSchema reads the schema.
func jobSchema(t *testing.T) *schema {
	t.Helper()
	data, err := os.ReadFile("testdata/job.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &schema{}
	if err := json.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// readYAML reads a file and holds it against the schema.
func readYAML(t *testing.T, s *schema, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var job map[string]any
	if err := yaml.Unmarshal(data, &job); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range s.check(s.Types, filepath.Base(path), job) {
		t.Error(wrong)
	}
	return job
}

// The schema finds mistakes.
func TestSchema(t *testing.T) {
	t.Parallel()
	s := jobSchema(t)
	for text, want := range map[string]string{
		"{kind: Job, spec: {template: {}}}":                                                      "",
		"{spec: {}}":                                                                             "template is missing",
		"{spec: {template: {}, completion: 3}}":                                                  "no such field",
		"{spec: {template: {}, completions: many}}":                                              "want a whole number",
		"{spec: {template: {}, podFailurePolicy: {rules: [{action: Fail}]}}}":                    "want a text [FailJob",
		"{metadata: {labels: {a: 1}}}":                                                           "want a text",
		"{spec: {template: {spec: {containers: {}}}}}":                                           "want a list",
		"{spec: {template: {spec: {containers: [{name: a, volumeMounts: [{name: data}]}]}}}}":    "mountPath is missing",
		"{spec: {template: {spec: {containers: [{name: a, resources: {requests: {cpu: 2}}}]}}}}": "want a text",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.check(s.Types, "job", value), "; "); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestK8s(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's $(HOME) 100%")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	arrays(t, dir, 1500)
	out := succeeds(t, dir, "scale", "k8s", "--shards", "4", "--cpus", "2", "--image", "registry/repscope:1", "--claim", "data", "--mount", dir, "--at-most", "3",
		"--namespace", "lab", "--out", "many", "--rates", ratesDir, "--", "neighborhood", "--frames", "f.npy", "--latents", "z=z.npy", "--bootstrap", "0", "--permutations", "0")
	if !strings.Contains(out, "4 tasks in 2 Jobs") || strings.Contains(out, "is not in") {
		t.Errorf("got %s", out)
	}
	s := jobSchema(t)
	root := filepath.Join(dir, "many")
	tasks := readYAML(t, s, filepath.Join(root, "k8s", "1-tasks.yaml"))
	spec := tasks["spec"].(map[string]any)
	for name, want := range map[string]any{"completionMode": "Indexed", "completions": 4, "parallelism": 3, "backoffLimitPerIndex": 3} {
		if spec[name] != want {
			t.Errorf("%s is %v, want %v", name, spec[name], want)
		}
	}
	pod := spec["template"].(map[string]any)["spec"].(map[string]any)
	if pod["restartPolicy"] != "Never" { // as a podFailurePolicy asks for
		t.Errorf("restartPolicy %v", pod["restartPolicy"])
	}
	rule := spec["podFailurePolicy"].(map[string]any)["rules"].([]any)[0].(map[string]any)
	if rule["action"] != "FailIndex" || fmt.Sprint(rule["onExitCodes"].(map[string]any)["values"]) != "[2]" {
		t.Errorf("first rule %v", rule)
	}
	container := pod["containers"].([]any)[0].(map[string]any)
	if got := fmt.Sprint(container["env"]); got != "[map[name:GOTRACEBACK value:crash]]" { // a crash has no status 2 then
		t.Errorf("environment %s", got)
	}
	command := container["command"].([]any)
	escaped := strings.ReplaceAll(root, "$(", "$$(")
	if got := fmt.Sprint(command); got != fmt.Sprint([]any{"scale", "task", escaped, "--offset", "0", "--threads", "2"}) {
		t.Errorf("command %v", got)
	}
	finish := readYAML(t, s, filepath.Join(root, "k8s", "2-finish.yaml"))["spec"].(map[string]any)
	if _, ok := finish["backoffLimitPerIndex"]; ok || finish["backoffLimit"] != 3 || finish["completionMode"] != "NonIndexed" {
		t.Errorf("the last Job: %v", finish)
	}

	// The pods do this, with an index each.
	succeeds(t, dir, "neighborhood", "--quiet", "--out", "one", "--frames", "f.npy", "--latents", "z=z.npy", "--bootstrap", "0", "--permutations", "0")
	for _, index := range []string{"3", "1", "0", "2", "2"} {
		if out, code := binaryWith(t, []string{"JOB_COMPLETION_INDEX=" + index}, t.TempDir(), "scale", "task", root, "--offset", "0", "--threads", "2"); code != 0 {
			t.Fatalf("task %s: status %d: %s", index, code, out)
		}
	}
	succeeds(t, t.TempDir(), "scale", "finish", root)
	if timeless(t, filepath.Join(dir, "one", "neighborhood.json")) != timeless(t, filepath.Join(root, "neighborhood.json")) {
		t.Error("the result differs from that of one process")
	}
}

// apply.sh ends in every case: with the Jobs that are complete, one that failed, one that is gone, and a cluster that
// does not answer. kubectl is a script here that says one line of a list after the other, the last for ever.
func TestApply(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's")
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	arrays(t, dir, 300)
	succeeds(t, dir, "scale", "k8s", "--shards", "2", "--image", "a", "--claim", "b", "--mount", dir, "--namespace", "lab", "--out", "many", "--rates", ratesDir,
		"--", "neighborhood", "--frames", "f.npy", "--latents", "z=z.npy", "--bootstrap", "0")
	const kubectl = `#!/bin/sh
echo "$*" >> "$LOG"
case $1 in apply) exit 0 ;; esac
line=$(head -n 1 "$ANSWERS")
[ "$(wc -l < "$ANSWERS")" -le 1 ] || sed -i 1d "$ANSWERS"
case $line in
error*) echo "$line" >&2; exit 1 ;;
esac
printf %s "$line"
`
	if err := os.WriteFile(filepath.Join(dir, "bin", "kubectl"), []byte(kubectl), 0o777); err != nil {
		t.Fatal(err)
	}
	const waiting, half, whole = "/2/", "1/1/", "SuccessCriteriaMet=True;Complete=True;2//"
	const silent = "error: dial tcp: i/o timeout"
	for name, c := range map[string]struct {
		answers []string
		code    int
		want    string
	}{
		"complete":              {[]string{"//", waiting, waiting, half, whole, waiting, whole}, 0, "0 succeeded, 2 active, 0 failed"},
		"failed":                {[]string{waiting, "FailureTarget=True;Failed=True;1//1"}, 1, "-tasks failed; scale status '"},
		"gone":                  {[]string{waiting, `error from server (NotFound): jobs.batch "x" not found`}, 1, "-tasks is gone: it was deleted"},
		"silent for a moment":   {[]string{silent, silent, waiting, silent, whole}, 0, ""},
		"silent for ever":       {[]string{waiting, silent}, 1, "no answer from the cluster: " + silent},
		"suspended, then whole": {[]string{"Suspended=True;//", whole}, 0, ""},
	} {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "_"))
		if err := os.WriteFile(file, []byte(strings.Join(c.answers, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		run := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "many", "k8s", "apply.sh"))
		run.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "POLL=0", "ANSWERS="+file, "LOG="+file+".log")
		out, err := run.CombinedOutput()
		if (err != nil) != (c.code != 0) || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, want status %d and %q: %s", name, err, c.code, c.want, out)
		}
		log, err := os.ReadFile(file + ".log")
		if err != nil || !strings.Contains(string(log), "apply --namespace lab --filename "+filepath.Join(dir, "many", "k8s", "1-tasks.yaml")) ||
			strings.Contains(string(log), "2-finish.yaml") != (c.code == 0) {
			t.Errorf("%s: called %s, %v", name, log, err)
		}
	}
}

// A task that was called wrongly ends with the status for which no index is tried again.
func TestTaskStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	arrays(t, dir, 300)
	succeeds(t, dir, "scale", "k8s", "--image", "a", "--claim", "b", "--mount", dir, "--out", "many", "--rates", ratesDir, "--", "manifold", "--latents", "z=z.npy", "--bootstrap", "0")
	if err := os.Remove(filepath.Join(dir, "z.npy")); err != nil {
		t.Fatal(err)
	}
	if out, code := binary(t, dir, "scale", "task", "many", "--index", "0"); code != 1 || !strings.Contains(out, "z.npy: no such file") {
		t.Errorf("an input that is gone: status %d: %s", code, out)
	}
	if out, code := binary(t, dir, "scale", "status", "many"); code != 1 || !strings.Contains(out, "failed: task 0, manifold: status 1 on ") {
		t.Errorf("status %d: %s", code, out)
	}
	for _, args := range [][]string{{"many"}, {"many", "--index", "1"}, {"many", "more", "--index", "0"}} {
		if out, code := binary(t, dir, "scale", append([]string{"task"}, args...)...); code != 2 {
			t.Errorf("%v: status %d: %s", args, code, out)
		}
	}
}
