// The command line of the published evaluation script: evaluate --checkpoint … --data ….

package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"repscope/analysis/generation"
	"repscope/analysis/internal/output"
	"repscope/internal/filename"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/report"
)

// registerPublished adds the flags of the published script, and answers to those that are done
// by others here.
func (f *options) registerPublished(flags *run.Flags) {
	flags.Declare(option.Of(option.Func(func(l *option.List) {
		l.Checked(&f.documented, "documented-json", output.JSONName,
			"`FILE.json` for {checkpoint, metrics} of the first generator, in the published format").Writes().Alias("output")
		l.Bool(new(bool), "cpu", "run models on the CPU (always the case)").Free()
	})))
	flags.Alias("data", "real")
	flags.Alias("classifier-checkpoint", "classifier")
	flags.Answer("checkpoint", func(path string, args []string) string {
		name := filename.Stem(path)
		grids := orText(run.Argument(args, "data", "real"), "GRIDS.npz")
		classifier := ""
		if given := run.Argument(args, "classifier-checkpoint", "classifier"); given != "" {
			classifier = " --classifier " + exportOf(given, "")
		}
		return fmt.Sprintf("--checkpoint %s: checkpoints are not run; export encoder and decoder with "+
			"torch.onnx.export, and give --encoder %s=%s --decoder %[2]s=%[4]s --grids %s%s",
			orText(path, "FILE"), orText(name, "NAME"), exportOf(path, "_encoder"), exportOf(path, "_decoder"), grids,
			classifier)
	})
}

// exportOf is a name for the export of a part of a checkpoint, next to it.
func exportOf(path, part string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + part + ".onnx"
}

func orText(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// checkpoints are endings of files of weights without a graph.
var checkpoints = []string{".pth", ".pt", ".ckpt", ".safetensors", ".bin", ".h5"}

// checkExport is wrong usage for weights in the place of an exported model.
func checkExport(flag, path string) error {
	if !slices.Contains(checkpoints, strings.ToLower(filepath.Ext(path))) {
		return nil
	}
	return run.Usage("--%s %s: checkpoints are not run; export the model with torch.onnx.export, and give --%[1]s %[3]s",
		flag, path, exportOf(path, ""))
}

// writeDocumented writes the published layout of the first generator.
func (f *options) writeDocumented(env *run.Env, r *generation.Result, models report.Object) error {
	if f.documented == "" {
		return nil
	}
	if computed(r, "similarity") && f.o.Definition != generation.DefinitionDocumented {
		env.Note("note: %s contains statistics of --definition %s; published results use --definition %s",
			f.documented, f.o.Definition, generation.DefinitionDocumented)
	}
	return output.Documented(env, f.documented, documentedObject(r, &r.Models[0], models))
}
