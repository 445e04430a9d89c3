// Package junit writes checks as a JUnit XML file, and failed ones as annotations of GitHub Actions.
package junit

import (
	"fmt"
	"html"
	"io"
	"strings"

	"repscope/internal/escape"
)

// Check is one check. Failure is empty if it holds.
type Check struct{ Name, Failure string }

// Write writes a suite of one name. Hidden characters of names and texts become visible escapes: XML allows none.
func Write(w io.Writer, name string, cases []Check) error {
	var body strings.Builder
	failures := 0
	for _, c := range cases {
		fmt.Fprintf(&body, "    <testcase classname=\"%s\" name=\"%s\"", line(name), line(c.Name))
		if c.Failure == "" {
			body.WriteString("/>\n")
			continue
		}
		failures++
		first, _, _ := strings.Cut(c.Failure, "\n")
		text := html.EscapeString(escape.Lines(c.Failure))
		fmt.Fprintf(&body, ">\n      <failure message=\"%s\">%s</failure>\n    </testcase>\n", line(first), text)
	}
	counts := fmt.Sprintf("tests=\"%d\" failures=\"%d\"", len(cases), failures)
	_, err := fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n  <testsuite name=\"%s\" "+
		"%s>\n%s  </testsuite>\n</testsuites>\n",
		counts, line(name), counts, body.String())
	return err
}

// line is a text for an attribute.
func line(text string) string { return html.EscapeString(escape.Line(text)) }

// Of a command of GitHub Actions: what ends a line, begins an escape or divides properties.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Annotations are lines that GitHub Actions shows as errors of a file, one for each line of a failure.
func Annotations(name, file string, cases []Check) []string {
	var lines []string
	for _, c := range cases {
		if c.Failure == "" {
			continue
		}
		for text := range strings.SplitSeq(c.Failure, "\n") {
			title := property.Replace(escape.Line(name + " " + c.Name))
			lines = append(lines, "::error file="+property.Replace(escape.Line(file))+",title="+title+
				"::"+message.Replace(escape.Line(text)))
		}
	}
	return lines
}
