// What scale needs of evaluate, which it does not import.

package suite

import (
	"repscope/tool/evaluate"
	"repscope/tool/scale"
)

// Studies tells package scale of suite files.
func Studies() scale.Studies {
	commands := commandsOf(analyses)
	read := func(path string) (*evaluate.Suite, error) { return evaluate.ReadSuite(path, commands) }
	return scale.Studies{
		Read: func(path string) ([]scale.StudyTask, string, error) {
			s, err := read(path)
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
		Enter: func(path, folder string, names []string) error {
			s, err := read(path)
			if err != nil {
				return err
			}
			return evaluate.Enter(s, folder, names)
		},
		Command: evaluate.New(commands),
	}
}
