// scale k8s: divides work into indexed Jobs of Kubernetes.

package scale

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"repscope/internal/escape"
	"repscope/internal/filename"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const k8sManual = `scale k8s divides work as scale plan does and writes Jobs of Kubernetes into OUT/k8s: an
indexed Job with one index per task, and a Job that combines the shards. If latents have to
be encoded, a first Job does that. apply.sh applies the Jobs one after the other.

  scale k8s --within 1h --image registry/repscope:1 --claim data --mount /data \
            --out /data/results -- neighborhood --frames /data/val.npy --latents z=/data/z.npy

A failed index is retried --retries times (backoffLimitPerIndex), but not after exit status 2,
wrong usage (podFailurePolicy: FailIndex). A crash ends with another status. An evicted pod
does not count as a failure.
Paths are paths in the pods: run scale k8s where the volume is mounted at the same path.
It needs Kubernetes 1.33 or later.`

// k8s is the settings of the command.
type k8s struct {
	division                                *division
	image, claim, mount, program, namespace string
	parallelism, retries                    int
}

// newK8s is the command.
func newK8s(analyses []run.Command, studies Studies) run.Command {
	return run.Command{
		Name:      "k8s",
		Summary:   "divides work into indexed Jobs of Kubernetes",
		Manual:    k8sManual,
		Out:       placeholder,
		Arguments: "SUITE.yaml | -- ANALYSIS …",
		Omit:      []string{"seed", "bootstrap", "format", "width", "config", "json", "threads"},
		Setup: func(flags *run.Flags) run.Job {
			k := &k8s{division: newDivision(flags, analyses, studies), program: "scale", mount: "/data", retries: 3}
			flags.Declare(option.Of(k))
			return run.Job{Check: k.check, Direct: func(ctx context.Context, o *run.Options, stdout, stderr io.Writer) error {
				if o.Quiet {
					stdout = io.Discard
				}
				return k.run(ctx, stdout, stderr)
			}}
		},
	}
}

// Declare lists the options.
func (k *k8s) Declare(l *option.List) {
	l.Text(&k.image, "image", "`NAME` of the container image with the binaries (required)").Free()
	l.Text(&k.claim, "claim", "`NAME` of the persistent volume claim with inputs and results, writable by many nodes (required)").Free()
	l.Text(&k.mount, "mount", "`DIR` of the volume's mount point").Free().Reads()
	l.Text(&k.program, "program", "`FILE` of scale in the image").Free().Reads()
	l.Text(&k.namespace, "namespace", "`NAME` of the namespace; default: the namespace of kubectl").Free()
	l.Int(&k.parallelism, "at-most", "`N` pods at the same time; 0: all").AtLeast(0).Free()
	l.Int(&k.retries, "retries", "`N` retries of a task").AtLeast(0).Free()
}

func (k *k8s) check(o *run.Options) error {
	for _, required := range []struct{ flag, value string }{{"image", k.image}, {"claim", k.claim}} {
		if required.value == "" {
			return run.Usage("--%s is missing", required.flag)
		}
	}
	if k.namespace != "" && strings.Trim(k.namespace, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return run.Usage("--namespace %q: want lower-case letters, digits and hyphens", k.namespace)
	}
	if !filepath.IsAbs(k.mount) {
		return run.Usage("--mount %s: want an absolute path", k.mount)
	}
	return k.division.check(o)
}

