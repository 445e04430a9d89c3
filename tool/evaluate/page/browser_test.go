// A page in a real browser: Debian's Chromium without a window, told what to do over a pipe.

package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"repscope/internal/runtest"
	"repscope/report"
)

// browser is Chromium with one page, over its DevTools protocol: JSON texts that end with a zero byte.
type browser struct {
	t        *testing.T
	to       *os.File
	from     *bufio.Reader
	session  string
	next     int
	problems []string // errors on the console, and requests
}

// openBrowser shows a file, with more in the environment; the test is skipped where there is no Chromium.
func openBrowser(t *testing.T, file string, environment ...string) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium here: on Debian it is the package chromium")
	}
	readCommands, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, writeEvents, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-quic", "--disable-dev-shm-usage", "--window-size=1300,900",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe")
	command.ExtraFiles = []*os.File{readCommands, writeEvents}
	command.Env = append(os.Environ(), environment...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = readCommands.Close(), writeEvents.Close()
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		_ = b.call("Browser.close", nil, nil)
		_, _ = to.Close(), from.Close()
		done := make(chan struct{})
		go func() { _ = command.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			_ = command.Process.Kill()
			<-done
		}
	})
	_ = from.SetReadDeadline(time.Now().Add(5 * time.Minute))
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	b.must("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.must("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Runtime", "Log", "Network", "Page"} {
		b.must(domain+".enable", nil, nil)
	}
	b.must("Page.navigate", map[string]any{"url": "file://" + filepath.ToSlash(file)}, nil)
	b.until(`document.readyState === "complete"`)
	return b
}

// message is one of the protocol.
type message struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
	SessionID string          `json:"sessionId"`
}

// call asks for something and reads what comes until the answer.
func (b *browser) call(method string, params any, result any) error {
	b.next++
	ask := map[string]any{"id": b.next, "method": method}
	if params != nil {
		ask["params"] = params
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		ask["sessionId"] = b.session
	}
	text, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		return err
	}
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		var m message
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m); err != nil {
			return err
		}
		b.note(&m)
		switch {
		case m.ID != b.next:
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error)
		case result != nil:
			return json.Unmarshal(m.Result, result)
		default:
			return nil
		}
	}
}

func (b *browser) must(method string, params any, result any) {
	b.t.Helper()
	if err := b.call(method, params, result); err != nil {
		b.t.Fatal(err)
	}
}

// note keeps what must not happen.
func (b *browser) note(m *message) {
	switch m.Method {
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		b.problems = append(b.problems, string(m.Params))
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if err := json.Unmarshal(m.Params, &p); err != nil || !strings.HasPrefix(p.Request.URL, "file://") {
			b.problems = append(b.problems, string(m.Params))
		}
	}
}

// run evaluates a script and decodes its value.
func (b *browser) run(script string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.must("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, answer.ExceptionDetails)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result.Value, result); err != nil {
			b.t.Fatalf("%s: %v", script, err)
		}
	}
}

func (b *browser) text(script string) (text string) {
	b.t.Helper()
	b.run(`String(`+script+`)`, &text)
	return text
}

// want compares the value of a script.
func (b *browser) want(script, want string) {
	b.t.Helper()
	if got := b.text(script); got != want {
		b.t.Errorf("%s is %q, want %q", script, got, want)
	}
}

// until waits for a condition.
func (b *browser) until(condition string) {
	b.t.Helper()
	for range 4000 { // until its answers end: see SetReadDeadline
		if b.text(condition) == "true" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s is never true", condition)
}

// key presses a key.
func (b *browser) key(name string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		event := map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code}
		if name == "Enter" && kind == "keyDown" {
			event["text"] = "\r"
		}
		if name == " " {
			event["code"] = "Space"
			if kind == "keyDown" {
				event["text"] = " "
			}
		}
		b.must("Input.dispatchKeyEvent", event, nil)
	}
}

// fill types into a field as a user's script would.
func (b *browser) fill(id, text string) {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		b.t.Fatal(err)
	}
	b.run(fmt.Sprintf(`(e => { e.value = %s; e.dispatchEvent(new Event("input")); })(document.getElementById(%q))`, quoted, id), nil)
}

// studied is a page with everything: datasets, training runs, a name that is a script, numbers that are not there.
func studied(t *testing.T) *Page {
	names := []string{"jepa", "encoder_10", "encoder_9", hostile[0]}
	for _, run := range []string{"a", "b"} {
		for _, step := range []int{100, 200, 400, 1000} {
			names = append(names, fmt.Sprintf("run/%s/%d", run, step))
		}
	}
	sections := append(made(names, 3, true), made(names[:3], 2, false)...)
	for i := range sections {
		sections[i].Dataset = []string{"pong", "breakout"}[i/3]
	}
	m, _ := sections[0].Result.Models.Get("encoder_9")
	o := m.(report.Object)
	o.Set("score", report.Undefined("the latents are constant"))
	sections[0].Result.Models.Set("encoder_9", o)
	sections[0].Result.Warn("states are slow")
	return pageOf(t, sections)
}

