// Package screens is the built-in example of interface designs: small screens of apps, and models that get a graded
// part of them wrong.
//
// A seed draws screens of five kinds (shop, inbox, feed, form, dashboard) as hierarchies of nodes. The model "copy"
// reproduces each exactly; others lose elements, move, resize and recolor them, misspell texts and mix up the
// hierarchy. Worse models repeat all errors of a better one, and make more. The files have the layout of a benchmark
// and are generated on first read:
//
//	set, err := screens.New(screens.Config{Seed: 1, Samples: 4})
//	data, err := set.ReadFile(set.Reference(set.Samples()[0]) + ".png")
package screens

import (
	"fmt"
	"io/fs"
	"path"
	"sync"

	"repscope/stat"
)

// The tasks of the example, with their variants: see [Set].
const (
	Task                = "replication_gen"
	Variant             = "image_only"
	ModificationTask    = "modification_gen"
	ModificationVariant = "task-1"
)

// Files of the example next to the trees of its tasks: captions (case_id, gt_caption, gen_caption) and ratings of
// people (case_id, rater, rating).
const (
	Captions = "captions.csv"
	Ratings  = "ratings.csv"
)

// Steps is the number of snapshots of every case of Task: the last has all of its nodes.
const Steps = 4

// The example.
const (
	exampleSeed    = 15
	exampleSamples = 12
	exampleScale   = 0.5
	maxSamples     = 10_000
	maxScale       = 8
)

// Config selects the generated set.
type Config struct {
	Seed    uint64
	Samples int     // of Task; ModificationTask has two thirds of them, rounded up
	Scale   float64 // pixels of images for one of designs, which have Width × Height; 0 for 1
}

// Set are the files of a benchmark:
//
//	benchmarks/replication_gt/<gid>.{png,json}, -json-response.json, -saliency.png, -fixations.csv
//	results/replication_gen/image_only/<case>/<case>-canvas.png, -json-structure.json,
//	    -json-response.json, -saliency.png, snapshots/<case>-snapshot-N{.png,-structure.json}
//	benchmarks/modification_gt/task-1/<gid>-{base,target}.{png,json}
//	results/modification_gen/task-1/<case>/<case>-canvas.png, -json-structure.json, -json-response.json
//	eval_outputs/replication_gen/image_only/precomputed_blip_scores.json
//	captions.csv, ratings.csv
//
// The json-response of a reference is the trace of tools that is expected. Scores of captions
// are the cosines of their counts of words. It may be used by several goroutines.
type Set struct {
	*files
	key     stat.Key
	scale   float64
	samples []sample
}

var (
	_ fs.ReadDirFS  = (*Set)(nil)
	_ fs.ReadFileFS = (*Set)(nil)
	_ fs.StatFS     = (*Set)(nil)
)

// sample is a screen and the models' versions of it.
type sample struct {
	gid    string
	index  int
	screen screen
	made   []*node // by level
}

// New makes the files of a benchmark. Errors: a number of samples that is not positive or
// more than 10,000, a scale that is not positive or more than 8.
func New(c Config) (*Set, error) {
	if c.Scale == 0 {
		c.Scale = 1
	}
	if c.Samples < 1 || c.Samples > maxSamples || !(c.Scale >= 0.1 && c.Scale <= maxScale) {
		return nil, fmt.Errorf("screens: %d samples at a scale of %g, want 1 to %d at a scale of 0.1 to %d",
			c.Samples, c.Scale, maxSamples, maxScale)
	}
	s := &Set{files: newFiles(), key: stat.StreamScreens.Key(c.Seed), scale: c.Scale}
	for i := range c.Samples {
		s.samples = append(s.samples, s.newSample(i))
		s.replicate(&s.samples[i])
		if i < (2*c.Samples+2)/3 {
			s.modify(&s.samples[i])
		}
	}
	s.describe()
	s.rate()
	return s, nil
}

// Example makes the built-in example: 12 samples in images of half the size of their designs.
var Example = sync.OnceValue(func() *Set {
	s, err := New(Config{Seed: exampleSeed, Samples: exampleSamples, Scale: exampleScale})
	if err != nil {
		panic(err) // of a configuration that is a constant
	}
	return s
})

// Samples are the names of the screens of Task.
func (s *Set) Samples() []string {
	out := make([]string, len(s.samples))
	for i := range s.samples {
		out[i] = s.samples[i].gid
	}
	return out
}

