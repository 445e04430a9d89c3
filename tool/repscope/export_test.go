// Tests of export: wrong usage, files all or none, inputs that stay.

package repscope

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	content, err := os.ReadFile("../../report/testdata/robustness_deletions.json")
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "r.json")
	if err := os.WriteFile(in, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "metrics.parquet"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "no result to export"},
		{"{}/r.json", 2, "want a form of the files: --to every_eval_ever|hf_eval_results|parquet"},
		{"{}/r.json --to csv", 2, "csv"},
		{"{}/r.json --to every_eval_ever", 2, "needs --organization"},
		{"{}/r.json --to every_eval_ever --organization lab", 2, "needs --relationship"},
		{"{}/r.json --to hf_eval_results", 2, "needs --dataset-id"},
		{"{}/r.json --to hf_eval_results --dataset-id o/d", 2, "needs --task-id"},
		{"{}/r.json --to hf_eval_results --dataset-id o/d --task-id a --task-id b", 2, "repeats another one"},
		{"{}/r.json --to parquet --model-id a=b", 2, "want NAME=DEVELOPER/MODEL"},
		{"{}/r.json --to parquet --metrics nobody", 2, "the tables of --to parquet have all numbers"},
		{"{}/r.json --to parquet --source-name a", 2, "needs --source-url"},
		{"{}/none.json --to parquet", 1, "none.json"},
		{"{}/r.json --to parquet --model-id nobody=a/b", 2, "no result has a model of this name"},
		{"{}/metrics.parquet --to parquet --out {}", 2, "metrics.parquet"},
		{"{}/r.json {}/r.json --to hf_eval_results --dataset-id o/d --metrics nothing --task-id t", 1,
			"no number of --metrics nothing"},
		{"{}/r.json --to parquet --out {}/tables", 0, "tables: metrics.parquet, comparisons.parquet"},
	} {
		out := filepath.Join(dir, "out")
		args := append([]string{"export"}, strings.Fields(strings.ReplaceAll(c.args, "{}", dir))...)
		if i > 0 && !strings.Contains(c.args, "--out") {
			args = append(args, "--out", out)
		}
		var stdout, stderr bytes.Buffer
		if code := Run(commands(), args, &stdout, &stderr); code != c.code || !strings.Contains(stdout.String()+stderr.String(), c.says) {
			t.Errorf("%s: status %d: %s%s; want %d, %q", c.args, code, stdout.String(), stderr.String(), c.code, c.says)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: there is an output folder", c.args)
		}
	}
	if now, err := os.ReadFile(filepath.Join(dir, "metrics.parquet")); err != nil || !bytes.Equal(now, content) {
		t.Errorf("an input was written over: %v", err)
	}
}
