// Tests of --shard: what shards make together is what one process writes.

package suite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/internal/share"
	"repscope/report"
	"repscope/shard"
)

// example are options that make the example of an analysis small.
var example = map[string]string{
	"smoothness":     "--samples 120 --horizons 1,3",
	"robustness":     "--samples 40 --levels 0.1,0.3 --per-sample",
	"neighborhood":   "--samples 600 --permutations 2 --per-point",
	"manifold":       "--samples 150",
	"geometry":       "--samples 150 --rsa-pairs 500 --per-point",
	"similarity":     "--samples 60 --permutations 3",
	"reconstruction": "--samples 60 --rollout-steps 2 --samples-shown 2 --save-frames",
	"reward":         "--samples 80 --probes ridge --predictions-csv",
	"generation":     "--metrics reconstruction,diversity",
	"forecast":       "--metrics mae,crps,energy_score",
	"sequence":       "--metrics masked_accuracy,ppl",
	"audit":          "--permutations 3",
	"surprise":       "--violations teleport,skip --draws 1",
	"canvas":         "--ids gid1-* --metrics ssim,layout_iou,tool_calls --plots",
}

// small are the analyses of states with what they take of 30 small frames; those that encode get a baseline too.
var small = map[string]string{
	"smoothness":     "--horizons 1,3,5",
	"robustness":     "--levels 0.1,0.2,0.3,0.4 --draws 2 --per-sample",
	"neighborhood":   "--k 2,5 --per-point --permutations 1",
	"manifold":       "--baseline pca:3",
	"geometry":       "--per-point --clusters 2 --labels {}/labels.npy",
	"similarity":     "--baseline pca:3 --k 2 --permutations 3",
	"surprise":       "--violations teleport,skip,freeze --sizes 1 --draws 1",
	"reconstruction": "--predictions a={}/f.npy --predictions b={}/f.npy --samples-shown 2",
	"audit":          "--split {}/labels.npy --episodes {}/labels.npy --targets class={}/labels.npy --latents pixels={}/f.npy --permutations 3",
	"reward":         "--rewards {}/labels.npy --probes ridge --predictions-csv --min-entropy 0 --bootstrap 0",
}

// timestamps are what alone may differ between the results of two runs, with what was in the cache, and what differs
// with them in the digests.
var (
	timestamps = regexp.MustCompile(`"started": "[^"]*"|"elapsed_s": [0-9.e+-]+|\s*"latents_from_cache": \[[^\]]*\],`)
	ofResult   = regexp.MustCompile(`(?m)^[0-9a-f]{64}  [a-z]+\.json$`)
)

// folderOf returns the content of the files of a folder by their names.
func folderOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if strings.HasSuffix(name, ".json") {
			data = timestamps.ReplaceAll(data, nil)
		}
		if strings.HasSuffix(name, report.SumsEnding) {
			data = ofResult.ReplaceAll(data, nil)
		}
		files[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// fitted has the baselines that are fitted to the built-in example, for all tests that run it.
var fitted = share.NewStore(1 << 30)

// call runs a command and returns what it printed on stderr.
func call(t *testing.T, code int, name string, args ...string) string {
	t.Helper()
	e, _ := Find(name)
	var stdout, stderr bytes.Buffer
	if got := run.Run(share.With(t.Context(), fitted), e.Command, args, &stdout, &stderr); got != code {
		t.Fatalf("%s %v: exit %d, want %d: %s", name, args, got, code, stderr.String())
	}
	return stderr.String()
}

// Every analysis that has --shard writes, in any number of shards, merged in any order and with
// one of them twice, the bytes of one process: numbers, tables and figures.
func TestShardsOfEveryAnalysis(t *testing.T) {
	runtest.Long(t, "it runs every analysis many times")
	t.Parallel()
	divides := 0
	for _, e := range All() {
		if !slices.Contains(run.FlagNames(e.Command), "shard") {
			continue
		}
		divides++
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := append([]string{"--example"}, strings.Fields(example[e.Name])...)
			if flags, states := small[e.Name]; states {
				flags = "--frames {}/f.npy " + flags
				if slices.Contains(run.FlagNames(e.Command), "cache") {
					args = append(args, "--cache", filepath.Join(dir, "cache"))
					flags += " --baseline random:4 --cache {}/cache"
				}
				checkShards(t, e.Name, filepath.Join(dir, "example"), args, 2)
				smallFrames(t, dir)
				checkShards(t, e.Name, filepath.Join(dir, "small"), strings.Fields(strings.ReplaceAll(flags, "{}", dir)), 1, 3, 7)
				return
			}
			checkShards(t, e.Name, dir, args, 1, 2, 3, 7)
		})
	}
	if divides < 11 {
		t.Errorf("%d commands have --shard, want all 11 analyses", divides)
	}
}

