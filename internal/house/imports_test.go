// Who may import whom.

package house

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A rule says what the packages of some folders may import of ours. A folder
// stands for itself and everything below it.
type rule struct {
	folders string
	may     string // folders, separated by spaces; everything else of ours is forbidden
}

// below is what every package may use: small packages that know nothing of ours
// but each other.
const below = "internal/parallel internal/text internal/atomicfile internal/format internal/safetensors internal/mmap internal/dtype " +
	"internal/fault internal/folderlock internal/journal internal/bound internal/entries internal/escape internal/expand internal/filename internal/gunzip internal/lz4 internal/regular internal/samefile internal/zipmember internal/pickle internal/torchfile internal/quantile internal/readtest internal/resize internal/memory internal/share internal/supervise internal/tokenizer internal/typeface internal/tabular"

// rules are read from the first that matches.
// commands is what the programs of analyses may import, and what libraries may that are not apart from theirs yet.
const commands = "analysis internal/option measure neighbors latent model stat shard points report plots dataset " +
	"internal/input internal/run internal/device internal/kernel internal/example"

// libraries is what libraries may import that are apart from their programs.
const libraries = "analysis/internal/results measure neighbors stat shard points report dataset internal/option internal/device internal/kernel"

// settings is the package of what all analyses have in common, not those below it.
const settings = "analysis"

var rules = []rule{
	{"internal/option", "shard"},
	{"cmd/evaluate cmd/scale cmd/repscope cmd/validate", "tool suite internal/run"},
	{"cmd", "analysis tool internal/run"}, // its one room: see TestMains
	{"suite", "suite analysis tool report internal/run"},

	{"packaging/functions", "suite internal/run"},
	{"packaging/dist", "report"},
	{"packaging", ""},
	{"internal/calibration", "internal/calibration analysis tool latent dataset measure neighbors points report stat"},

	{"analysis/internal/results", "stat report points measure shard"},
	{"analysis/internal/output", "analysis/internal/results stat report plots internal/run"},
	{"analysis/audit/command analysis/canvas/command analysis/forecast/command analysis/generation/command analysis/geometry/command analysis/manifold/command " +
		"analysis/neighborhood/command analysis/reconstruction/command analysis/reward/command analysis/robustness/command " +
		"analysis/sequence/command analysis/similarity/command analysis/smoothness/command analysis/surprise/command", commands},
	{"analysis/canvas/internal/benchmark analysis/canvas/internal/store", "analysis/canvas report internal/run"},               // of the program
	{"analysis/canvas/internal/casetest analysis/canvas/internal/faketest", "analysis/canvas dataset report internal/runtest"}, // of tests alone
	// Libraries without flags, files and figures; their programs are below them.
	{"analysis/generation/climbing", "dataset"},
	{"analysis/audit analysis/forecast analysis/generation analysis/geometry analysis/manifold analysis/neighborhood analysis/reconstruction " +
		"analysis/reward analysis/similarity analysis/smoothness", libraries},
	{"analysis/sequence/source", "analysis/sequence measure points report shard latent dataset"},
	{"analysis/sequence/internal/sequencetest", "analysis/sequence measure shard report"},
	{"analysis/sequence", libraries + " analysis/sequence"},
	{"analysis/robustness analysis/surprise", libraries + " latent model"},
	{"analysis/sequence/source", "analysis/sequence measure points report shard latent dataset"},
	{"analysis/sequence/internal/sequencetest", "analysis/sequence measure report shard"},
	{"analysis/sequence", libraries + " analysis/sequence"},
	{"analysis/canvas", libraries + " analysis/canvas/internal latent model"},
	{"analysis", commands},
	{"tool/evaluate/page", "report plots stat internal/run"},
	{"tool/evaluate", "dataset tool/evaluate/page latent report shard internal/run internal/share internal/option"},
	{"tool/scale", "dataset report shard internal/run internal/kernel internal/option"},
	{"tool/repscope/mcp", "report internal/run internal/option"},
	{"tool/repscope", "tool/repscope dataset latent model neighbors points report shard internal/run internal/option"},
	{"tool/compare/tracker", "report"},
	{"tool/compare", "tool/compare/tracker latent dataset measure points report plots shard stat internal/input internal/run internal/option"},
	{"tool", "latent dataset measure points report plots shard stat internal/input internal/run internal/option"},

	{"internal/input", "latent dataset points report stat measure/spectrum internal/run internal/example internal/device model internal/option"},
	{"internal/runtest", "internal/run plots report dataset stat"}, // of tests alone
	{"internal/run", "internal/option report report/methods shard internal/kernel"},
	{"report/methods report/schema report/export", "report"},
	{"report/junit", ""},
	{"plots report points", ""},

	{"measure", "measure neighbors stat points model internal/kernel"},
	{"neighbors/internal/gpu", "neighbors/internal points stat internal/cuda internal/device internal/kernel"},
	{"neighbors", "neighbors/internal points stat internal/device internal/kernel"},
	{"shard/shardtest", "shard points report"}, // of tests alone
	{"shard", "shard points"},
	{"latent/dense", "latent"},
	{"latent/internal/fixed", "model dataset"},
	{"latent/internal/principal", "stat internal/kernel"},
	{"latent/picture", "model"},
	{"latent/scope", ""},
	{"latent", "latent/internal latent/picture latent/scope model dataset points stat internal/device internal/kernel"},
	{"model/cuda", "model stat points internal/cuda internal/device internal/kernel"},
	{"model", "model stat points internal/device internal/kernel"},
	{"dataset/hdf5/hdf5test", ""}, // of tests alone
	{"dataset/casefile dataset/protein", "dataset"},
	{"dataset/chunk", ""},
	{"dataset/hdf5", "dataset/hdf5 dataset/chunk"},
	{"dataset/netcdf/netcdftest", ""}, // of tests alone
	{"dataset/netcdf", "dataset/chunk"},
	{"dataset/parquet/parquettest", ""}, // of tests alone
	{"dataset/parquet", ""},
	{"dataset/webdataset", ""},
	{"dataset/zarr/zarrtest", ""}, // of tests alone
	{"dataset/zarr", "dataset/chunk"},
	{"dataset", "points dataset/hdf5 dataset/netcdf dataset/parquet dataset/webdataset dataset/zarr"},
	{"stat", ""},

	{"internal/device", "internal/cuda"},
	{"internal/example/generate", "internal/example dataset"},
	{"internal/example/boards internal/example/sequences internal/example/screens", "stat"},
	{"internal/example", ""},
	{"internal/cuda", "internal/cuda"},
	{"internal/kernel", "internal/kernel"},
	{"internal/house", ""},
	{"internal/resize", "internal/kernel"},
	{below, below},
}

