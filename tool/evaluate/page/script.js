"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("status").textContent = text; };
  all(".tools[hidden]").forEach((e) => { e.hidden = false; });

  // The theme: that of the system, unless another is chosen for as long as the page is open.
  const theme = () => {
    const value = byId("theme").value;
    if (value) document.documentElement.dataset.theme = value; else delete document.documentElement.dataset.theme;
  };
  byId("theme").addEventListener("change", theme);
  theme(); // a browser may have kept the choice

  // Models: shown by their checkboxes, hidden and renamed by pattern.
  const entries = all("#entries>li").map((li) => ({ li, box: li.querySelector("input"), name: li.querySelector(".nm").textContent }));
  entries.forEach((e) => { e.box.hidden = false; e.box.addEventListener("change", apply); });
  const original = (e) => e.dataset.name ?? entries[e.dataset.m].name;
  const labelOf = (e) => e.matches("text") ? e : e.querySelector(":scope>.nm, :scope>th .nm");
  const owned = all("main [data-m]").map((e) => ({
    e, name: original(e),
    label: labelOf(e), first: labelOf(e)?.textContent, length: labelOf(e)?.getAttribute("textLength"),
    titles: all("title", e).map((t) => ({ t, rest: t.textContent.slice(original(e).length), begins: t.textContent.startsWith(original(e)) })),
  }));
  function pattern(id) {
    const input = byId(id);
    input.removeAttribute("aria-invalid");
    if (!input.value) return null;
    try { return new RegExp(input.value, "u"); } catch (error) {
      input.setAttribute("aria-invalid", "true");
      say("no pattern: " + error.message);
      return null;
    }
  }
  // A new name in a figure has its own length, but not more than its place.
  const fit = (label, length) => {
    label.removeAttribute("textLength");
    const room = label.getAttribute("x") - 2;
    if (length === undefined && label.matches(".dots text") && label.getComputedTextLength() > room) length = room;
    if (length) label.setAttribute("textLength", length);
    label.setAttribute("lengthAdjust", "spacingAndGlyphs");
  };
  function apply() {
    const hide = pattern("hide"), from = pattern("from"), to = byId("to").value;
    const rename = (name) => from ? name.replace(from, to) : name;
    const short = (text, most) => [...text].length > most ? [...text].slice(0, most / 2).join("") + "…" + [...text].slice(-most / 2 + 1).join("") : text;
    let shown = 0;
    entries.forEach((e) => {
      e.off = !e.box.checked || (hide && hide.test(e.name));
      e.li.classList.toggle("off", !!e.off);
      e.li.querySelector(".nm").textContent = rename(e.name);
      if (!e.off) shown++;
    });
    owned.forEach(({ e, name, label, first, length, titles }) => {
      const off = entries[e.dataset.m].off || (hide && hide.test(name));
      e.style.display = off ? "none" : "";
      if (label) {
        const now = rename(name), text = now === name ? first : e.matches("g") ? short(now, 24) : now;
        if (label.textContent !== text) {
          label.textContent = text;
          if (label.textLength) fit(label, now === name ? length : undefined);
        }
      }
      titles.forEach(({ t, rest, begins }) => { if (begins) t.textContent = rename(name) + rest; });
    });
    if (!document.querySelector("[aria-invalid=true]")) say(shown + " of " + entries.length + " shown");
  }
  ["hide", "from", "to"].forEach((id) => byId(id).addEventListener("input", apply));
  const every = (on) => { entries.forEach((e) => { e.box.checked = on; }); apply(); };
  byId("all").addEventListener("click", () => { byId("hide").value = ""; every(true); });
  byId("none").addEventListener("click", () => every(false));

  // Tables: the headings sort, what is no number stays at the end.
  all("table.grid").forEach((table) => {
    const body = table.tBodies[0], rows = [...body.rows];
    const heads = all("thead th:not([scope=colgroup])", table);
    heads.forEach((th, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...th.childNodes);
      th.append(button);
      const value = (row) => column ? parseFloat(row.cells[column].dataset.v ?? "NaN") : row.querySelector(".nm").textContent;
      button.addEventListener("click", () => {
        const up = th.getAttribute("aria-sort") ? th.getAttribute("aria-sort") === "descending" : !(button.textContent.includes("↑"));
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        body.append(...[...rows].sort((a, b) => {
          const x = value(a), y = value(b), sign = up ? 1 : -1;
          if (!column) return sign * x.localeCompare(y, undefined, { numeric: true });
          if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
          return sign * (x - y);
        }));
      });
    });
  });

  // The columns of the first tables: shown by checkboxes, those of an analysis together.
  const element = (name, properties, ...children) => {
    const e = Object.assign(document.createElement(name), properties);
    e.append(...children);
    return e;
  };
  all("table.grid").forEach((table) => {
    const groups = all("th[scope=colgroup]", table);
    if (!groups.length) return;
    const heads = all("thead th[scope=col]:not(.model)", table);
    const columns = heads.map((th, i) => ({
      box: element("input", { type: "checkbox", checked: true }), name: th.textContent.trim(),
      cells: [th, ...[...table.tBodies[0].rows].map((row) => row.cells[i + 1])],
    }));
    let at = 0;
    const sets = groups.map((th) => ({ th, box: element("input", { type: "checkbox", checked: true }), own: columns.slice(at, at += th.colSpan) }));
    function update() {
      columns.forEach((c) => c.cells.forEach((cell) => { cell.hidden = !c.box.checked; }));
      sets.forEach(({ th, box, own }) => {
        const shown = own.filter((c) => c.box.checked).length;
        box.checked = shown > 0;
        box.indeterminate = shown > 0 && shown < own.length;
        th.hidden = shown === 0;
        th.colSpan = Math.max(shown, 1);
      });
      const shown = columns.filter((c) => c.box.checked).length;
      summary.textContent = shown < columns.length ? `Columns: ${shown} of ${columns.length}` : "Columns";
      say(`${shown} of ${columns.length} columns shown`);
    }
    columns.forEach((c) => c.box.addEventListener("change", update));
    const every = (own, on) => { own.forEach((c) => { c.box.checked = on; }); update(); };
    sets.forEach(({ box, own }) => box.addEventListener("change", () => every(own, box.checked)));
    const button = (textContent, on) => {
      const b = element("button", { type: "button", textContent });
      b.addEventListener("click", () => every(columns, on));
      return b;
    };
    const summary = element("summary", { textContent: "Columns" });
    const fields = sets.map(({ th, box, own }) => element("fieldset", {},
      element("legend", {}, element("label", {}, box, " " + th.textContent)),
      ...own.map((c) => element("label", {}, c.box, " " + c.name))));
    table.parentNode.before(element("details", { className: "columns manual" }, summary,
      element("div", { role: "group", ariaLabel: "Columns of " + table.caption.textContent }, element("p", {}, button("All", true), button("None", false)), ...fields)));
  });

  // Figures: values where the pointer is, and with the arrow keys.
  const tip = byId("tip");
  let current = null;
  function show(mark) {
    if (current) current.classList.remove("on");
    current = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("on");
    tip.textContent = mark.querySelector("title").textContent;
    place();
  }
  function place() {
    if (!current) return;
    const mark = current, at = mark.getBoundingClientRect(), size = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(at.left + at.width / 2 - size.width / 2, innerWidth - size.width - 4)) + "px";
    tip.style.top = (at.top - size.height - 6 > 0 ? at.top - size.height - 6 : at.bottom + 6) + "px";
  }
  all("figure>svg").forEach((svg) => {
    svg.addEventListener("pointerover", (event) => show(event.target.closest(".v")));
    svg.addEventListener("pointerleave", () => show(null));
    svg.addEventListener("blur", () => show(null));
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") show(null);
      if (!step) return;
      const marks = all(".v", svg).filter((mark) => mark.getBoundingClientRect().width > 0);
      if (!marks.length) return;
      event.preventDefault();
      const at = marks.indexOf(current);
      show(marks[at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length]);
      say(tip.textContent);
    });
  });
  addEventListener("scroll", place, { passive: true });

  // Paper: wide tables in pieces below each other, with what explains the run.
  const most = 8;
  function piece(table, from, to) {
    const part = table.cloneNode(true);
    all("[id]", part).concat(part).forEach((e) => e.removeAttribute("id"));
    all("th[hidden],td[hidden]", part).forEach((e) => e.remove());
    part.classList.remove("wide");
    all("th button", part).forEach((e) => e.replaceWith(...e.childNodes)); // the headings of further pages show no buttons
    let at = 0;
    all("th[scope=colgroup]", part).forEach((th) => {
      const begin = at, end = at += th.colSpan, span = Math.min(end, to) - Math.max(begin, from);
      if (span > 0) th.colSpan = span; else th.remove();
    });
    all("tr", part).forEach((tr) => {
      if (tr.querySelector("[scope=colgroup]")) return;
      const first = tr.querySelector("th.model,th[scope=row]") ? 1 : 0;
      [...tr.cells].forEach((cell, i) => { if (i >= first && (i - first < from || i - first >= to)) cell.remove(); });
    });
    all("tbody tr", part).forEach((tr) => { if (!tr.querySelector("td:not(.n),td a")) tr.remove(); }); // nothing of it was measured
    return part;
  }
  addEventListener("beforeprint", () => {
    all("details:not([open],.manual)").forEach((d) => { d.open = true; d.dataset.shut = ""; });
    all("table.grid").forEach((table) => {
      const columns = all("thead th:not([scope=colgroup],.model,[hidden])", table).length;
      if (columns <= most) { table.classList.remove("wide"); return; }
      const parts = document.createElement("div");
      parts.className = "pieces";
      const size = Math.ceil(columns / Math.ceil(columns / most));
      for (let from = 0; from < columns; from += size) parts.append(piece(table, from, Math.min(from + size, columns)));
      table.classList.add("whole");
      table.after(parts);
    });
  });
  addEventListener("afterprint", () => {
    all("details[data-shut]").forEach((d) => { d.open = false; delete d.dataset.shut; });
    all(".pieces").forEach((e) => e.remove());
    all(".whole").forEach((e) => e.classList.remove("whole"));
    all("table.grid").forEach((e) => e.classList.toggle("wide", all("thead th:not([scope=colgroup],.model)", e).length > most));
  });
})();
