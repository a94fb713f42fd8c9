"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const WORDS = read("words"), LISTED = read("listed"), PAGE = 100;
  const root = document.documentElement;
  const list = document.getElementById("list"), view = document.getElementById("transcript");
  let filters = { witness: "", suite: "", outcome: "", search: "" }, limit = PAGE, open = "";

  const t = (key, values) => {
    const found = WORDS[root.dataset.lang][key];
    if (found === undefined) return key;
    return values ? found.replace(/\{(\w+)\}/g, (_, name) => String(values[name])) : found;
  };
  const keep = (name, value) => { try { localStorage.setItem("blindtest-" + name, value); } catch { /* a file may not store */ } };
  const kept = (name) => { try { return localStorage.getItem("blindtest-" + name); } catch { return null; } };

  // Texts only ever become text nodes: what a reply says is never markup.
  const el = (tag, options, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(options || {})) {
      if (name === "on") for (const [event, run] of Object.entries(value)) made.addEventListener(event, run);
      else if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(9)) if (child !== null && child !== undefined && child !== false) made.append(child);
    return made;
  };

  const press = () => {
    for (const [name, attribute] of [["lang", "setLang"], ["theme", "setTheme"]])
      for (const one of document.querySelectorAll(`[data-set-${name}]`))
        one.setAttribute("aria-pressed", String(one.dataset[attribute] === root.dataset[name]));
  };
  const choose = (name, value) => {
    root.dataset[name] = value;
    if (name === "lang") root.lang = value;
    press();
  };
  for (const name of ["lang", "theme"]) {
    const before = kept(name);
    if (before && document.querySelector(`[data-set-${name}="${CSS.escape(before)}"]`)) choose(name, before);
    for (const one of document.querySelectorAll(`[data-set-${name}]`))
      one.addEventListener("click", () => {
        const value = one.getAttribute("data-set-" + name);
        choose(name, value);
        keep(name, value);
        if (name === "lang") show();
      });
  }
  press();

  // --- the list
  const result = (row) => (row[9] ? "error" : row[6] === null ? "none" : row[6] ? "passed" : "failed");
  const bodies = {};
  const searched = (row) => {
    const wanted = filters.search.toLowerCase();
    if (!wanted) return true;
    if ([row[1], row[2], row[3], row[4]].join(" ").toLowerCase().includes(wanted)) return true;
    const body = bodies[row[0]] ??= transcript(row[0]).turns.map((one) => one.u + "\n" + one.a).join("\n").toLowerCase();
    return body.includes(wanted);
  };
  const chosen = () => LISTED.filter((row) =>
    (!filters.witness || row[4] === filters.witness) && (!filters.suite || row[1] === filters.suite) &&
    (!filters.outcome || result(row) === filters.outcome) && searched(row));
  const pick = (name, label, options) => el("label", {}, label, el("select", {
    on: { change: (event) => { filters[name] = event.target.value; limit = PAGE; rows(); } } },
    options.map(([value, text]) => el("option", { value, selected: filters[name] === value }, text))));
  const distinct = (index) => [...new Set(LISTED.map((row) => row[index]))].map((one) => [one, one]);

  const rows = () => {
    const found = chosen();
    const body = list.querySelector(".rows"), count = list.querySelector(".count"), more = list.querySelector(".more");
    body.replaceChildren(...found.slice(0, limit).map((row) => el("li", {}, el("button", {
      type: "button", on: { click: () => { location.hash = "t=" + row[0]; } } },
      el("span", { class: "res " + (row[6] ? "good" : row[6] === null ? "" : "bad") }, t("filter_" + result(row))),
      el("span", {}, row[4]), el("span", {}, row[1] + " / " + row[2]), el("span", {}, row[3]),
      el("span", { class: "off" }, "#" + row[5]),
      row[7] ? el("span", { class: "off" }, t("fails_at") + " " + row[7] + " / " + row[8]) : null))));
    count.textContent = t("shown_of", { shown: Math.min(limit, found.length), all: LISTED.length });
    more.hidden = found.length <= limit;
  };
  const drawList = () => {
    let waiting = 0;
    list.replaceChildren(el("div", { class: "filters" },
      pick("witness", t("filter_witness"), [["", t("filter_any")], ...distinct(4)]),
      pick("suite", t("filter_suite"), [["", t("filter_any")], ...distinct(1)]),
      pick("outcome", t("filter_outcome"), [["", t("filter_any")], ...["passed", "failed", "error", "none"].map((one) => [one, t("filter_" + one)])]),
      el("label", {}, t("search"), el("input", { type: "search", value: filters.search, on: { input: (event) => {
        clearTimeout(waiting);
        waiting = setTimeout(() => { filters.search = event.target.value; limit = PAGE; rows(); }, 200);
      } } }))),
      el("p", { class: "hint count", "aria-live": "polite" }), el("ul", { class: "rows" }),
      el("button", { type: "button", class: "more", on: { click: () => { limit += PAGE; rows(); } } }, t("more")));
    rows();
  };

  // --- one transcript
  const transcript = (key) => read("t-" + key);
  const pairs = (found) => Object.entries(found).map(([name, value]) => name + " = " + value).join(" · ");
  const fact = (one) => `${one[0]} · ${one[1]}: ${one[3] ? "" : "¬ "}${one[2]}` + (one[4] ? ` (${t("turn")} ${one[4]}, ${one[5]})` : "");
  const bullets = (found, style) => el("ul", {}, found.map((one) => el("li", { class: style }, one)));
  const place = (name) => WORDS.en["place_" + name] === undefined ? name : t("place_" + name);
  const part = (name, content) => [el("dt", {}, t(name)), el("dd", {}, content)];

  const verdict = (one) => el("li", { class: one[0] },
    el("b", {}, t("verdict_" + one[0])), ": " + one[1] + " ", el("span", { class: "off" }, `(${one[4]}, ${t("by")} ${one[2]})`),
    one[3] ? [" — ", el("q", {}, one[3])] : null);
  const happened = (found) => found.map(([kind, text]) => el("p", { class: "happens" }, t("happens_" + kind, { text })));

  const layer = ([name, injected = 0, tokens = 0, inside = [], left = []], body) => el("li", { class: injected ? "" : "off" },
    `${body.texts[name]}: ${t(injected ? "injected" : "not_injected")}` + (tokens ? `, ${tokens} ${t("tokens_short")}` : ""),
    inside.length ? bullets(inside.map((number) => body.texts[number])) : null,
    left.length ? [el("div", {}, t("dropped") + ":"), bullets(left.map(([text, why]) => `${body.texts[text]} (${body.texts[why]})`), "off")] : null);

  const sight = (one, body, facts) => {
    const s = one.s, texts = (numbers) => (numbers || []).map((number) => body.texts[number]);
    const made = [];
    const say = (name, content) => { if (content && (!Array.isArray(content) || content.length)) made.push(part(name, content)); };
    say("facts_new", s.fn && bullets(s.fn.map((number) => fact(body.facts[number]))));
    say("facts_gone", s.fg && bullets(s.fg.map((number) => fact(body.facts[number])), "gone"));
    say("facts_all", facts.length ? el("details", {}, el("summary", {}, String(facts.length)), bullets(facts.map((number) => fact(body.facts[number])))) : null);
    say("topics", texts(s.tp).join(" › "));
    say("topics_past", texts(s.tq).join(", "));
    say("entities", texts(s.en).join(", "));
    say("emotion", s.em ? body.texts[s.em - 1] : "");
    say("emotion_user", s.eu ? body.texts[s.eu - 1] : "");
    say("promises", s.cm && bullets(texts(s.cm)));
    say("task", s.tk);
    say("summary_text", s.sm ? body.texts[s.sm - 1] : "");
    say("recent", s.rc ? String(s.rc) : "");
    say("notices", s.no && bullets(s.no.map(([kind, claim, truth]) => `${kind}: ${claim}${truth ? " → " + truth : ""}`)));
    say("findings", s.fi && bullets(s.fi.map(([kind, evidence, against]) => `${kind}: ${evidence}${against ? " ↔ " + against : ""}`)));
    say("refused", s.rf && bullets(s.rf.map(([form, text, kinds]) => `${form}: ${text} (${kinds.join(", ")})`)));
    say("how_made", s.fo);
    say("resolved", s.rs);
    say("layers", s.ly && el("ul", {}, s.ly.map((found) => layer(found, body))));
    say("prompt_tokens", s.pt ? String(s.pt) : "");
    say("warnings", s.wa && bullets(texts(s.wa)));
    say("written", s.wr && bullets(texts(s.wr)));
    say("events", s.ev && bullets(texts(s.ev)));
    return el("dl", { class: "sight" }, made);
  };

  const go = (number) => {
    const target = document.getElementById("turn-" + number);
    if (target) { target.scrollIntoView({ block: "center" }); target.focus({ preventScroll: true }); }
  };

  const trace = (one) => {
    const facts = one.path.some((step) => step[1].includes("facts"));
    return el("div", { class: "trace" },
      el("p", {}, el("b", {}, t("trace")), ": " + one.expectation),
      el("p", {}, t("trace_" + one.source, one)),
      one.source !== "persona" && one.state ? el("p", {}, t("trace_state", { turn: one.state, places: one.was.map(place).join(", ") })) : null,
      one.source !== "persona" ? el("p", {}, one.prompt ? t("trace_prompt", { turn: one.prompt }) : t("trace_never_prompt")) : null,
      one.source !== "persona" && one.lost !== "unknown" && one.lost !== "window" && !facts ? el("p", {}, t("trace_no_fact")) : null,
      one.dropped ? el("p", {}, t("trace_dropped", { why: one.dropped })) : null,
      el("p", {}, el("b", {}, t("lost_" + one.lost, one))),
      el("div", { class: "path" }, one.path.map(([number, state, prompt]) => el("button", {
        type: "button", class: prompt.length ? "both" : state.length ? "state" : "lost",
        title: `${t("in_state")}: ${state.map(place).join(", ") || t("none")} · ${t("in_prompt")}: ${prompt.map(place).join(", ") || t("none")}`,
        on: { click: () => go(number) } }, String(number)))));
  };

  const tags = (number, traces) => traces.flatMap((one) => [
    one.source !== "persona" && one.since === number ? el("span", { class: "tag" }, `“${one.value}” ${t("told_here")}`) : null,
    one.source !== "persona" && one.state === number && one.state < one.exchange ? el("span", { class: "tag" }, `“${one.value}” ${t("last_in_state")}`) : null,
    one.source !== "persona" && one.prompt === number && one.prompt < one.exchange ? el("span", { class: "tag" }, `“${one.value}” ${t("last_in_prompt")}`) : null,
    one.exchange === number ? el("span", { class: "tag bad" }, t("fails_here")) : null]);

  const turn = (one, body, facts, rounds) => {
    const fails = one.v.some((found) => found[0] === "fail");
    const state = one.s === undefined ? el("p", { class: "hint" }, t("no_state"))
      : one.s === null ? el("p", { class: "hint" }, t("state_trimmed"))
      : el("details", { on: { toggle: (event) => {
        const box = event.target;
        if (box.open && box.children.length === 1) box.append(sight(one, body, facts));
      } } }, el("summary", {}, t("state_after")));
    return [happened(one.h || []), el("section", { class: "turn" + (fails ? " fails" : "") + (one.f ? " filler" : ""), id: "turn-" + one.n, tabindex: "-1", "aria-label": t("turn") + " " + one.n },
      el("h4", {}, `${t("turn")} ${one.n}`, el("span", {}, rounds[one.r] ? rounds[one.r][0] : ""), one.f ? el("span", {}, t("filler")) : null,
        el("span", {}, `${one.c} × · ${one.t[0]} + ${one.t[1]} ${t("tokens_short")}`), tags(one.n, body.traces)),
      el("div", { class: "line-of" }, el("span", {}, t("user")), el("span", {}, one.u)),
      el("div", { class: "line-of" }, el("span", {}, t("reply")), el("span", {}, one.a)),
      one.v.length ? el("ul", { class: "verdicts" }, one.v.map(verdict)) : null, state)];
  };

  const drawTranscript = (key) => {
    const row = LISTED.find((found) => found[0] === key), body = transcript(key);
    const facts = new Set();
    const turns = body.turns.map((one) => {
      if (one.s) { for (const number of one.s.fn || []) facts.add(number); for (const number of one.s.fg || []) facts.delete(number); }
      return turn(one, body, [...facts].sort((a, b) => a - b), body.rounds);
    });
    const failing = body.turns.filter((one) => one.v.some((found) => found[0] === "fail")).map((one) => one.n);
    let at = -1;
    const about = [];
    const say = (name, content) => { if (content) about.push(part(name, content)); };
    say("witness", row[4]);
    say("script", `${row[1]} / ${row[2]}${body.title ? ": " + body.title : ""}`);
    say("persona", row[3]);
    say("repeat", `${row[5]} · ${t("seed")} ${body.seed}`);
    say("result", t("filter_" + result(row)));
    say("rounds", body.rounds.map(([name, passed, met]) => `${name}: ${passed === null ? t("verdict_not_applicable") : `${t(passed ? "passed" : "failed")} (${Math.round(met * 100)} %)`}`).join(" · "));
    say("slots", pairs(body.slots));
    say("captures", pairs(body.captures));
    say("lost_captures", body.lost.join(", "));
    say("skipped", body.skipped.join("; "));
    say("ended_early", body.error);
    view.replaceChildren(el("div", {}, el("div", { class: "bar-top" },
      el("button", { type: "button", class: "back", on: { click: () => { location.hash = "transcripts"; } } }, t("close")),
      failing.length ? el("button", { type: "button", on: { click: () => { at = (at + 1) % failing.length; go(failing[at]); } } }, `${t("next_failure")} (${failing.length})`)
        : el("span", { class: "hint" }, t("no_failure"))),
      el("h3", { tabindex: "-1" }, `${row[4]} · ${row[2]}`), el("dl", {}, about), body.traces.map(trace),
      body.gone ? el("p", {}, t("transcript_gone")) : null,
      turns, happened(body.after), body.unreached.length ? el("ul", { class: "verdicts" }, body.unreached.map(verdict)) : null));
    if (body.traces.length) for (const box of view.querySelectorAll(".turn.fails details")) box.open = true;
  };

  const show = () => {
    const key = /^#t=([0-9a-f]+)$/.exec(location.hash)?.[1];
    if (key && LISTED.some((row) => row[0] === key)) {
      drawTranscript(key);
      list.hidden = true;
      view.hidden = false;
      if (open !== key) { view.scrollIntoView(); view.querySelector("h3").focus({ preventScroll: true }); }
      open = key;
    } else {
      view.replaceChildren();
      view.hidden = true;
      list.hidden = false;
      drawList();
      if (open) document.querySelector("#transcripts h2").focus();
      open = "";
    }
  };
  addEventListener("hashchange", show);
  addEventListener("keydown", (event) => { if (event.key === "Escape" && open) location.hash = "transcripts"; });
  show();
})();
