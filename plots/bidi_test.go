// Tests of the order of letters.

package plots

import "testing"

func TestVisualOrder(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":            "",
		"encoder_2 x": "encoder_2 x",
		"אבג":         "גבא",
		"אב גד":       "דג בא",
		"אב_12_גד":    "דג_12_בא",
		"jepa אבג 12": "jepa גבא 12",
		"אב jepa גד":  "בא jepa דג",
		"א(ב)ג":       "ג(ב)א",
		"Модель":      "Модель",
	} {
		if got := visualOrder(in); got != want {
			t.Errorf("%q is drawn as %q, want %q", in, got, want)
		}
	}
}
