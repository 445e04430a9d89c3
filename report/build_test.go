// Versions of builds of the release, of other commits, and of programs that import repscope.

package report

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuild_Version(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-29T10:00:00Z"}, {Key: "vcs.modified", Value: "true"}}
	const ours = "example.org/repscope"
	for name, c := range map[string]struct {
		info              debug.BuildInfo
		version, revision string
	}{
		"release by go install":   {debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v" + Version}}, Version, ""},
		"release from a clone":    {debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v" + Version}, Settings: vcs[:1]}, Version, commit},
		"other commit":            {debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v0.0.0-20261129100000-0123456789ab"}, Settings: vcs[:1]}, Version + "+g01234567", commit},
		"changed tree":            {debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v" + Version + "+dirty"}, Settings: vcs}, Version + "+g01234567", commit + "+modified"},
		"without version control": {debug.BuildInfo{Main: debug.Module{Path: ours, Version: "(devel)"}}, Version + "+devel", ""},
		"pseudo-version":          {debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v1.0.1-0.20261129100000-0123456789ab"}}, Version + "+g01234567", ""},
		"dependency":              {debug.BuildInfo{Main: debug.Module{Path: "other", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: ours, Version: "v" + Version}}, Settings: vcs}, Version, ""},
		"replaced dependency": {debug.BuildInfo{Main: debug.Module{Path: "other", Version: "v9.0.0"},
			Deps: []*debug.Module{{Path: ours, Version: "v" + Version, Replace: &debug.Module{Path: "../here"}}}}, Version + "+devel", ""},
		"pre-release of a tag": {debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v1.0.0-rc"}}, Version + "+devel", ""},
	} {
		b := Build{Version: Version + "+devel"}
		b.read(&c.info, ours)
		if b.Version != c.version || b.Revision != c.revision {
			t.Errorf("%s: version %q, revision %q; want %q, %q", name, b.Version, b.Revision, c.version, c.revision)
		}
	}
	if b := ReadBuild(); !strings.HasPrefix(b.Version, Version) || b.Go == "" {
		t.Errorf("this build is %+v", b)
	}
}
