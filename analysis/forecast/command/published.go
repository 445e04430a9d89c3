// The command lines of the published scripts: evaluate_model --model_dir …, evaluate_persistence.

package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"repscope/internal/run"
)

// device is what models run on.
const device = "cpu"

// registerPublished adds answers to flags of the published scripts that are done by others here.
func (s *settings) registerPublished(flags *run.Flags) {
	flags.Answer("model-dir", func(dir string, args []string) string {
		name, file := filepath.Base(filepath.Clean(dir)), filepath.Join(dir, "model.onnx")
		if dir == "" {
			dir, name, file = "DIR", "NAME", "FILE.onnx"
		}
		members := ""
		if n := run.Argument(args, "n-samples"); n != "" {
			members = " --n-samples " + n
		}
		return fmt.Sprintf("--model-dir %s: checkpoints are not run; give the model's forecasts, --forecast "+
			"%s=FILE.npy [N,S,V,H,W], or its ONNX export, --model %[2]s=%s%s, with --target and --input",
			dir, name, file, members)
	})
}

func checkDevice(text string) error {
	if text == "auto" || text == "cpu" || text == "cuda" || strings.HasPrefix(text, "cuda:") {
		return nil
	}
	return fmt.Errorf("%q: want cpu, auto or cuda", text)
}

// noteDevice says where models run, if another device was asked for.
func (s *settings) noteDevice(env *run.Env) {
	if strings.HasPrefix(s.device, "cuda") && len(s.models.Names()) > 0 {
		env.Note("note: --device %s: models run on the CPU", s.device)
	}
}
