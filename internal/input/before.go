// Checks before anything is read: missing files, and settings without effect.

package input

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/latent"
)

// Sized adds a check of the command's own flags against the analyzed states, such as
// neighborhood sizes against the number of states. It runs as soon as the states are
// known, before any is encoded.
func (in *Inputs) Sized(check func(*Data) error) { in.sized = append(in.sized, check) }

// checkIdle finds settings that nothing would use, which is seldom meant: of
// frames or episodes where there are none, of encoders where all latents are computed
// elsewhere.
func (in *Inputs) checkIdle(encoders, frames bool) error {
	var idle []string
	why := ""
	switch {
	case !frames:
		idle = []string{"pixel-range", "layout"}
		why = "there are no frames"
		fallthrough
	case !encoders:
		idle = append(idle, "preprocess", "resize", "interpolation", "input-scale", "mean", "std", "preprocess", "input",
			"layer", "activation", "final-activation", "heads", "state")
		if why == "" {
			why = "there are no encoders"
		}
	}
	if frames && isFolder(in.frames) { // of images, which these bring to one size
		idle = slices.DeleteFunc(idle, func(name string) bool { return name == "resize" || name == "interpolation" })
	}
	var err error
	in.flags.Visit(func(f *flag.Flag) {
		if err == nil && f.Name == "episodes-kind" && in.episodes == "" {
			err = run.Hint(run.Usage("--%s %s has no effect: there are no --episodes", f.Name, f.Value), "leave it out")
		}
		if err == nil && slices.Contains(idle, f.Name) {
			err = run.Hint(run.Usage("--%s %s has no effect: %s, and precomputed latents are used unchanged", f.Name, f.Value, why), "leave it out")
		}
	})
	return err
}

// exist finds files and folders that are not there, of all inputs, before hours are spent
// on some of them.
func (in *Inputs) exist() error {
	type file struct{ what, path string }
	var files []file
	for _, s := range in.sources {
		if s.kind == "model" || s.kind == "latents" {
			files = append(files, file{s.kind + " " + s.name, s.path})
		}
	}
	if in.frames != "" {
		files = append(files, file{"frames", in.frames})
	}
	if in.episodes != "" {
		files = append(files, file{"episodes", in.episodes})
	}
	for _, v := range in.fixed.files() {
		files = append(files, file{"input " + v.Name, v.Value})
	}
	for _, g := range in.roles {
		for _, s := range g.sources() {
			if g.role.Example == "" || !strings.HasPrefix(s.path, examplePrefix) {
				files = append(files, file{strings.TrimSpace(g.role.Name + " " + s.name), s.path})
			}
		}
	}
	for _, g := range in.heads {
		for _, s := range g.named {
			files = append(files, file{g.role.Name + " " + s.name, s.path})
		}
	}
	for _, f := range files {
		if err := dataset.Exists(f.path); err != nil {
			return patternHint(f.path, fmt.Errorf("%s: %w", f.what, err))
		}
	}
	return nil
}

// leads are the files to which those lead that the flags name: images of folders, models of --weights, weights next to
// a model.
func (in *Inputs) leads() []string {
	var list []string
	for _, s := range append(in.weights(), in.sources...) {
		switch s.kind {
		case "model":
			list = append(append(list, s.path), latent.Beside(s.path)...)
		case "latents":
			list = append(list, dataset.FilesOf(s.path)...)
		}
	}
	list = append(list, dataset.FilesOf(in.episodes)...)
	list = append(list, in.fixed.leads()...)
	for _, g := range in.heads {
		for _, s := range g.named {
			list = append(list, latent.Beside(s.path)...)
		}
	}
	return list
}

// leads are the files of a role.
func (g *Given) leads() []string {
	var list []string
	for _, s := range g.sources() {
		list = append(list, dataset.FilesOf(s.path)...)
	}
	return list
}

// Folder says that the flag of an array may name a folder: its files are read, and no new file may join them.
func Folder(flags *run.Flags, name string, spec *string) {
	flags.Reads(func(*run.Options) []string { return dataset.FilesOf(*spec) })
	flags.Holds(func(_ *run.Options, path string) string { return holder(name, []source{{path: *spec}}, path) })
}

// holder names the source that a new file would become a part of; see [run.Flags.Holds].
func holder(flag string, sources []source, path string) string {
	for _, s := range sources {
		if s.kind != "model" && dataset.Holds(s.path, path) {
			value := s.path
			if s.name != "" {
				value = run.JoinName(s.name, value)
			}
			return "--" + cmp.Or(s.kind, flag) + " " + value
		}
	}
	return ""
}

// patternHint explains a pattern that no shell has expanded.
func patternHint(path string, err error) error {
	if !strings.ContainsAny(path, "*?[") {
		return err
	}
	return run.Hint(err, "shells do not expand patterns after NAME= or in quotes: name one file, or give each file under its own name")
}