// checkShards compares the files of one process with those of shards, of which one is made twice. The last number of
// shards has figures as PNG, of which each takes longer than the rest, the others have SVG.
func checkShards(t *testing.T, analysis, dir string, args []string, numbers ...int) {
	t.Helper()
	var want map[string]string
	r := rand.New(rand.NewPCG(1, 2))
	for k, n := range numbers {
		format := "svg"
		if k == len(numbers)-1 {
			format = "png"
		}
		args := append(slices.Clone(args), "--format", format, "--quiet")
		if k == 0 || format == "png" {
			whole := filepath.Join(dir, "whole", format)
			call(t, 0, analysis, append(args, "--out", whole)...)
			checkSchema(t, filepath.Join(whole, analysis+".json"))
			want = folderOf(t, whole)
		}
		shards := filepath.Join(dir, fmt.Sprint("shards", n))
		var files []string
		for i := range n {
			call(t, 0, analysis, append(args, "--out", shards, "--shard", fmt.Sprint(i, "/", n))...)
			files = append(files, filepath.Join(shards, run.Shard{Index: i, Of: n}.File(analysis)))
		}
		if written := list(t, shards); len(written) != n {
			t.Fatalf("%d shards wrote %v", n, written)
		}
		again := filepath.Join(dir, "again", fmt.Sprint(n), "retry.shard")
		rename(t, files[n/2], again)
		call(t, 0, analysis, append(args, "--out", shards, "--shard", fmt.Sprint(n/2, "/", n))...)
		files = append(files, again)
		r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		merged := filepath.Join(dir, fmt.Sprint("merged", n))
		call(t, 0, "scale", append(append([]string{"merge"}, files...), "--quiet", "--out", merged)...)
		equalFolders(t, fmt.Sprint(n, " shards"), folderOf(t, merged), want)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func equalFolders(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		other, ok := got[name]
		if !ok {
			t.Errorf("%s: %s is missing", what, name)
		} else if other != text {
			at := 0
			for at < min(len(text), len(other)) && text[at] == other[at] {
				at++
			}
			t.Errorf("%s: %s differs at %d: %.200q, want %.200q", what, name, at, other[max(0, at-80):], text[max(0, at-80):])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is too much", what, name)
		}
	}
}

// Shards of other numbers complete each other.
func TestShardsOfSeveralNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallFrames(t, dir)
	args := []string{"--frames", filepath.Join(dir, "f.npy"), "--baseline", "random:4", "--cache", filepath.Join(dir, "cache"), "--bootstrap", "0", "--levels", "0.1,0.2,0.3", "--quiet"}
	call(t, 0, "robustness", append(args, "--out", filepath.Join(dir, "whole"))...)
	shards := filepath.Join(dir, "shards")
	for _, s := range []string{"0/2", "1/4", "3/4", "2/4"} { // 2/4 has nothing that 0/2 has not
		call(t, 0, "robustness", append(args, "--out", shards, "--shard", s)...)
	}
	call(t, 0, "scale", "merge", shards, "--quiet", "--out", filepath.Join(dir, "merged"))
	equalFolders(t, "2 and 4 shards", folderOf(t, filepath.Join(dir, "merged")), folderOf(t, filepath.Join(dir, "whole")))
}

