// The program's own version: declared here, and read from what the Go tool or packaging/dist put into the program.

package report

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version is the release that these sources are, or follow. It stands in CITATION.cff, CHANGELOG.md and the files of
// packaging too; a test of internal/house compares them.
const Version = "1.0.0"

// Build tells which program is running.
type Build struct {
	// Version is the release, such as "1.0.0". A build of another commit adds 8 digits of the commit
	// ("1.0.0+g1234abcd"), and a build of an unknown one adds "+devel".
	Version  string
	Revision string // version control revision, with "+modified" for a changed tree
	Time     string // of the revision, such as "2026-11-26T21:18:00Z"; empty if unknown
	Go       string // such as "go1.26.0 linux/amd64"
}

// Set by the linker in programs of packaging/dist, so that settings of Go's tools and the depth of a clone change
// nothing in them.
var version, revision, moment string

// ReadBuild returns the build information that the Go tool, or packaging/dist, put into the program.
func ReadBuild() Build {
	b := Build{Version: Version + "+devel", Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	if version != "" {
		b.Version, b.Revision, b.Time = version, revision, moment
		return b
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info, strings.TrimSuffix(reflect.TypeFor[Build]().PkgPath(), "/report"))
	}
	return b
}

// read takes what the Go tool recorded of our module, which is the main module or a dependency of it.
func (b *Build) read(info *debug.BuildInfo, path string) {
	if info.Main.Path != path {
		for _, m := range info.Deps {
			if m.Path == path && m.Replace == nil {
				b.Version = Version + suffix(m.Version, "")
			}
		}
		return
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	b.Version = Version + suffix(info.Main.Version, b.Revision)
	if b.Revision != "" && modified {
		b.Revision += "+modified"
	}
}

// suffix is empty for the version of the release as Go names it, and else tells the commit: the given one, or the one
// at the end of a pseudo-version.
func suffix(module, commit string) string {
	if module == "v"+Version {
		return ""
	}
	if commit == "" {
		module, _, _ = strings.Cut(module, "+")
		if i := strings.LastIndexByte(module, '-'); i >= 0 && strings.Count(module, "-") >= 2 {
			commit = module[i+1:]
		}
	}
	if commit == "" {
		return "+devel"
	}
	return "+g" + commit[:min(8, len(commit))]
}
