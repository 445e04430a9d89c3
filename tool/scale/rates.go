// The speed of this machine: analyses whose time follows a law are run on small synthetic states of several sizes, once, and what was measured is kept.

package scale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"repscope/dataset"
	"repscope/internal/kernel"
	"repscope/internal/run"
)

// machine describes what rates were measured on.
type machine struct {
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Kernel    string `json:"kernel"`
	Go        string `json:"go"`
	Version   string `json:"version"`
}

func thisMachine() machine {
	return machine{processor(), runtime.GOMAXPROCS(0), kernel.Name(), runtime.Version(), version()}
}

// processor is the name of the processor, where the system tells.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.SplitSeq(string(data), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// law says how the time of an analysis grows with the number of states, and on what sizes it is measured.
type law struct {
	power  float64 // of the number of states
	states [2]int
	grows  bool     // its units are states, so that more states make more of them
	keep   []string // options that change the time
}

// laws are those of the analyses whose time is known to follow one. They read frames.
var laws = map[string]law{
	"smoothness": {1, [2]int{4000, 16000}, true, []string{"bootstrap", "horizons"}},
	"neighborhood": {2, [2]int{1500, 4500}, true,
		[]string{"bootstrap", "k", "metric", "ties", "permutations", "null"}},
}

// rate is the law of one analysis on one machine: seconds =
// Start + n^power·(Point + Frame·D + Model·models + Latent·Σd), and n^power·Unit for each unit of
// a task that computes single units.
type rate struct {
	Start  float64 `json:"start_s"`
	Point  float64 `json:"point_s"`
	Frame  float64 `json:"frame_value_s"`
	Model  float64 `json:"model_s"`
	Latent float64 `json:"latent_value_s"`
	Unit   float64 `json:"unit_s"`
	cores  int
}

// seconds is the time for n states of D values and models of latents values in all, apart from the start.
func (r *rate) seconds(power float64, n, frames, models, latents int) float64 {
	return math.Pow(float64(n), power) * (r.Point + r.Frame*float64(frames) + r.Model*float64(models) + r.Latent*float64(latents))
}

// rates are what is known of a machine.
type rates struct {
	Machine machine           `json:"machine"`
	Of      map[string]rate   `json:"rates"`           // by analysis, type of the frames and options
	Parts   map[string]growth `json:"parts,omitempty"` // by analysis, options and inputs
	Read    float64           `json:"read_bytes_per_s,omitempty"`
	path    string
	fresh   []string // what was measured just now
}

// mostKept are the parts that are kept; then all are taken anew, as the inputs of most are gone.
const mostKept = 1000

// readRates reads what is kept for this machine in a folder, or in the user's cache folder. What cannot be read is measured anew.
func readRates(folder string) *rates {
	m := thisMachine()
	r := &rates{Machine: m, Of: map[string]rate{}, Parts: map[string]growth{}}
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return r // nothing is kept
		}
		folder = filepath.Join(cache, "repscope")
	}
	text, err := json.Marshal(&m)
	if err != nil {
		return r
	}
	sum := sha256.Sum256(text)
	r.path = filepath.Join(folder, "rates-"+hex.EncodeToString(sum[:8])+".json")
	kept := rates{}
	if data, err := os.ReadFile(r.path); err == nil && json.Unmarshal(data, &kept) == nil && kept.Machine == m && kept.Of != nil {
		r.Of, r.Read = kept.Of, kept.Read
		if len(kept.Parts) > 0 && len(kept.Parts) < mostKept {
			r.Parts = kept.Parts
		}
	}
	return r
}

// keep writes the rates, if anything new was measured.
func (r *rates) keep() error {
	if r.path == "" || len(r.fresh) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o777); err != nil {
		return run.PathError(err)
	}
	return writeJSON(r.path, r)
}

// key is what the rate of an analysis depends on, beside the machine.
func (r *rates) key(s *source, l law) string {
	_, _, dtype := s.dry.dimensions()
	return strings.Join(append([]string{s.analysis, dtype}, l.args(s)...), " ")
}

// measure returns the rate of an analysis, which it takes if it is not known.
func (r *rates) measure(ctx context.Context, s *source, l law) (rate, error) {
	key := r.key(s, l)
	if known, ok := r.Of[key]; ok {
		known.cores = r.Machine.Cores
		return known, nil
	}
	folder, err := os.MkdirTemp("", "repscope-rates-")
	if err != nil {
		return rate{}, err
	}
	defer os.RemoveAll(folder)
	_, _, dtype := s.dry.dimensions()
	t := trial{source: s, law: l, args: l.args(s), folder: folder, bytes: dtype == "uint8"}
	found, err := t.rate(ctx)
	if err != nil {
		return rate{}, fmt.Errorf("%s on synthetic states: %w", s.analysis, err)
	}
	r.Of[key] = found
	r.fresh = append(r.fresh, s.analysis)
	found.cores = r.Machine.Cores
	return found, nil
}

