// Who may open, read and write files by the calls of the library.

package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// opening are calls that open whatever has a name: a pipe that waits for ever, a device without an end. What somebody
// else has named goes through package regular.
var opening = calls{
	names: "os.Open os.OpenFile os.ReadFile",
	may: map[string]string{
		"internal/regular/regular.go": "it is what the others call",
		"internal/atomicfile":         "temporary files of its own, and folders to lock",
		"internal/folderlock":         "lock files of its own, and /proc",
		"internal/memory":             "/proc and control groups",
		"tool/scale/rates.go":         "/proc/cpuinfo",
		"report/commit.go":            "temporary files of its own, and folders to sync",
		"report/transaction.go":       "temporary files of its own",
		"internal/expand/expand.go":   "folders, whose names patterns are held against",
		"tool/repscope/links.go":      "a copy of the program",
	},
}

// writing are calls that make files. The files of a run belong to its transaction, which keeps the earlier result
// until all of them are there, and which never writes over an input.
var writing = calls{
	names: "os.Create os.WriteFile os.CreateTemp os.Rename os.Link os.Symlink atomicfile.Write",
	may: map[string]string{
		"report/commit.go":                       "it is what the others call",
		"report/transaction.go":                  "what older versions have left",
		"internal/atomicfile":                    "it is what the others call",
		"dataset/write.go":                       "the writer of one array, for who has no run",
		"dataset/npz.go":                         "an array that is inflated, in the folder for temporary files",
		"internal/entries/entries.go":            "what is kept for later runs",
		"analysis/canvas/command":                "reports and scores under names that the transaction takes over",
		"analysis/generation/command/partial.go": "what an interrupted run leaves",
		"analysis/sequence/command/partial.go":   "what an interrupted run leaves",
		"tool/evaluate/record.go":                "the record of a task, after its files have their names",
		"tool/scale/job.go":                      "records of tasks and measured rates, one file each",
		"tool/repscope/links.go":                 "links",
		"tool/repscope/mcp/study.go":             "the copy of a suite that was checked, in a folder of the server's own",
		"dataset/zarr/zarrtest":                  "stores for tests",
	},
}

// printing are the streams of the process. Texts for people go through run.Console, which shows what hides in them.
var printing = calls{
	names: "os.Stdout os.Stderr",
	may: map[string]string{
		"internal/run":              "it is what the others call",
		"internal/supervise":        "the streams of the process that it watches, and one line of its end",
		"tool/repscope/repscope.go": "which calls it",
		"tool/repscope/mcp/mcp.go":  "messages of the protocol, which escape what they hold",
	},
}

// calls are functions that some files alone may call; a folder stands for its files and those below.
type calls struct {
	names string
	may   map[string]string // with the reason
}

// notProduct are folders that are no part of a binary.
const notProduct = "analysis/canvas/internal/casetest analysis/sequence/internal/sequencetest beam packaging internal/calibration internal/runtest internal/example/generate internal/kernel/generate internal/cuda/forward internal/cuda/ptxvm " +
	"internal/typeface/generate model/internal/graphtest model/internal/executortest"

// TestFileCalls holds that files are opened and made in few places.
func TestFileCalls(t *testing.T) {
	t.Parallel()
	tree := sources(t)
	for _, rule := range []calls{opening, writing, printing} {
		used := map[string]bool{}
		for _, s := range tree.files {
			if s.test || within(s.folder, notProduct) {
				continue
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := call.X.(*ast.Ident)
				if !ok || !slices.Contains(strings.Fields(rule.names), of.Name+"."+call.Sel.Name) {
					return true
				}
				for place := range rule.may {
					if s.path == place || within(s.folder, place) {
						used[place] = true
						return true
					}
				}
				t.Errorf("%s uses %s.%s: files that others name are opened by package regular, those of a run belong to its report.Transaction, "+
					"texts for people go through run.Console; if this is none of them, enter the place and its reason here", tree.set.Position(n.Pos()), of.Name, call.Sel.Name)
				return true
			})
		}
		for place := range rule.may {
			if !used[place] {
				t.Errorf("%s does not use %s; take it out of the list", place, rule.names)
			}
		}
	}
}