func (k *k8s) run(ctx context.Context, stdout, stderr io.Writer) error {
	p, err := k.division.plan(ctx, stderr)
	if err != nil {
		return err
	}
	for _, w := range p.warnings {
		_, _ = fmt.Fprintf(stderr, "scale k8s: warning: %s\n", w)
	}
	for _, path := range append([]string{p.job.root}, inputsOf(p.job)...) {
		if abs, err := filepath.Abs(path); err == nil && abs != k.mount && !strings.HasPrefix(abs, strings.TrimSuffix(k.mount, "/")+"/") {
			_, _ = fmt.Fprintf(stderr, "scale k8s: warning: %s is not in %s, the volume's mount point\n", abs, k.mount)
		}
	}
	if err := p.job.free(ctx); err != nil {
		return err
	}
	files, err := report.Begin(p.job.root)
	if err != nil {
		return err
	}
	defer files.Abort()
	if err := p.job.write(files); err != nil {
		return err
	}
	jobs := k.jobs(p.job)
	var apply strings.Builder
	apply.WriteString(k.applyHead(p.job))
	for i, j := range jobs {
		var content bytes.Buffer
		encoder := yaml.NewEncoder(&content)
		encoder.SetIndent(2)
		if err := encoder.Encode(j); err != nil {
			return err
		}
		name := fmt.Sprintf("%s/%d-%s.yaml", k8sFolder, i+1, j.step)
		if err := writeText(files, name, content.String(), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&apply, "run %s %s\n", escape.Shell(filepath.Join(p.job.root, filepath.FromSlash(name))), j.Metadata.Name)
	}
	if err := writeText(files, k8sFolder+"/apply.sh", apply.String(), 0o777); err != nil {
		return err
	}
	if err := files.Commit(); err != nil {
		return err
	}
	script := filepath.Join(p.job.root, k8sFolder, "apply.sh")
	_, err = fmt.Fprintf(stdout, "%s in %s; run them with: sh %s\n",
		text.Count(len(p.job.tasks), "task"), text.Count(len(jobs), "Job"), escape.Shell(script))
	return err
}

// applyWait is the part of apply.sh that waits for a Job. A Job that is complete, failed or gone ends the waiting; a
// cluster that does not answer is asked again for five minutes.
const applyWait = `
failed() { # REASON JOB
	echo "$1; scale status $root lists missing tasks" >&2
	echo "to retry: kubectl delete job$in $2 --ignore-not-found, then this script" >&2
	exit 1
}

report() { # JOB SUCCEEDED/ACTIVE/FAILED
	counts=$2
	succeeded=${counts%%/*} counts=${counts#*/}
	active=${counts%%/*} bad=${counts#*/}
	echo "$1: ${succeeded:-0} succeeded, ${active:-0} active, ${bad:-0} failed"
}

run() { # FILE JOB
	kubectl apply$in --filename "$1"
	silent=0 last=
	while :; do
		if answer=$(kubectl get job$in "$2" --output "jsonpath=$fields" 2>&1); then
			silent=0
			case $answer in
			*"Complete=True;"*) return 0 ;;
			*"Failed=True;"*) failed "$2 failed" "$2" ;;
			esac
			[ "$answer" = "$last" ] || report "$2" "${answer##*;}"
			last=$answer
		else
			case $answer in
			*NotFound* | *"not found"*) failed "$2 is gone: it was deleted before it was complete" "$2" ;;
			esac
			silent=$((silent + 1))
			[ $silent -lt 30 ] || failed "$2: no answer from the cluster: $answer" "$2"
		fi
		sleep "${POLL:-10}"
	done
}

`

// applyHead is what stands in apply.sh before the Jobs.
func (k *k8s) applyHead(j *Job) string {
	in := ""
	if k.namespace != "" {
		in = " --namespace " + k.namespace
	}
	return "#!/bin/sh\n# Runs the Jobs one after the other; POLL is the seconds between two looks. Written by scale k8s.\nset -eu\n" +
		"in=" + escape.Shell(in) + "\nroot=" + escape.Shell(escape.Shell(j.root)) + "\n" +
		`fields='{range .status.conditions[?(@.status=="True")]}{.type}={.status};{end}{.status.succeeded}/{.status.active}/{.status.failed}'` + "\n" + applyWait
}

// inputsOf are the files that a job reads.
func inputsOf(j *Job) []string {
	var list []string
	for i := range j.Pieces {
		for _, in := range j.Pieces[i].Inputs {
			list = append(list, in.Path)
		}
	}
	return list
}

