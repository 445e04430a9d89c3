// Tests of captions, scores of captions, and lists of cases.

package casefile

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseCaptions(t *testing.T) {
	t.Parallel()
	got, err := ParseCaptions("captions.csv", []byte("\ufeffgen_caption,case_id,note,gt_caption\n"+
		"\"a \"\"login\"\" screen,\nwith two fields\",gid1-m-x,,  a login screen \n,gid2-m-x,7,a map\n"))
	want := []Captions{
		{Case: "gid1-m-x", Reference: "a login screen", Generated: "a \"login\" screen,\nwith two fields", Line: 2},
		{Case: "gid2-m-x", Reference: "a map", Line: 4},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	if got, err = ParseCaptions("captions.tsv", []byte("case_id\tgt_caption\tgen_caption\na\tb\tc\n")); err != nil || len(got) != 1 {
		t.Errorf("a .tsv gives %+v (%v)", got, err)
	}
}

func TestParseCaptionsErrors(t *testing.T) {
	t.Parallel()
	const head = "case_id,gt_caption,gen_caption\n"
	for text, want := range map[string]string{
		"":                                    "c.csv: the table is empty",
		head:                                  "c.csv: the table has column names but no rows",
		"case_id,gt_caption,caption\na,b,c\n": `c.csv: there is no column "gen_caption"; the columns are case_id, gt_caption, caption`,
		head + "a,b,c\n\nb,c,d\na,x,y\n":      "c.csv: lines 2 and 5 both have case a",
		head + " ,b,c\n":                      "c.csv: line 2 has no case_id",
		head + "a,b\n":                        "c.csv: line 2 does not have the same number of cells",
		head + "a,\"b,c\n":                    "c.csv: line ",
	} {
		if _, err := ParseCaptions("c.csv", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gives %v, want %s…", text, err, want)
		}
	}
}

func TestParseSemanticScores(t *testing.T) {
	t.Parallel()
	got, err := ParseSemanticScores("s.json", []byte(`[
  {"case_id": "a", "blip_score": 0.5, "gt_caption": "x", "gen_caption": " y "},
  {"case_id": "b", "blip_score": NaN, "gt_caption": null, "more": [1]},
  {"case_id": "c"}]`))
	if err != nil || len(got) != 3 {
		t.Fatalf("got %+v (%v)", got, err)
	}
	if got[0] != (SemanticScore{"a", 0.5, "x", "y", 2}) || !math.IsNaN(got[1].Score) || !math.IsNaN(got[2].Score) ||
		got[1].Line != 3 || got[2].Line != 4 || got[1].Reference != "" {
		t.Errorf("got %+v", got)
	}
	if got, err = ParseSemanticScores("s.json", []byte(" [ ] ")); err != nil || len(got) != 0 {
		t.Errorf("an empty list gives %+v (%v)", got, err)
	}
}

func TestParseSemanticScoresErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                     "s.json: ",
		"{}":                                   "s.json: it is not a list; want",
		`[{"case_id": "a"`:                     "s.json: ",
		"[\n1]":                                "s.json: line 2: it is 1, want an object",
		`[{"blip_score": 1}]`:                  "s.json: line 1 has no case_id",
		`[{"case_id": 7}]`:                     "s.json: line 1: case_id is a number, want a string or null",
		`[{"case_id":"a","blip_score":"0.5"}]`: "s.json: line 1: blip_score is a string, want a number or null",
		"[{\"case_id\":\"a\"},\n\n{\"case_id\":\"a\"}]": "s.json: lines 1 and 3 both have case a",
		`[{"case_id":"a"}] 7`:                           "s.json: text follows the list",
	} {
		if _, err := ParseSemanticScores("s.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gives %v, want %s…", text, err, want)
		}
	}
}

// Written scores are read back.
func TestEncodeSemanticScores(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[a-zé<&>"\\ 漢]{0,6}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(text, 0, 5, rapid.ID).Draw(t, "cases")
		var list []SemanticScore
		for _, id := range ids {
			s := SemanticScore{Case: strings.TrimSpace(id), Score: rapid.Float64Range(-1, 1).Draw(t, "score")}
			if rapid.Bool().Draw(t, "captions") {
				s.Reference, s.Generated = strings.TrimSpace(text.Draw(t, "gt")), strings.TrimSpace(text.Draw(t, "gen"))
			}
			list = append(list, s)
		}
		var b bytes.Buffer
		if err := EncodeSemanticScores(&b, list); err != nil {
			t.Fatal(err)
		}
		got, err := ParseSemanticScores("s.json", b.Bytes())
		if err != nil && !strings.Contains(err.Error(), "both have case") {
			t.Fatal(err)
		}
		for i := range got {
			if got[i].Line = 0; got[i] != list[i] {
				t.Fatalf("row %d is %+v, want %+v", i, got[i], list[i])
			}
		}
	})
	var b bytes.Buffer
	if err := EncodeSemanticScores(&b, []SemanticScore{{Case: "a", Score: math.NaN()}}); err != nil || !strings.Contains(b.String(), `"blip_score": null`) ||
		!strings.Contains(b.String(), `"gt_caption": null`) {
		t.Errorf("a missing score is written as %s (%v)", b.String(), err)
	}
}

func TestParseCases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"ids.txt", "\ufeffa\r\n b \nc\n\n", "a|b|c"}, {"ids.json", ` ["a", "b"]`, "a|b"}, {"ids.csv", "n,case_id\n1,a\n2,b\n", "a|b"},
	} {
		got, err := ParseCases(c.name, []byte(c.text))
		if err != nil || strings.Join(got, "|") != c.want {
			t.Errorf("%s gives %q (%v), want %s", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"ids.txt", "", "ids.txt: it has no case"}, {"ids.txt", "a\n\nb\n", "ids.txt: line 2 has no case_id"},
		{"ids.txt", "a\nb\na", "ids.txt: lines 1 and 3 both have case a"}, {"ids.json", "[1]", "ids.json: it is not a list of texts"},
		{"ids.csv", "id\na\n", `ids.csv: there is no column "case_id"`}, {"ids.csv", "case_id\n", "ids.csv: it has no case"},
	} {
		if _, err := ParseCases(c.name, []byte(c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s of %q gives %v, want %s…", c.name, c.text, err, c.want)
		}
	}
}

func FuzzCaptions(f *testing.F) {
	for _, s := range []string{"case_id,gt_caption,gen_caption\na,b,c\n", `[{"case_id":"a","blip_score":NaN}]`, `["a","b"]`, "a\nb\n", "\ufeff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"x.csv", "x.tsv", "x.json"} {
			_, errA := ParseCaptions(name, data)
			_, errB := ParseSemanticScores(name, data)
			_, errC := ParseCases(name, data)
			for _, err := range []error{errA, errB, errC} {
				if err != nil && !strings.HasPrefix(err.Error(), name) {
					t.Errorf("the error does not name the file: %v", err)
				}
			}
		}
	})
}
