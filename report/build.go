// This file is for provenance: the program's own version; digests of inputs
// come from the packages that read them.

package report

import (
	"runtime"
	"runtime/debug"
)

// Build tells which program is running.
type Build struct {
	Version  string // module version, "devel" for an unversioned build
	Revision string // version control revision, with "+modified" for a changed tree
	Time     string // of the revision, such as "2026-11-26T21:18:00Z"; empty if not known
	Go       string // such as "go1.26.0 linux/amd64"
}

// Of a program that is handed out, set by the linker: the settings of Go's tools and the depth of a clone change
// nothing of it.
var version, revision, moment string

// ReadBuild returns the build information that the Go tool, or packaging/dist, put into the program.
func ReadBuild() Build {
	b := Build{Version: "devel", Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	if version != "" {
		b.Version, b.Revision, b.Time = version, revision, moment
		return b
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
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
	if b.Revision != "" && modified {
		b.Revision += "+modified"
	}
	return b
}
