// Mutations: what is read, and what is refused.

package variant

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	m, err := Parse(" D45E:A23C ")
	must(t, err)
	if want := []Mutation{{'A', 23, 'C'}, {'D', 45, 'E'}}; !slices.Equal(m, want) {
		t.Errorf("%v, want %v", m, want)
	}
	if Format(m) != "A23C:D45E" || Format(nil) != "WT" {
		t.Errorf("%s, %s", Format(m), Format(nil))
	}
	if m, err := Parse("wt"); err != nil || len(m) != 0 {
		t.Errorf("%v, %v", m, err)
	}
	for text, want := range map[string]string{
		"": "it is empty", "23C": "is not a substitution", "A23": "is not a substitution", "a23c": "is not a substitution", "A2x3C": "is not a substitution",
		"A+3C": "is not a substitution", "A-3C": "is not a substitution", "A0C": "has position 0", "A99999999C": "has position 99999999",
		"A23A": "by itself", "A23C:A23D": "A23C and A23D have the same position", "A23C:": `"" is not a substitution`,
		"A99999999999999999999C": "is not a substitution",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestApplyAndBetween(t *testing.T) {
	t.Parallel()
	const wildType = "EVQLVESGG"
	m, err := Between(wildType, "EVQAVESGW")
	must(t, err)
	if Format(m) != "L4A:G9W" {
		t.Errorf("%s", Format(m))
	}
	back, err := Apply(wildType, m)
	must(t, err)
	if back != "EVQAVESGW" {
		t.Errorf("%s", back)
	}
	for text, want := range map[string]string{
		"L10A":    "outside the 9 residues",
		"A4L":     "the wild type has L at 4",
		"V3A:L5A": "the wild type has Q at 3; its residues are at positions -1",
	} {
		m, err := Parse(text)
		must(t, err)
		if _, err := Apply(wildType, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Between(wildType, "EVQ"); err == nil || !strings.Contains(err.Error(), "3 residues, but the wild type has 9") {
		t.Errorf("%v", err)
	}
	if _, err := Between(wildType, "EVQ-VESGG"); err == nil || !strings.Contains(err.Error(), `position 4 has '-' instead of 'L'`) {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"A23C", "A23C:D45E", "WT", "", "A1", ":::", "A23C:A23D"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(Format(m))
		must(t, err)
		if !slices.Equal(m, again) {
			t.Errorf("%v became %v", m, again)
		}
	})
}
