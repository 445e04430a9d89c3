// Pages of many models and analyses in a browser, on a screen and on a phone.

package page

import (
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/runtest"
)

var screens = flag.String("screens", "", "a `folder` for pages of many models and what a browser shows of them")

// manyNames are names as models of a study have, of unequal length.
func manyNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf([]string{"jepa_%d", "encoder_decoder_%d", "vit_small_patch16_seed%d", "r%d"}[i%4], i)
	}
	return names
}

// Of many models and analyses nothing is cut, and what is wider than the window can be scrolled.
func TestBrowserManyModels(t *testing.T) {
	runtest.Long(t, "it starts a browser")
	for _, models := range []int{20, 40} {
		t.Run(fmt.Sprint(models), func(t *testing.T) {
			text := write(t, pageOf(t, made(manyNames(models), 10, true)))
			if models == 20 && len(text) > 1_000_000 {
				t.Errorf("%d bytes, want at most 1 MB", len(text))
			}
			folder := *screens
			if folder == "" {
				folder = t.TempDir()
			}
			file, err := filepath.Abs(filepath.Join(folder, fmt.Sprintf("%d.html", models)))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			b := openBrowser(t, file)
			for _, width := range []int{1280, 400} {
				b.must("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
				b.wantNothingCut(width)
				if *screens != "" {
					b.shoot(filepath.Join(folder, fmt.Sprintf("%d_%d", models, width)))
				}
			}
			if len(b.problems) > 0 {
				t.Errorf("on the console or asked of a network: %s", strings.Join(b.problems, "\n"))
			}
		})
	}
}

// fontsOnly is the environment of a browser that has no fonts but those of some files; it skips the test where there
// are none.
func fontsOnly(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("/usr/share/fonts/truetype", pattern))
	if err != nil || len(files) == 0 {
		t.Skipf("there are no fonts %s here (Debian: fonts-dejavu-core, fonts-liberation)", pattern)
	}
	folder := t.TempDir()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(folder, "fonts.conf")
	text := "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><dir>" + folder + "</dir><cachedir>" + folder + "/cache</cachedir></fontconfig>"
	if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return "FONTCONFIG_FILE=" + config
}

// With fonts of other widths than those of figures nothing is cut either, whatever the letters of names, and after
// they are renamed.
func TestBrowserFonts(t *testing.T) {
	runtest.Long(t, "it starts a browser")
	names := append(manyNames(6), strings.Repeat("W", 25), strings.Repeat("@M", 20), "_______________________q", "模型模型模型模型模型模型", strings.Repeat("i", 60))
	file := filepath.Join(t.TempDir(), "fonts.html")
	if err := os.WriteFile(file, []byte(write(t, pageOf(t, made(names, 3, true)))), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, fonts := range []string{"dejavu/DejaVuSans*.ttf", "dejavu/DejaVuSansMono-Bold.ttf", "dejavu/DejaVuSerif*.ttf", "liberation*/LiberationSans-*.ttf", "liberation*/LiberationSerif-*.ttf"} {
		t.Run(filepath.Base(fonts), func(t *testing.T) {
			b := openBrowser(t, file, fontsOnly(t, fonts))
			for _, width := range []int{1280, 400} {
				b.must("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
				b.fill("from", "^(jepa|r).*$")
				b.fill("to", strings.Repeat("W", 24))
				b.wantNothingCut(width)
				b.fill("from", "")
				b.wantNothingCut(width)
			}
		})
	}
}

// wantNothingCut fails where something is beyond the window and cannot be scrolled, where a table can be scrolled but
// not to its end or its names do not stay, or where the text of a figure is outside of it.
func (b *browser) wantNothingCut(width int) {
	b.t.Helper()
	b.want(`document.documentElement.scrollWidth <= innerWidth`, "true")
	b.want(fmt.Sprintf(`[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll,.pieces") && e.getBoundingClientRect().right > %d).map(e => e.outerHTML.slice(0, 80)).join("\n")`, width+1), "")
	b.want(`[...document.querySelectorAll("figure svg text")].filter(e => { const r = e.getBoundingClientRect(), s = e.closest("svg").getBoundingClientRect();`+
		`return r.width > 0 && (r.left < s.left - 1 || r.right > s.right + 1 || r.top < s.top - 1 || r.bottom > s.bottom + 1); }).map(e => e.textContent).slice(0, 5).join("\n")`, "")
	b.want(`[...document.querySelectorAll(".scroll")].map(s => { s.scrollLeft = 1e6; const last = [...s.querySelectorAll("thead [scope=col]")].at(-1), r = last && last.getBoundingClientRect(),`+
		`n = s.querySelector("tbody .model"), q = n && n.getBoundingClientRect(), o = s.getBoundingClientRect(); s.scrollLeft = 0;`+
		`return !r || r.width === 0 || r.right <= o.right + 1 && (!q || q.left >= o.left - 1); }).every(x => x)`, "true")
}

// shoot takes pictures of the page from its top, window by window.
func (b *browser) shoot(name string) {
	b.t.Helper()
	for i, at := range []string{"0", `document.querySelector("table.grid").getBoundingClientRect().top + scrollY - 80`,
		`document.querySelector("figure").getBoundingClientRect().top + scrollY - 80`, "document.body.scrollHeight"} {
		b.run(`scrollTo(0, `+at+`)`, nil)
		var shot struct{ Data string }
		b.must("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
		data, err := base64.StdEncoding.DecodeString(shot.Data)
		if err == nil {
			err = os.WriteFile(fmt.Sprintf("%s_%d.png", name, i), data, 0o666)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}