// k8sFolder is the folder of the Jobs, in the folder of the work.
const k8sFolder = "k8s"

// writeText writes a text among the files of the work.
func writeText(files *report.Transaction, name, content string, mode fs.FileMode) error {
	return files.FileMode(name, mode, func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	})
}

// The fields of batch/v1 Job that are written.
type (
	k8sJob struct {
		APIVersion string      `yaml:"apiVersion"`
		Kind       string      `yaml:"kind"`
		Metadata   k8sMetadata `yaml:"metadata"`
		Spec       k8sJobSpec  `yaml:"spec"`
		step       string
	}
	k8sMetadata struct {
		Name      string            `yaml:"name,omitempty"`
		Namespace string            `yaml:"namespace,omitempty"`
		Labels    map[string]string `yaml:"labels"`
	}
	k8sJobSpec struct {
		CompletionMode       string           `yaml:"completionMode"`
		Completions          int              `yaml:"completions"`
		Parallelism          int              `yaml:"parallelism"`
		BackoffLimit         *int             `yaml:"backoffLimit,omitempty"`
		BackoffLimitPerIndex *int             `yaml:"backoffLimitPerIndex,omitempty"`
		PodFailurePolicy     k8sFailurePolicy `yaml:"podFailurePolicy"`
		Template             k8sTemplate      `yaml:"template"`
	}
	k8sFailurePolicy struct {
		Rules []k8sRule `yaml:"rules"`
	}
	k8sRule struct {
		Action          string             `yaml:"action"`
		OnExitCodes     *k8sExitCodes      `yaml:"onExitCodes,omitempty"`
		OnPodConditions []k8sPodConditions `yaml:"onPodConditions,omitempty"`
	}
	k8sExitCodes struct {
		ContainerName string `yaml:"containerName"`
		Operator      string `yaml:"operator"`
		Values        []int  `yaml:"values"`
	}
	k8sPodConditions struct {
		Type   string `yaml:"type"`
		Status string `yaml:"status"`
	}
	k8sTemplate struct {
		Metadata k8sMetadata `yaml:"metadata"`
		Spec     k8sPodSpec  `yaml:"spec"`
	}
	k8sPodSpec struct {
		RestartPolicy string         `yaml:"restartPolicy"`
		Containers    []k8sContainer `yaml:"containers"`
		Volumes       []k8sVolume    `yaml:"volumes"`
	}
	k8sContainer struct {
		Name         string       `yaml:"name"`
		Image        string       `yaml:"image"`
		Command      []string     `yaml:"command"`
		WorkingDir   string       `yaml:"workingDir"`
		Env          []k8sEnv     `yaml:"env,omitempty"`
		Resources    k8sResources `yaml:"resources"`
		VolumeMounts []k8sMount   `yaml:"volumeMounts"`
	}
	k8sEnv struct {
		Name  string `yaml:"name"`
		Value string `yaml:"value"`
	}
	k8sResources struct {
		Requests map[string]string `yaml:"requests"`
		Limits   map[string]string `yaml:"limits"`
	}
	k8sMount struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
	}
	k8sVolume struct {
		Name                  string   `yaml:"name"`
		PersistentVolumeClaim k8sClaim `yaml:"persistentVolumeClaim"`
	}
	k8sClaim struct {
		ClaimName string `yaml:"claimName"`
	}
)

// jobs are the Jobs of the tasks that go first, of the others, and the last one.
func (k *k8s) jobs(j *Job) []k8sJob {
	firsts := j.firsts()
	var list []k8sJob
	if firsts > 0 {
		list = append(list, k.indexed(j, "first", 0, firsts))
	}
	if n := len(j.tasks) - firsts; n > 0 {
		list = append(list, k.indexed(j, "tasks", firsts, n))
	}
	last := k.one(j, "finish", []string{k.program, "finish", k8sText(j.root)})
	last.Spec.Completions, last.Spec.Parallelism, last.Spec.BackoffLimit = 1, 1, &k.retries
	last.Spec.CompletionMode = "NonIndexed"
	last.Spec.PodFailurePolicy.Rules[0].Action = "FailJob" // there are no indices
	return append(list, last)
}

