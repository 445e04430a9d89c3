// Tests of files and annotations, with names that would be markup or commands.

package junit

import (
	"bytes"
	"encoding/xml"
	"slices"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	cases := []Check{{"mse>5", ""}, {"a\"b<&>\n\x00\u202e", "x: worse]]>\n\x1b[31m::error::y"}}
	if err := Write(&b, "compare", cases); err != nil {
		t.Fatal(err)
	}
	want := xml.Header + `<testsuites tests="2" failures="1">
  <testsuite name="compare" tests="2" failures="1">
    <testcase classname="compare" name="mse&gt;5"/>
    <testcase classname="compare" name="a&#34;b&lt;&amp;&gt;\n\x00\u202e">
      <failure message="x: worse]]&gt;">x: worse]]&gt;
\x1b[31m::error::y</failure>
    </testcase>
  </testsuite>
</testsuites>
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	var again struct {
		Suite struct {
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Failure *string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	err := xml.Unmarshal(b.Bytes(), &again)
	if c := again.Suite.Cases; err != nil || len(c) != 2 || c[0].Failure != nil || c[1].Failure == nil || c[0].Name != "mse>5" {
		t.Errorf("%v: %+v", err, again)
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	got := Annotations("compare", "out,a:b%\n.json", []Check{{"good", ""}, {"mse>5", "50 % worse\n::warning::x"}})
	want := []string{
		`::error file=out%2Ca%3Ab%25\n.json,title=compare mse>5::50 %25 worse`,
		`::error file=out%2Ca%3Ab%25\n.json,title=compare mse>5::::warning::x`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