// TestImports holds every import of ours against the rules. Imports of tests are
// free, as they join what must agree.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t).files {
		if s.test {
			continue
		}
		i := slices.IndexFunc(rules, func(r rule) bool { return within(s.folder, r.folders) })
		if i < 0 {
			t.Errorf("%s: no rule says what %s may import; add one to internal/house", s.path, s.folder)
			continue
		}
		for _, imported := range s.file.Imports {
			target, ours := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), module)
			if ours && target != settings && !within(target, rules[i].may) && !within(target, below) {
				t.Errorf("%s imports %s; %s may import: %s", s.path, target, rules[i].folders, rules[i].may)
			}
		}
	}
}

// within reports whether a folder is one of the folders or below one.
func within(folder, folders string) bool {
	for _, f := range strings.Fields(folders) {
		if folder == f || strings.HasPrefix(folder, f+"/") {
			return true
		}
	}
	return false
}

// TestRooms holds that no room imports another, and that only suite and the
// calibration know them all.
func TestRooms(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t).files {
		own := room(s.folder)
		for _, imported := range s.file.Imports {
			target, _ := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), module)
			other := room(target)
			if other == "" || other == own || s.folder == "suite" || s.folder == "internal/calibration" || (s.folder == "cmd" && s.test) {
				continue
			}
			if own != "" {
				t.Errorf("%s: room %s imports room %s", s.path, own, other)
			} else if main, ok := strings.CutPrefix(s.folder, "cmd/"); !ok || !strings.HasSuffix(other, "/"+main) {
				t.Errorf("%s imports room %s: only its main, suite and internal/calibration may", s.path, other)
			}
		}
	}
}

// room is the analysis or tool that a folder belongs to, or nothing.
func room(folder string) string {
	parts := strings.Split(folder, "/")
	if len(parts) < 2 || (parts[0] != "analysis" && parts[0] != "tool") || parts[1] == "internal" {
		return ""
	}
	return parts[0] + "/" + parts[1]
}

// TestMains holds that mains are thin.
func TestMains(t *testing.T) {
	t.Parallel()
	tree := sources(t)
	for _, s := range tree.files {
		if _, ok := strings.CutPrefix(s.folder, "cmd/"); ok && !s.test && tree.lines(s.file) > 20 {
			t.Errorf("%s has %d lines; a main is a dozen", s.path, tree.lines(s.file))
		}
	}
}

// TestNoCircle draws the imports of all folders, with those of every build, and
// finds circles that the compiler cannot see because of build constraints.
func TestNoCircle(t *testing.T) {
	t.Parallel()
	arrows := map[string][]string{}
	for _, s := range sources(t).files {
		if s.test {
			continue
		}
		for _, imported := range s.file.Imports {
			if target, ours := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), module); ours {
				arrows[s.folder] = append(arrows[s.folder], target)
			}
		}
	}
	state := map[string]int{} // 1: on the way, 2: done
	var visit func(folder string, way []string) error
	visit = func(folder string, way []string) error {
		way = append(way, folder)
		switch state[folder] {
		case 1:
			return fmt.Errorf("imports go round: %s", strings.Join(way, " → "))
		case 2:
			return nil
		}
		state[folder] = 1
		for _, target := range arrows[folder] {
			if err := visit(target, way); err != nil {
				return err
			}
		}
		state[folder] = 2
		return nil
	}
	for folder := range arrows {
		if err := visit(folder, nil); err != nil {
			t.Error(err)
		}
	}
}