// indexed is the Job of n tasks from one.
func (k *k8s) indexed(j *Job, step string, offset, n int) k8sJob {
	one := k.one(j, step, []string{k.program, "task", k8sText(j.root), "--offset", strconv.Itoa(offset), "--threads", strconv.Itoa(k.division.cores)})
	one.Spec.Completions, one.Spec.Parallelism = n, n
	if k.parallelism > 0 {
		one.Spec.Parallelism = min(n, k.parallelism)
	}
	one.Spec.BackoffLimitPerIndex = &k.retries
	return one
}

// one is a Job of our container.
func (k *k8s) one(j *Job, step string, command []string) k8sJob {
	const container, volume = "repscope", "data"
	labels := map[string]string{"app.kubernetes.io/name": "repscope", "app.kubernetes.io/component": step}
	largest := int64(0)
	for i := range j.Pieces {
		largest = max(largest, j.Pieces[i].Need.Memory)
	}
	size := strconv.FormatInt((largest+largest/4)>>20+256, 10) + "Mi"
	c := k8sContainer{
		Name: container, Image: k.image, Command: command, WorkingDir: j.Dir,
		Resources:    k8sResources{map[string]string{"cpu": strconv.Itoa(k.division.cores), "memory": size}, map[string]string{"memory": size}},
		VolumeMounts: []k8sMount{{volume, k.mount}},
	}
	c.Env = []k8sEnv{{"GOTRACEBACK", "crash"}}              // no crash has status 2, not even before the program can see to that itself
	if firsts := j.firsts(); firsts > 0 && !givesCache(j) { // latents that one task encodes must be seen by all
		c.Env = append(c.Env, k8sEnv{"XDG_CACHE_HOME", k8sText(filepath.Join(j.root, "cache"))})
	}
	return k8sJob{
		APIVersion: "batch/v1", Kind: "Job", step: step,
		Metadata: k8sMetadata{Name: k.name(j, step), Namespace: k.namespace, Labels: labels},
		Spec: k8sJobSpec{
			CompletionMode: "Indexed",
			PodFailurePolicy: k8sFailurePolicy{[]k8sRule{
				{Action: "FailIndex", OnExitCodes: &k8sExitCodes{container, "In", []int{2}}},
				{Action: "Ignore", OnPodConditions: []k8sPodConditions{{"DisruptionTarget", "True"}}},
			}},
			Template: k8sTemplate{
				Metadata: k8sMetadata{Labels: labels},
				Spec: k8sPodSpec{RestartPolicy: "Never", Containers: []k8sContainer{c},
					Volumes: []k8sVolume{{volume, k8sClaim{k.claim}}}},
			},
		},
	}
}

// givesCache reports whether the analyses name a cache.
func givesCache(j *Job) bool {
	for i := range j.Pieces {
		for _, a := range j.Pieces[i].Args {
			if strings.HasPrefix(strings.TrimLeft(a, "-"), "cache") && strings.HasPrefix(a, "-") {
				return true
			}
		}
	}
	return false
}

// k8sText keeps Kubernetes from replacing $(NAME) in a text.
func k8sText(text string) string { return strings.ReplaceAll(text, "$(", "$$(") }

// name is a DNS label that is the same for the same work.
func (k *k8s) name(j *Job, step string) string {
	base := j.Pieces[0].Analysis
	if j.Suite != "" {
		base = filename.Stem(j.Suite)
	}
	label := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, base)
	label = strings.Trim(label[:min(len(label), 30)], "-")
	return strings.Trim("repscope-"+label, "-") + "-" + j.digest[:8] + "-" + step
}