func TestBrowser(t *testing.T) {
	runtest.Long(t, "it starts a browser")
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(write(t, studied(t))), 0o666); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, file)
	const table = `document.querySelector("#overview-pong")`
	const first = table + `.tBodies[0].rows[0].querySelector(".nm").textContent`

	t.Run("figures", func(t *testing.T) {
		b.want(`document.querySelectorAll("figure").length > 10`, "true")
		b.want(`[...document.querySelectorAll("figure>svg")].filter(s => { const r = s.getBoundingClientRect(); return r.width < 100 || r.height < 40; }).length`, "0")
		b.want(`[...document.querySelectorAll("figure .v")].filter(m => { const r = m.getBoundingClientRect(); return !(r.width > 0 && r.height > 0); }).length`, "0")
		b.want(`[...document.querySelectorAll("figure>svg text")].filter(m => { const r = m.getBoundingClientRect(), s = m.closest("svg").getBoundingClientRect(); `+
			`return r.left < s.left - 2 || r.right > s.right + 2 || r.top < s.top - 2 || r.bottom > s.bottom + 2; }).map(m => m.textContent).join("|")`, "")
		b.want(`document.documentElement.scrollWidth <= innerWidth`, "true")
		b.want(`[...document.querySelectorAll("[id]")].length === new Set([...document.querySelectorAll("[id]")].map(e => e.id)).size`, "true")
	})
	t.Run("sorting", func(t *testing.T) {
		// By name, with numbers in their order: from the keyboard.
		b.run(table+`.querySelector("thead th.model button").focus()`, nil)
		b.key("Enter", 13)
		b.want(table+`.querySelector("th.model").getAttribute("aria-sort")`, "ascending")
		names := b.text(`[...` + table + `.tBodies[0].rows].map(r => r.querySelector(".nm").textContent).join(" ")`)
		if i, k := strings.Index(names, "encoder_9"), strings.Index(names, "encoder_10"); i < 0 || i > k {
			t.Errorf("by name: %s", names)
		}
		// By a number: the best first, what is undefined last, twice the other way round.
		const column = `[...` + table + `.querySelectorAll("thead th")].find(h => h.title.startsWith("score"))`
		const values = `[...` + table + `.tBodies[0].rows].map(r => parseFloat(r.cells[1].dataset.v))`
		b.run(column+`.querySelector("button").click()`, nil)
		b.want(column+`.getAttribute("aria-sort")`, "descending")
		b.want(table+`.querySelectorAll("[aria-sort]").length`, "1")
		b.want(values+`.every((v, i, a) => i === 0 || isNaN(v) || v <= a[i-1])`, "true")
		b.want(`isNaN(`+values+`.at(-1)) && `+table+`.tBodies[0].rows[11].querySelector(".nm").textContent`, "encoder_9")
		b.run(column+`.querySelector("button").click()`, nil)
		b.want(values+`.every((v, i, a) => i === 0 || isNaN(v) || v >= a[i-1])`, "true")
		b.want(`isNaN(`+values+`.at(-1))`, "true")
	})
	t.Run("models", func(t *testing.T) {
		const visible = `[...document.querySelectorAll("main [data-m]")].filter(e => e.getBoundingClientRect().width > 0)`
		const named = visible + `.filter(e => (e.dataset.name ?? document.querySelectorAll("#entries>li .nm")[e.dataset.m].textContent) === "jepa").length`
		before := b.text(named)
		if before == "0" {
			t.Fatal("jepa is not there")
		}
		// From the keyboard: the first checkbox is that of jepa.
		b.run(`document.querySelector("#entries input").focus()`, nil)
		b.key(" ", 32)
		b.want(named, "0")
		b.want(`document.getElementById("status").textContent`, "5 of 6 shown")
		b.key(" ", 32)
		b.want(named, before)
		b.fill("hide", "^run/.*/[0-9]00$")
		b.want(`[...`+table+`.tBodies[0].rows].filter(r => r.getBoundingClientRect().height > 0).map(r => r.querySelector(".nm").textContent).sort().join(" ")`,
			hostile[0]+" encoder_10 encoder_9 jepa run/a/1000 run/b/1000")
		b.fill("hide", "(")
		b.want(`document.getElementById("hide").getAttribute("aria-invalid")`, "true")
		b.fill("hide", "")
		b.want(`document.getElementById("hide").hasAttribute("aria-invalid")`, "false")
		b.fill("from", "^encoder_(.*)$")
		b.fill("to", "network $1")
		b.want(`[...document.querySelectorAll(".nm")].some(e => e.textContent === "encoder_10")`, "false")
		b.want(`[...document.querySelectorAll("figure title")].filter(e => e.textContent.startsWith("network 10: ")).length > 5`, "true")
		b.want(`[...document.querySelectorAll("figure text.nm")].some(e => e.textContent === "network 9")`, "true")
		b.fill("from", "")
		b.want(`[...document.querySelectorAll(".nm")].some(e => e.textContent === "encoder_10")`, "true")
		b.run(`document.getElementById("none").click()`, nil)
		b.want(visible+`.length`, "0")
		b.run(`document.getElementById("all").click()`, nil)
		b.want(named, before)
		b.want(`typeof `+first, "string")
	})
	t.Run("values", func(t *testing.T) {
		// A figure is one stop of the tab key; the arrows go from value to value.
		b.run(`document.querySelector("figure>svg").focus()`, nil)
		b.key("ArrowRight", 39)
		b.want(`document.getElementById("tip").hidden`, "false")
		one := b.text(`document.getElementById("tip").textContent`)
		b.key("ArrowRight", 39)
		if two := b.text(`document.getElementById("tip").textContent`); one == two || two == "" {
			t.Errorf("the arrow goes from %q to %q", one, two)
		}
		b.want(`document.getElementById("status").textContent`, b.text(`document.getElementById("tip").textContent`))
		b.key("Escape", 27)
		b.want(`document.getElementById("tip").hidden`, "true")
		// The pointer.
		var at struct{ X, Y float64 }
		// Scrolling lets more of the page be laid out, which moves it; it is measured when it rests.
		b.run(`(() => { const e = document.querySelector("figure g.v"); let last = NaN, times = 0; (function look() {`+
			`e.scrollIntoView({block: "center", behavior: "instant"}); const y = e.getBoundingClientRect().top;`+
			`times = y === last ? times + 1 : 0; last = y; times < 10 ? requestAnimationFrame(look) : window.rests = true; })(); })()`, nil)
		b.until(`window.rests === true`)
		b.run(`(e => { const r = e.getBoundingClientRect(); return {x: r.left + r.width / 2, y: r.top + r.height / 2}; })(document.querySelector("figure g.v"))`, &at)
		b.must("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}, nil)
		b.until(`document.getElementById("tip").textContent === document.querySelector("figure g.v title").textContent`)
	})
	t.Run("columns", func(t *testing.T) {
		const chooser = `document.querySelector("#overview-pong").parentNode.previousElementSibling`
		const heads = `[...` + table + `.querySelectorAll("thead [scope=col]:not(.model)")].filter(h => h.getBoundingClientRect().width > 0)`
		const groups = `[...` + table + `.querySelectorAll("thead [scope=colgroup]")].filter(h => h.getBoundingClientRect().width > 0)`
		all := b.text(heads + `.length`)
		// From the keyboard: the tab key goes from the summary to the buttons and boxes.
		b.run(chooser+`.querySelector("summary").focus()`, nil)
		b.key("Enter", 13)
		b.want(chooser+`.open`, "true")
		for range 3 {
			b.key("Tab", 9)
		}
		b.want(`document.activeElement.parentNode.parentNode.tagName+document.activeElement.type`, "LEGENDcheckbox")
		b.key("Tab", 9)
		hidden := b.text(`document.activeElement.parentNode.textContent.trim()`)
		b.key(" ", 32)
		b.want(heads+`.length`, b.text(all+` - 1`))
		b.want(heads+`[0].textContent.trim() === `+fmt.Sprintf("%q", hidden), "false") // it was the first
		b.want(table+`.tBodies[0].rows[0].cells[1].getBoundingClientRect().width`, "0")
		b.want(groups+`.reduce((n, h) => n + h.colSpan, 0)`, b.text(all+` - 1`))
		b.want(chooser+`.querySelector("legend input").indeterminate`, "true")
		b.want(`document.getElementById("status").textContent`, b.text(`(`+all+` - 1) + " of " + `+all+` + " columns shown"`))
		// Every box and the group have a name for screen readers.
		b.want(`[...`+chooser+`.querySelectorAll("input")].every(i => i.labels[0].textContent.trim() !== "")`, "true")
		b.want(chooser+`.querySelector("[role=group]").getAttribute("aria-label")`, "Columns of pong: one row per model")
		// On paper too.
		b.run(`dispatchEvent(new Event("beforeprint"))`, nil)
		b.want(`document.querySelectorAll("#overview-pong+.pieces [scope=col]:not(.model)").length`, b.text(all+` - 1`))
		b.run(`dispatchEvent(new Event("afterprint"))`, nil)
		b.run(`[...`+chooser+`.querySelectorAll("button")][1].click()`, nil)
		b.want(heads+`.length + `+groups+`.length`, "0")
		b.run(`[...`+chooser+`.querySelectorAll("button")][0].click()`, nil)
		b.want(heads+`.length`, all)
		b.want(groups+`.reduce((n, h) => n + h.colSpan, 0)`, all)
	})
	t.Run("theme", func(t *testing.T) {
		const paper = `getComputedStyle(document.body).backgroundColor`
		const choose = `(v => { const s = document.getElementById("theme"); s.value = v; s.dispatchEvent(new Event("change")); })`
		const light, dark = "rgb(255, 255, 255)", "rgb(21, 23, 26)"
		for _, system := range []string{"light", "dark"} {
			b.must("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": system}}}, nil)
			b.want(paper, map[string]string{"light": light, "dark": dark}[system])
			b.run(choose+`("dark")`, nil)
			b.want(paper, dark)
			b.run(choose+`("light")`, nil)
			b.want(paper, light)
			b.run(choose+`("")`, nil)
			b.want(paper, map[string]string{"light": light, "dark": dark}[system])
		}
		// Paper is light.
		b.run(choose+`("dark")`, nil)
		b.must("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
		b.want(paper, light)
		b.must("Emulation.setEmulatedMedia", map[string]any{"media": "", "features": []any{}}, nil)
		b.run(choose+`("")`, nil)
		b.want(`document.getElementById("theme").labels[0].textContent.startsWith("Theme")`, "true")
	})
	t.Run("narrow and on paper", func(t *testing.T) {
		b.must("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true}, nil)
		b.want(`[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll") && e.getBoundingClientRect().right > 361).map(e => e.outerHTML.slice(0, 80)).join("\n")`, "")
		b.must("Emulation.clearDeviceMetricsOverride", nil, nil)
		b.run(`dispatchEvent(new Event("beforeprint"))`, nil)
		b.want(`[...document.querySelectorAll(".pieces table")].every(t => [...t.tBodies[0].rows].every(r => r.cells.length > 1 && r.cells.length <= 9))`, "true")
		// Every number of the whole table is in one of its pieces.
		b.want(`[...document.querySelectorAll(".pieces")].map(p => p.querySelectorAll("td[data-v],td a").length === p.previousElementSibling.querySelectorAll("td[data-v],td a").length && `+
			`p.querySelectorAll("thead [scope=col]:not(.model)").length === p.previousElementSibling.querySelectorAll("thead [scope=col]:not(.model)").length && `+
			`p.querySelector("button") === null).join()`, "true")
		b.run(`dispatchEvent(new Event("afterprint"))`, nil)
		b.want(`document.querySelectorAll(".pieces,.whole,[data-shut]").length`, "0")
		var printed struct{ Data string }
		b.must("Page.printToPDF", map[string]any{"landscape": true}, &printed)
		if len(printed.Data) < 20_000 {
			t.Errorf("a PDF of %d characters", len(printed.Data))
		}
	})
	if len(b.problems) > 0 {
		t.Errorf("on the console or asked of a network: %s", strings.Join(b.problems, "\n"))
	}
}

