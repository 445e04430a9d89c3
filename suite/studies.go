// What scale needs of evaluate, which it does not import.

package suite

import (
	"context"

	"repscope/tool/evaluate"
	"repscope/tool/scale"
)

// Studies tells package scale of suite files.
func Studies() scale.Studies {
	commands := commandsOf(analyses)
	read := func(ctx context.Context, path string) (*evaluate.Suite, error) {
		return evaluate.ReadSuite(ctx, path, commands)
	}
	return scale.Studies{
		Read: func(ctx context.Context, path string) ([]scale.StudyTask, string, error) {
			s, err := read(ctx, path)
			if err != nil {
				return nil, "", err
			}
			var tasks []scale.StudyTask
			for i := range s.Datasets {
				for _, t := range s.Datasets[i].Tasks {
					tasks = append(tasks, scale.StudyTask{Dataset: t.Dataset, Analysis: t.Analysis, Task: t.Task})
				}
			}
			return tasks, s.Folder(""), nil
		},
		Enter: func(ctx context.Context, path, folder string, names []string) error {
			s, err := read(ctx, path)
			if err != nil {
				return err
			}
			return evaluate.Enter(s, folder, names)
		},
		Command: evaluate.New(commands, Validate()),
	}
}
