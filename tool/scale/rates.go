// The speed of this machine: analyses whose time follows a law are run on small synthetic states of several sizes,
// once, and the measurements are kept.

package scale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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
	"repscope/internal/atomicfile"
	"repscope/internal/kernel"
	"repscope/internal/regular"
	"repscope/internal/run"
)

// ratesForm is the number of the laws below; measurements of other laws are not read.
const ratesForm = 3

// machine describes what rates were measured on.
type machine struct {
	Form      int    `json:"form"` // of the kept measurements
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Kernel    string `json:"kernel"`
	Go        string `json:"go"`
	Version   string `json:"version"`
}

func thisMachine() machine {
	return machine{ratesForm, processor(), runtime.GOMAXPROCS(0), kernel.Name(), runtime.Version(), version()}
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
	power  float64  // of the number of states
	states [3]int   // with units that can be divided by four, frames, latents and models vary at the middle one
	keep   []string // options that change the time
}

// laws are the laws of analyses whose time is known to follow one. They read frames.
var laws = map[string]law{
	"smoothness":   {1, [3]int{4096, 16384, 32768}, []string{"bootstrap", "horizons"}},
	"neighborhood": {2, [3]int{2048, 5120, 12288}, []string{"bootstrap", "k", "metric", "ties", "permutations", "null"}},
}

// rate is the law of one analysis on one machine: of all its units in one process, and of a task of every fourth of
// them. They are not alike, as one process may use what it computes for several units.
type rate struct {
	Whole terms `json:"whole"`
	Some  terms `json:"some"`
	cores int
}

// terms are a law: Start + State·n·(1 + Share·(models − 1)) + n^power·(Point + Frame·D + Model·models + Latent·Σd)
// seconds.
type terms struct {
	Start  float64 `json:"start_s"`
	State  float64 `json:"state_s"`
	Share  float64 `json:"model_share"`
	Point  float64 `json:"point_s"`
	Frame  float64 `json:"frame_value_s"`
	Model  float64 `json:"model_s"`
	Latent float64 `json:"latent_value_s"`
}

// size is what the time of a law depends on, besides the number of states: the values of a frame, the models, and the
// values of their latents in all.
type size struct{ frame, models, latents int }

// seconds is the time for n states, apart from the start.
func (r *terms) seconds(power, n float64, z size) float64 {
	return r.State*n*(1+r.Share*float64(z.models-1)) +
		math.Pow(n, power)*(r.Point+r.Frame*float64(z.frame)+r.Model*float64(z.models)+r.Latent*float64(z.latents))
}

// rates are the measurements of a machine.
type rates struct {
	Machine machine           `json:"machine"`
	Of      map[string]rate   `json:"rates"`           // by analysis, type of the frames and options
	Parts   map[string]growth `json:"parts,omitempty"` // by analysis, options and inputs
	Read    float64           `json:"read_bytes_per_s,omitempty"`
	// Times are the times of runs of a law that is not complete, by run: an interrupted plan goes on there.
	Times map[string]float64 `json:"times,omitempty"`
	path  string
	say   func(format string, args ...any) // tells the progress of measurements; nil: nothing
	fresh []string                         // new measurements
}

// mostKept are the parts that are kept; then all are taken again, as the inputs of most are gone.
const mostKept = 1000

// readRates reads the rates of this machine in a folder, or in the user's cache folder. Rates that cannot be read
// are measured again.
func readRates(folder string) *rates {
	m := thisMachine()
	r := &rates{Machine: m, Of: map[string]rate{}, Parts: map[string]growth{}, Times: map[string]float64{}}
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
	if data, err := regular.Read(r.path, regular.Settings); err == nil && json.Unmarshal(data, &kept) == nil && kept.Machine == m && kept.Of != nil {
		r.Of, r.Read = kept.Of, kept.Read
		if kept.Times != nil {
			r.Times = kept.Times
		}
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
		return regular.PathError(err)
	}
	return writeJSON(r.path, r)
}

// key is what the rate of an analysis depends on, besides the machine.
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
	folder, err := atomicfile.TemporaryFolder("repscope-rates-")
	if err != nil {
		return rate{}, err
	}
	defer os.RemoveAll(folder)
	_, _, dtype := s.dry.dimensions()
	t := trial{source: s, law: l, args: l.args(s), folder: folder, bytes: dtype == "uint8", rates: r, key: key}
	measured, err := t.rate(ctx)
	if err != nil {
		return rate{}, fmt.Errorf("%s on synthetic states: %w", s.analysis, err)
	}
	r.Of[key] = measured
	maps.DeleteFunc(r.Times, func(run string, _ float64) bool { return strings.HasPrefix(run, key+timeOf) })
	r.fresh = append(r.fresh, s.analysis)
	measured.cores = r.Machine.Cores
	return measured, nil
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
	rates  *rates
	key    string // of the law among the rates
	done   int    // runs
}

// timeOf separates the key of a law from the name of a run.
const timeOf = ": "

// timesOfLaw is how many times make the numbers of both laws: of three numbers of states and of three sizes, of all
// units and of some.
const timesOfLaw = 2 * (3 + 3)

