// Tests of --model and --ids.

package command

import (
	"strings"
	"testing"

	"repscope/analysis/canvas/internal/source"
)

// someCases are cases of three samples and two models.
func someCases() []source.Case {
	var out []source.Case
	for _, gid := range []string{"gid6-3", "gid6-27", "gid10-1"} {
		for _, model := range []string{"gpt-4o", "claude"} {
			out = append(out, source.Case{ID: gid + "-" + model + "-v", Sample: gid, Model: model, Snapshot: -1})
		}
	}
	return out
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ models, ids, want string }{
		{"", "", "gid6-3-gpt-4o gid6-3-claude gid6-27-gpt-4o gid6-27-claude gid10-1-gpt-4o gid10-1-claude"},
		{"claude", "", "gid6-3-claude gid6-27-claude gid10-1-claude"},
		{"", "gid6-3", "gid6-3-gpt-4o gid6-3-claude"},
		{"", "gid6-27-claude-v,gid6-3-gpt-4o-v", "gid6-3-gpt-4o gid6-27-claude"},
		{"", "gid6-*", "gid6-3-gpt-4o gid6-3-claude gid6-27-gpt-4o gid6-27-claude"},
		{"claude", "gid?-[12]*", "gid6-27-claude"},
		{"", "*claude-v", "gid6-3-claude gid6-27-claude gid10-1-claude"},
		{"claude", "gid6-27..", "gid6-27-claude gid10-1-claude"},
		{"claude", "..gid6-27", "gid6-3-claude gid6-27-claude"},
		{"claude", "gid6-4..gid9-1", "gid6-27-claude"},
	} {
		var models, ids names
		for text, to := range map[string]*names{test.models: &models, test.ids: &ids} {
			if text != "" {
				if err := to.Set(text); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := choose(someCases(), models, ids)
		if err != nil {
			t.Errorf("%s %s: %v", test.models, test.ids, err)
		}
		var found []string
		for _, c := range got {
			found = append(found, strings.TrimSuffix(c.ID, "-v"))
		}
		if text := strings.Join(found, " "); text != test.want {
			t.Errorf("%s %s: %s, want %s", test.models, test.ids, text, test.want)
		}
	}
}

func TestChooseErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ models, ids []string }{
		{[]string{"gpt-4"}, nil}, {nil, []string{"gid6-28"}}, {nil, []string{"gid6-3", "gid7-*"}}, {nil, []string{"gid11-1.."}}, {nil, []string{"gid6-3-claud-v"}},
	} {
		got, err := choose(someCases(), test.models, test.ids)
		if err == nil || got != nil {
			t.Errorf("%v %v: %d cases, %v", test.models, test.ids, len(got), err)
		}
	}
	if _, err := choose([]source.Case{{ID: "a-1-x-v", Sample: "a-1", Model: "x"}, {ID: "a-2-y-v", Sample: "a-2", Model: "y"}}, []string{"x"}, []string{"a-2"}); err == nil ||
		!strings.Contains(err.Error(), "no case of x has one of the ids a-2") {
		t.Errorf("nothing is left: %v", err)
	}
	for _, bad := range []string{"..", "gid6-27..gid6-3", "gid[1"} {
		if checkID(bad) == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
