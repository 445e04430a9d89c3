// What a run enters of its inputs.

package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"repscope/analysis/canvas"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/run"
	"repscope/report"
)

// digestOfTree is the digest of all files that metrics read of cases, in the order of their paths: of a
// tree. Files that are missing are part of it.
func digestOfTree(d *source.Digests, kinds []canvas.Kind, cases []source.Case) (digest string, files int) {
	all := sha256.New()
	for _, path := range canvas.FilesOf(kinds, cases) {
		fmt.Fprintf(all, "%s\n", d.Of(path))
		files++
	}
	return hex.EncodeToString(all.Sum(nil)), files
}

// enterInputs enters the files of the run into the result.
func (s *settings) enterInputs(env *run.Env, in *canvas.Input, kinds []canvas.Kind, d *source.Digests) {
	if s.single() {
		for _, f := range s.caseFiles() {
			if *f.path != "" {
				env.Result.Inputs = append(env.Result.Inputs, report.Input{Role: f.name, Path: *f.path, SHA256: d.Of(*f.path)})
			}
		}
		return
	}
	t := s.tree()
	sum, files := digestOfTree(d, kinds, in.Cases)
	var details report.Object
	details.Set("task", t.Task)
	details.Set("variant", t.Variant)
	details.Set("cases", len(in.Cases))
	details.Set("files", files)
	env.Result.Inputs = append([]report.Input{{Role: "tree", Path: t.Folder, SHA256: sum, Details: &details}}, env.Result.Inputs...)
}