// The sizes of the states of trials: values of a frame and of a latent.
const (
	fewFrame, manyFrame   = 64, 4096
	fewLatent, manyLatent = 16, 512
)

// tried is the size of what the growth and the units are measured on.
var tried = size{fewFrame, 1, fewLatent}

// someUnits selects the tasks whose time of units is measured: every fourth.
const someUnits = 4

// rate solves for the numbers of both laws.
func (t *trial) rate(ctx context.Context) (r rate, err error) {
	if r.Whole, err = t.solve(ctx); err != nil {
		return r, err
	}
	r.Some, err = t.solve(ctx, "--shard", fmt.Sprintf("0/%d", someUnits))
	return r, err
}

// solve finds how the time grows from three numbers of states, and divides what n^power states take into what the
// frames, a model and its latents take by a run for each at the second.
func (t *trial) solve(ctx context.Context, more ...string) (r terms, err error) {
	shape, sizes := startTerm|stateTerm|pairTerm, t.law.states
	if t.law.power == 1 {
		shape = startTerm | stateTerm
	}
	var base [len(law{}.states)]float64
	for i, n := range sizes {
		if base[i], err = t.time(ctx, n, tried, more...); err != nil {
			return r, err
		}
	}
	g := grows(sizes[:], base[:], shape)
	r.Start, r.State = g.Start, g.State
	all := g.Pair
	if t.law.power == 1 {
		r.State, all = 0, g.State
	}
	b := math.Pow(float64(sizes[1]), t.law.power)
	var extra [3]float64
	for i, z := range [3]size{{manyFrame, 1, fewLatent}, {fewFrame, 1, manyLatent}, {fewFrame, 2, 2 * fewLatent}} {
		taken, err := t.time(ctx, sizes[1], z, more...)
		if err != nil {
			return r, err
		}
		extra[i] = max(0, taken-base[1])
	}
	// Another model repeats the work for every model, on the states as on their pairs.
	r.Share = min(1, extra[2]/max(base[1]-r.Start, 1e-9))
	r.Frame = extra[0] / b / (manyFrame - fewFrame)
	r.Latent = extra[1] / b / (manyLatent - fewLatent)
	r.Model = max(0, r.Share*all-fewLatent*r.Latent)
	r.Point = max(0, all-fewFrame*r.Frame-fewLatent*r.Latent-r.Model)
	return r, nil
}

// time is the time of a run, which is measured unless an interrupted plan has measured it, and kept at once.
func (t *trial) time(ctx context.Context, n int, z size, more ...string) (float64, error) {
	t.done++
	run := fmt.Sprintf("%s%s%d states, frames of %d, %d latents of %d models %s",
		t.key, timeOf, n, z.frame, z.latents, z.models, strings.Join(more, " "))
	if known, ok := t.rates.Times[run]; ok && known > 0 {
		return known, nil
	}
	if t.rates.say != nil {
		t.rates.say("measuring %s: %d of %d: %d states", t.source.analysis, t.done, timesOfLaw, n)
	}
	taken, err := t.take(ctx, n, z, more...)
	if err != nil {
		return 0, err
	}
	t.rates.Times[run] = taken
	t.rates.fresh = append(t.rates.fresh, t.source.analysis)
	_ = t.rates.keep() // at the end it is said where it fails
	return taken, nil
}

// take is the shorter of two runs.
func (t *trial) take(ctx context.Context, n int, z size, more ...string) (float64, error) {
	frame, latent := z.frame, z.latents/z.models
	random := rand.New(rand.NewPCG(1, uint64(n)))
	path := filepath.Join(t.folder, "frames.npy")
	if err := writeRandom(path, random, n, frame, t.bytes); err != nil {
		return 0, err
	}
	args := []string{"--frames", path}
	for m := range z.models {
		name := "m" + strconv.Itoa(m)
		path := filepath.Join(t.folder, name+".npy")
		if err := dataset.WriteNPY(path, []int{n, latent}, normal(random, n*latent)); err != nil {
			return 0, err
		}
		args = append(args, "--latents", run.JoinName(name, path))
	}
	args = append(args, "--out", filepath.Join(t.folder, "out"), "--quiet", "--cache", "off")
	if t.source.analysis == "neighborhood" { // at these sizes curves are drawn by default, at large ones not
		args = append(args, "--coranking", "off")
	}
	return t.source.shorter(ctx, slices.Concat(args, t.args, more))
}

// shorter is the shorter time of two runs with other arguments.
func (s *source) shorter(ctx context.Context, args []string) (float64, error) {
	task := run.Task{Command: s.task.Command, Args: args}
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

// writeRandom writes n random states.
func writeRandom(path string, random *rand.Rand, n, frame int, bytes bool) error {
	if !bytes {
		return dataset.WriteNPY(path, []int{n, frame}, normal(random, n*frame))
	}
	data := make([]uint8, n*frame)
	for i := range data {
		data[i] = uint8(random.Uint32())
	}
	return dataset.WriteNPY(path, []int{n, frame}, data)
}

func normal(random *rand.Rand, n int) []float32 {
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(random.NormFloat64())
	}
	return data
}

// reading is the rate in bytes a second at which the largest input is read and digested, as every task does: up to
// 256 MB of it, once.
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
	f, err := regular.Open(largest)
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