// Without scripts everything is there, and nothing that needs one.
func TestBrowserWithoutScripts(t *testing.T) {
	runtest.Long(t, "it starts a browser")
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(write(t, studied(t))), 0o666); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, file)
	b.must("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.must("Page.reload", nil, nil)
	b.until(`document.readyState === "complete" && !document.querySelector("th button")`)
	b.want(`[...document.querySelectorAll(".tools,#tip,#entries input")].filter(e => e.getBoundingClientRect().width > 0).length`, "0")
	b.want(`[...document.querySelectorAll("figure>svg,table.grid td")].filter(e => !(e.getBoundingClientRect().width > 0)).length`, "0")
	// On paper every number of a wide table is inside the page.
	b.must("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	b.must("Emulation.setDeviceMetricsOverride", map[string]any{"width": 700, "height": 1000, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.want(`document.querySelectorAll("table.wide").length > 0`, "true")
	b.want(`[...document.querySelectorAll("table.wide td[data-v],table.wide th[scope]:not(.model)")].filter(e => !e.closest(".analysis")).length > 0`, "true")
	b.want(`[...document.querySelectorAll("table.wide td[data-v],table.wide th[scope]:not(.model)")].filter(e => !e.closest(".analysis")).filter(e => { const r = e.getBoundingClientRect(); return !(r.width > 0 && r.left >= 0 && r.right <= 701); }).length`, "0")
}