// Models are the names of the models, the best first.
func (s *Set) Models() (out []string) {
	for _, l := range Levels() {
		out = append(out, l.Model)
	}
	return out
}

// Reference is the path of the files of a reference of Task, except for their endings.
func (s *Set) Reference(gid string) string { return path.Join("benchmarks/replication_gt", gid) }

// Case is the name of a model's version of a sample of Task.
func (s *Set) Case(gid, model string) string { return gid + "-" + model + "-" + Variant }

// newSample generates a screen and the models' versions of it.
func (s *Set) newSample(i int) sample {
	key := s.key.Derive(uint64(i))
	out := sample{gid: fmt.Sprintf("gid%d-%d", 1+i%len(kinds), 11+i), index: i, screen: newScreen(i, stat.NewRandom(key.Derive(0)))}
	out.made = made(out.screen.root, i, key.Derive(1))
	return out
}

// made are the models' versions of a screen, by level, with ids of their own.
func made(root *node, sample int, key stat.Key) (out []*node) {
	for _, l := range Levels() {
		n := damage(root, l.Strength, key)
		next := 0
		n.each(func(n, _ *node, _ int) {
			next++
			n.id = fmt.Sprintf("%d:%d", 1000+sample, next)
		})
		out = append(out, n)
	}
	return out
}

// design enters the image and the nodes of a screen.
func (s *Set) design(image, nodes string, root func() *node, inFile bool) {
	s.put(image, func() []byte { return encodePNG(render(root(), s.scale)) })
	s.put(nodes, func() []byte { return encodeDesign(root(), inFile) })
}

func always(n *node) func() *node { return func() *node { return n } }

// replicate enters the files of a sample of Task.
func (s *Set) replicate(original *sample) {
	reference := s.Reference(original.gid)
	s.design(reference+".png", reference+".json", always(original.screen.root), original.index%3 == 1)
	calls := callsFor(original.screen.root)
	s.put(reference+"-json-response.json", func() []byte { return encodeExpected(calls, original.index%2 == 1) })
	attention := sync.OnceValue(func() *attention { return attend(original.screen.root, s.scale) })
	s.put(reference+"-saliency.png", func() []byte { return attention().encode() })
	s.put(reference+"-fixations.csv", func() []byte {
		return attention().fixations(stat.NewRandom(s.key.Derive(uint64(original.index)).Derive(2)))
	})
	for i, l := range Levels() {
		id, root := s.Case(original.gid, l.Model), original.made[i]
		prefix := path.Join("results", Task, Variant, id, id)
		s.design(prefix+"-canvas.png", prefix+"-json-structure.json", always(root), false)
		s.put(prefix+"-json-response.json", func() []byte {
			return encodeTrace(worse(calls, l.Strength, s.key.Derive(uint64(original.index)).Derive(3)))
		})
		s.put(prefix+"-saliency.png", func() []byte { return attend(root, s.scale).encode() })
		for step := 1; step <= Steps; step++ {
			name := path.Join(path.Dir(prefix), "snapshots", fmt.Sprintf("%s-snapshot-%d", id, step))
			s.design(name+".png", name+"-structure.json", func() *node { return beginning(root, step, Steps) }, false)
		}
	}
}

// modify enters the files of a sample of ModificationTask.
func (s *Set) modify(original *sample) {
	key := s.key.Derive(uint64(original.index)).Derive(4)
	target := revise(original.screen, stat.NewRandom(key.Derive(0)))
	for name, root := range map[string]*node{"base": original.screen.root, "target": target} {
		own := path.Join("benchmarks/modification_gt", ModificationVariant, original.gid+"-"+name)
		s.design(own+".png", own+".json", always(root), false)
	}
	calls := callsFor(target)[:len(target.children)]
	for i, root := range made(target, original.index, key.Derive(1)) {
		l := Levels()[i]
		id := original.gid + "-" + l.Model + "-" + ModificationVariant
		own := path.Join("results", ModificationTask, ModificationVariant, id, id)
		s.design(own+"-canvas.png", own+"-json-structure.json", always(root), false)
		s.put(own+"-json-response.json", func() []byte { return encodeTrace(worse(calls, l.Strength, key.Derive(2))) })
	}
}