// What cannot be merged is refused with the name of the file, and nothing is written.
func TestRefusedShards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	smallFrames(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	shards := func(out, flags string) {
		for i := range 3 {
			args := "--frames " + at("f.npy") + " --baseline random:4 --cache " + at("cache") + " --bootstrap 0 --quiet --out " + at(out) + " " + flags
			call(t, 0, "robustness", append(strings.Fields(args), "--shard", fmt.Sprint(i, "/3"))...)
		}
	}
	shards("s", "--levels 0.1,0.2,0.3")
	shards("levels", "--levels 0.1,0.2,0.4")
	shards("svg", "--levels 0.1,0.2,0.3 --format svg")
	file := func(folder string, i int) string { return at(fmt.Sprintf("%s/robustness.%d-of-3.shard", folder, i)) }
	whole, err := os.ReadFile(file("s", 1))
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)-9] ^= 4
	for name, data := range map[string][]byte{"cut": whole[:len(whole)-20], "flipped": flipped, "none": []byte("PK"), "empty": {}, "conflict": conflicting(t, file("s", 1))} {
		if err := os.WriteFile(at(name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s0, s1, s2 := file("s", 0), file("s", 1), file("s", 2)
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{s0, s2}, "1 of 3 units of robustness missing, from shard 1/3\n"},
		{[]string{s0, s2}, "hint: robustness --bootstrap=0 --cache="},
		{[]string{s1}, "2 of 3 units of robustness missing, from shards 0/3, 2/3\n"},
		{[]string{s0, at("cut"), s2}, at("cut") + ": the shard is damaged: unit 1: "},
		{[]string{s0, at("flipped"), s2}, at("flipped") + ": the shard is damaged: the digest of unit 1 differs"},
		{[]string{s0, at("none"), s2}, at("none") + ": not a shard"},
		{[]string{s0, at("empty"), s2}, at("empty") + ": not a shard"},
		{[]string{s0, at("nowhere"), s2}, at("nowhere") + ": no such file"},
		{[]string{s0, s1, at("conflict"), s2}, "unit 1 differ between " + at("conflict")},
		{[]string{s0, file("levels", 1), s2}, file("levels", 1) + " is not part of the same work as " + s0 + ": option levels = "},
		{[]string{s0, file("svg", 1), s2}, "were computed with different options: --format svg and"},
		{[]string{s0, s1, s2, at("f.npy")}, at("f.npy") + ": not a shard"},
		{[]string{at("cache")}, at("cache") + ": this folder has no files *.shard"},
	} {
		message := call(t, 1, "scale", append(append([]string{"merge"}, test.files...), "--out", at("merged"))...)
		if !strings.Contains(message, test.want) {
			t.Errorf("%s: want %q", message, test.want)
		}
	}
	changeFrames(t, at("f.npy"))
	message := call(t, 1, "scale", "merge", at("s"), "--out", at("merged"))
	if want := "frames " + at("f.npy") + ": changed since " + s0 + " was made: SHA-256 "; !strings.Contains(message, want) {
		t.Errorf("%s: want %q", message, want)
	}
	if err := os.Remove(at("f.npy")); err != nil {
		t.Fatal(err)
	}
	if message := call(t, 1, "scale", "merge", at("s"), "--out", at("merged")); !strings.Contains(message, at("f.npy")+": no such file") {
		t.Error(message)
	}
	if _, err := os.Stat(at("merged")); !os.IsNotExist(err) {
		t.Errorf("what was refused has left a folder (%v)", err)
	}
}

// conflicting is a shard with other numbers in its part.
func conflicting(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	state, err := shard.Read(bytes.NewReader(data), path)
	if err != nil {
		t.Fatal(err)
	}
	part := &state.Parts[0]
	part.Data[len(part.Data)-1] ^= 1
	part.SHA256 = shard.Sum(part.Data)
	var out bytes.Buffer
	if err := state.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// changeFrames changes a value of a file.
func changeFrames(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// What is not divided says so before anything is read.
func TestNotDivided(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"neighborhood --frames none.npy --latents z=none.npy --approx --shard 0/2": "--shard and --approx cannot " +
			"be used together: a sample of states cannot be divided",
		"sequence --sequences none.csv --mask-plan p.npz --shard 0/2": "--shard and --mask-plan cannot be used together",
		"canvas --example --resume --shard 0/2":                       "--shard and --resume cannot be used together",
		"canvas --example --reports --shard 0/2":                      "--shard and --reports cannot be used together",
		"manifold --example --json --shard 0/2":                       "--shard and --json cannot be used together: a shard is not a result",
		"manifold --example --shard 2/2":                              "want i/n: one of n shards, i from 0 to n − 1",
		"compare --example --shard 0/2":                               "unknown flag --shard",
		"scale":                                                       "no command: want one of merge",
		"scale marge":                                                 `unknown command "marge": want one of merge`,
		"scale merge":                                                 "no shards: want files",
	} {
		name, rest, _ := strings.Cut(args, " ")
		if message := call(t, 2, name, strings.Fields(rest)...); !strings.Contains(message, want) {
			t.Errorf("%s: %s, want %q", args, message, want)
		}
	}
}