// args are the options of an analysis that change its time.
func (l law) args(s *source) []string {
	var args []string
	for _, name := range l.keep {
		value, ok := s.dry.Options[name]
		if !ok || value == nil || name == "metric" && value == "precomputed" {
			continue
		}
		if list, ok := value.([]any); ok {
			parts := make([]string, len(list))
			for i, v := range list {
				parts[i] = fmt.Sprint(v)
			}
			value = strings.Join(parts, ",")
		}
		args = append(args, fmt.Sprintf("--%s=%v", name, value))
	}
	return args
}

// trial runs an analysis on synthetic states.
type trial struct {
	source *source
	law    law
	args   []string
	folder string
	bytes  bool // frames of bytes
}

// The sizes of the states of trials: values of a frame and of a latent.
const (
	fewFrame, manyFrame   = 64, 4096
	fewLatent, manyLatent = 16, 512
)

// rate solves for the numbers of the law from a run for each.
func (t *trial) rate(ctx context.Context) (rate, error) {
	small, large := t.law.states[0], t.law.states[1]
	var at [5]float64
	for i, size := range [5]struct{ n, frame, latent, models int }{
		{small, fewFrame, fewLatent, 1}, {large, fewFrame, fewLatent, 1},
		{large, manyFrame, fewLatent, 1}, {large, fewFrame, manyLatent, 1}, {large, fewFrame, fewLatent, 2},
	} {
		var err error
		if at[i], err = t.time(ctx, size.n, size.frame, size.latent, size.models); err != nil {
			return rate{}, err
		}
	}
	a, b := math.Pow(float64(small), t.law.power), math.Pow(float64(large), t.law.power)
	all := max(0, at[1]-at[0]) / (b - a)
	r := rate{
		Start:  max(0, at[1]-all*b),
		Frame:  max(0, at[2]-at[1]) / b / (manyFrame - fewFrame),
		Latent: max(0, at[3]-at[1]) / b / (manyLatent - fewLatent),
	}
	r.Model = max(0, max(0, at[4]-at[1])/b-fewLatent*r.Latent)
	r.Point = max(0, all-fewFrame*r.Frame-fewLatent*r.Latent-r.Model)
	if !t.law.grows {
		return r, nil
	}
	units := max(1, float64(t.source.dry.Units)/float64(max(t.source.dry.States, 1))*float64(large))
	unit, err := t.time(ctx, large, fewFrame, fewLatent, 1, "--shard", "0/100000") // the first unit alone
	if err != nil {
		return rate{}, err
	}
	r.Unit = max(0, unit-r.Start-max(0, at[1]-r.Start)/units) / b
	return r, nil
}

// time is the shorter of two runs.
func (t *trial) time(ctx context.Context, n, frame, latent, models int, more ...string) (float64, error) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	path := filepath.Join(t.folder, "frames.npy")
	var err error
	if t.bytes {
		data := make([]uint8, n*frame)
		for i := range data {
			data[i] = uint8(random.Uint32())
		}
		err = dataset.WriteNPY(path, []int{n, frame}, data)
	} else {
		err = dataset.WriteNPY(path, []int{n, frame}, normal(random, n*frame))
	}
	if err != nil {
		return 0, err
	}
	args := []string{"--frames", path}
	for m := range models {
		name := "m" + strconv.Itoa(m)
		path := filepath.Join(t.folder, name+".npy")
		if err := dataset.WriteNPY(path, []int{n, latent}, normal(random, n*latent)); err != nil {
			return 0, err
		}
		args = append(args, "--latents", name+"="+path)
	}
	args = append(args, "--out", filepath.Join(t.folder, "out"), "--quiet", "--cache", "off")
	if t.source.analysis == "neighborhood" { // at these sizes curves are drawn by default, at large ones not
		args = append(args, "--coranking", "off")
	}
	task := run.Task{Command: t.source.task.Command, Args: slices.Concat(args, t.args, more)}
	least := math.Inf(1)
	for range 2 {
		begin := time.Now()
		if err := task.Run(ctx, io.Discard, io.Discard); err != nil {
			return 0, err
		}
		least = min(least, time.Since(begin).Seconds())
	}
	return least, nil
}

func normal(random *rand.Rand, n int) []float32 {
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(random.NormFloat64())
	}
	return data
}

// reading is the rate in bytes a second at which the largest input is read and digested, as every task does: up to 256 MB of it,
// once.
func (r *rates) reading(sources []source) float64 {
	largest, size := "", int64(0)
	for i := range sources {
		for _, f := range sources[i].dry.files() {
			if f.Size > size {
				largest, size = f.Path, f.Size
			}
		}
	}
	if size < 1<<20 {
		return r.Read // too little to tell
	}
	f, err := os.Open(largest)
	if err != nil {
		return r.Read
	}
	defer f.Close()
	begin := time.Now()
	n, err := io.CopyN(sha256.New(), f, min(size, 256<<20))
	if taken := time.Since(begin).Seconds(); err == nil && taken > 0 {
		r.Read = float64(n) / taken
	}
	return r.Read
}
