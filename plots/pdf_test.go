// Dates and fonts of PDF files.

package plots

import (
	"bytes"
	"strings"
	"testing"
)

func TestPDFDates(t *testing.T) {
	f := smallFigure()
	file := rendered(t, &f, "pdf")
	if !bytes.Contains(file, []byte("/CreationDate (D:19700101000000)")) || !bytes.Contains(file, []byte("/ModDate (D:19700101000000)")) {
		t.Error("PDF dates are not the epoch")
	}
	if n := bytes.Count(file, []byte("/Identity-H")); n != 2 {
		t.Errorf("%d Unicode fonts, want 2", n)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if !bytes.Contains(rendered(t, &f, "pdf"), []byte("/CreationDate (D:20231114221320)")) {
		t.Error("SOURCE_DATE_EPOCH is not honoured")
	}
	for _, bad := range []string{"yesterday", "-5", "99999999999999"} {
		t.Setenv("SOURCE_DATE_EPOCH", bad)
		if err := f.Render(&bytes.Buffer{}, "pdf"); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("SOURCE_DATE_EPOCH=%s: error %v", bad, err)
		}
	}
}
