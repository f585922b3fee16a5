// page.js - the page: contents with search and filters, one incident at a time, keys.
"use strict";

const verdictWords = {
	observed: data.tasks ? "some schedule of this input brings the two accesses side by side"
		: "nothing ordered the two accesses in this run",
	predicted: "in this run something kept them apart, but another schedule of the same execution brings them side by side",
	confirmed: "another run, in which the first access was held back, had them side by side",
	unverified: "no schedule that shows it was found or excluded",
	unconfirmed: "a schedule in which reads see other values has it, but the program did not follow that schedule",
};

// The same of a write of another thread between a read and a write.
const betweenWords = {
	observed: "in this run the write came between the other two accesses",
	predicted: "another schedule of the same execution has the write between the other two accesses",
	unverified: "no schedule with the write between the other two accesses was found or excluded",
	unconfirmed: "a schedule in which reads see other values has it, but the program did not follow that schedule",
};

// The same of threads that wait for each other.
const waitWords = {
	observed: "in this run the threads waited for each other",
	predicted: "in this run the threads got past it, but in another schedule of the same execution they wait for each other",
	unverified: "no schedule in which the threads wait for each other was found or excluded",
	unconfirmed: "a schedule in which reads see other values has it, but the program did not follow that schedule",
};

const isLibrary = (frame) => !frame.file || isSystemFile(frame.file) || frame.file.startsWith("../");

function frameItem(frame) {
	const where = frame.file ? `${fileShown(frame.file)}${frame.line ? `:${frame.line}${frame.column ? `:${frame.column}` : ""}` : ""}`
		: frame.module ? `${baseName(frame.module)}+0x${frame.offset.toString(16)}` : "";
	return make("li", {}, make("b", {}, frame.function || "?"), " ", make("span.dim", {title: frame.file}, where));
}

// A stack whose library frames are folded.
function stackList(stack) {
	const items = [];
	for (let i = 0; i < stack.length;) {
		let end = i;
		while (end < stack.length && isLibrary(stack[end]))
			end++;
		if (end > i) {
			items.push(make("li", {}, make("details", {}, make("summary", {}, plural(end - i, "library frame")),
				make("ol", {}, stack.slice(i, end).map(frameItem)))));
			i = end;
		} else {
			items.push(frameItem(stack[i++]));
		}
	}
	return make("ol.stack", {}, items);
}

// The source around the innermost frame that has one.
function sourceAround(stack) {
	const frame = stack.find((f) => !isLibrary(f) && sourceLine(f.file, f.line) !== null) ||
		stack.find((f) => f.file && sourceLine(f.file, f.line) !== null);
	if (!frame)
		return null;
	const rows = [];
	for (let line = frame.line - 5; line <= frame.line + 5; line++) {
		const text = sourceLine(frame.file, line);
		if (text !== null)
			rows.push(make(line === frame.line ? "div.hit" : "div", {}, make("span", {}, String(line)), text || " "));
	}
	return make("div.source", {}, rows);
}

function accessBoxOf(access, variable) {
	const creator = (data.creators || {})[access.thread], task = access.task;
	return make("div.access", {},
		make("header", {}, make("b", {}, capital(`${access.atomic ? "atomic " : ""}${access.operation}${access.size ? ` of ${plural(access.size, "byte")}` : ""}`)),
			access.size ? " at " : " of ", make("code", {}, variable), ` by ${threadWords(access.thread)}`, task && task.label && `, ${task.label}`,
			access.locks.length > 0 && [", holding ", make("code", {}, access.locks.join(", "))]),
		sourceAround(access.stack), stackList(access.stack),
		creator && make("div.stack", {}, make("details", {}, make("summary", {},
			`${access.thread} was created by ${threadWords(creator.thread)}`), stackList(creator.stack))),
		task && task.creator && make("div.stack", {}, make("details", {}, make("summary", {},
			`created by ${threadWords(task.creator)}`), stackList(task.stack))));
}

// Where a mistake was made, and what came before it.
function mistakeBoxesOf(incident) {
	const boxOf = (words, thread, stack) => make("div.access", {},
		make("header", {}, make("b", {}, words), ` by ${threadWords(thread)}`), sourceAround(stack), stackList(stack));
	return [boxOf(incident.act ? `${incident.act} ${incident.object}` : incident.summary, incident.thread, incident.stack),
		incident.before && boxOf(incident.before.act || "Before", incident.before.thread, incident.before.stack)];
}

function waitBoxOf(wait) {
	return make("div.access", {},
		make("header", {}, make("b", {}, threadWords(wait.thread)), " waits for ",
			make("code", {}, wait.waits_for || wait.waits_for_thread || wait.what || "")),
		sourceAround(wait.stack), stackList(wait.stack),
		wait.held_since && [make("header", {}, "It holds ", make("code", {}, wait.holds), wait.shared ? " (shared)" : "", " since"),
			stackList(wait.held_since)]);
}

// Where the variable lives: its object, and who allocated it.
function objectWords(incident) {
	const object = incident.extras.object;
	if (!object)
		return null;
	switch (object.kind) {
	case "heap":
		return make("details", {}, make("summary", {}, `heap block of ${plural(object.bytes, "byte")}, allocated by ${threadWords(object.thread)}`),
			stackList(object.stack));
	case "stack": return `the stack of ${threadWords(object.thread)}`;
	case "global": return "global variable";
	default: return null;
	}
}

const quoted = (word) => /^[\w@%+=:,.\/-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;

const programWords = () => data.program.arguments.map(quoted).join(" ");

function commandsOf(incident) {
	if (data.trace)
		return [];
	const program = programWords();
	if (!incident.witness)
		return [`snag run -- ${program}`];
	const folder = data.witness_dir || "witnesses", kind = incident.kind === "deadlock" ? "deadlock" : "race";
	const file = quoted(`${folder}/${kind}-${incident.witness}.json`);
	return [
		!data.witness_dir && `snag run --witness ${folder} -- ${program}`,
		`snag replay ${file} ${program}`,
		incident.is_race && `snag replay --gdb ${file} ${program}`,
	].filter(Boolean);
}

const fact = (name, value) => value ? [make("dt", {}, name), make("dd", {}, value)] : [];

// The schedule shows neither branches nor the first and last events of threads.
function witnessWords(extras) {
	const shown = view && view.witness && !view.witness.isCut ? view.witness.length : extras.steps;
	return plural(extras.steps, "event") + (shown < extras.steps ? `, ${shown} of them in the schedule below` : "");
}

let view = null; // the schedule of the incident that is shown

function render(incident) {
	const isRace = Boolean(incident.accesses), extras = incident.extras;
	view = extras.schedule ? new ScheduleView(incident) : null;
	const commands = commandsOf(incident);
	const accesses = incident.accesses || [], waits = incident.waits || [], isPair = accesses.length === 2;
	document.getElementById("report").replaceChildren(...[
		make("h2", {}, heading(incident)),
		make("div.chips", {},
			make(`span.chip${["unverified", "unconfirmed"].includes(incident.verdict) ? "" : ".race"}`, {}, incident.verdict || incident.kind),
			incident.severity && make("span.chip.race", {}, incident.severity),
			make("span.chip", {}, incident.id), incident.detector && make("span.chip", {}, `by ${incident.detector}`),
			incident.replay === "confirmed" && make("span.chip.ok", {}, "replay confirmed it"),
			incident.replay === "diverged" && make("span.chip", {}, "replay diverged"),
			incident.suppressed && make("span.chip", {}, "suppressed")),
		make("dl.facts", {},
			fact("what", !isRace && waits.length === 0 && [incident.summary, incident.why && `. ${incident.why}.`]),
			fact("verdict", isRace ? (isPair ? verdictWords : betweenWords)[incident.verdict] : waits.length > 0 && waitWords[incident.verdict]),
			fact("variable", isRace && [make("code", {}, incident.variable), incident.called && [", in the source ", make("code", {}, incident.called)],
				incident.type && [" of type ", make("code", {}, incident.type)]]),
			fact("lies in", objectWords(incident)),
			fact("range", incident.range && incident.range.text),
			fact("missing", incident.missing_edge),
			fact("effect", incident.effect),
			fact("replay", incident.replay_note),
			fact("seen", incident.count > 1 && `${plural(incident.count, "time")}${incident.stacks ? `, with ${plural(incident.stacks, "pair")} of stacks` : ""}`),
			fact("witness", extras.steps > 0 && witnessWords(extras))),
		extras.graph && taskPicture(incident),
		waits.length > 1 && waits.every((w) => w.waits_for || w.waits_for_thread) && ringPicture(incident),
		view && [make("h3", {}, "Schedule"), view.element],
		accesses.length > 0 && [make("h3", {}, isPair ? "The two accesses" : "The read, the write between, and the write"),
			make("div.pair", {}, accesses.map((a) => accessBoxOf(a, incident.variable)))],
		waits.length > 0 && [make("h3", {}, "The threads that wait"), make("div.pair", {}, waits.map(waitBoxOf))],
		incident.stack && [make("h3", {}, "Where"), make("div.pair", {}, mistakeBoxesOf(incident))],
		commands.length > 0 && [make("h3", {}, incident.witness ? "Replay it" : "Run it again"),
			make("div.commands", {}, commands.map((c) => make("div.command", {}, make("code", {}, c), copyButton(c))))],
	].flat(2).filter(Boolean));
	document.getElementById("report").classList.toggle("suppressed", !!incident.suppressed);
}

// What the run proves, if there is nothing to show.
function renderVerdict() {
	const certificate = data.certificate;
	view = null;
	document.getElementById("report").replaceChildren(make("section.proof", {},
		make("h2", {}, certificate ? certificate.text : "Nothing to report"),
		!certificate && make("p", {}, `Neither ${data.trace ? "the trace" : "the run"} nor the other schedules that snag derived from it have an error that the chosen detectors look for. `,
			"Other inputs can have one.", !data.trace && [" ", make("code", {}, `snag explore -- ${programWords()}`), " runs more schedules."]),
		certificate && certificate.obstacles && certificate.obstacles.length > 0 && make("ul", {}, certificate.obstacles.map((o) =>
			make("li", {}, o.text || o.words || o.kind, (o.places || o.locations || []).map((p) => [" ", make("code", {}, p)]))))));
}

const filters = {text: "", kind: "", verdict: "", file: ""};

function isShown(incident) {
	const words = [incident.id, heading(incident), incident.variable, incident.verdict, incident.severity, incident.kind, ...incident.files,
		...incident.allStacks.flatMap((stack) => stack.map((f) => f.function || ""))];
	return (!filters.kind || incident.kind === filters.kind) && (!filters.verdict || incident.verdict === filters.verdict) &&
		(!filters.file || incident.files.includes(filters.file)) &&
		(!filters.text || words.join("\n").toLowerCase().includes(filters.text.toLowerCase()));
}

let shown = incidents;

function list() {
	shown = incidents.filter(isShown);
	document.getElementById("count").textContent = shown.length === incidents.length
		? plural(incidents.length, "report") : `${shown.length} of ${plural(incidents.length, "report")}`;
	document.getElementById("list").replaceChildren(...shown.map((incident) => make("li", {}, make("a", {
		href: `#${incident.id}`, class: incident.suppressed ? "suppressed" : null, "aria-current": String(incident.id === current()),
	}, make("b", {}, subject(incident)), make("small", {}, [kindText(incident.kind), incident.verdict, incident.severity].filter(Boolean).join(", ") + (incident.suppressed ? ", suppressed" : "")),
		make("small", {}, incident.allStacks.map((stack) => stack[0] && stack[0].file
			? `${baseName(stack[0].file)}:${stack[0].line}` : "?").join(" / "))))));
	if (!shown.length && incidents.length)
		document.getElementById("list").append(make("li.dim.nothing", {}, "No report has all of this."));
}

const current = () => decodeURIComponent(location.hash.slice(1));

function choose(name, label) {
	const values = name === "file" ? incidents.flatMap((i) => i.files) : incidents.map((i) => i[name]);
	const options = [...new Set(values)].filter(Boolean).sort();
	return make(name === "file" ? "select.wide" : "select", {"aria-label": label, id: `filter-${name}`, onchange: (event) => {
		filters[name] = event.target.value;
		list();
	}}, make("option", {value: ""}, label), options.map((o) => make("option", {value: o},
		name === "file" ? fileShown(o) : name === "kind" ? kindText(o) : o)));
}

const kindPlural = (kind) => ({
	"use-after-free": "uses after free", "mutex-misuse": "misuses of mutexes", "annotation-misuse": "misuses of annotations",
	"thread-misuse": "misuses of threads",
})[kind] || `${kindText(kind)}s`;

function header() {
	const counted = new Map();
	for (const i of incidents)
		if (!i.suppressed)
			counted.set(i.kind, (counted.get(i.kind) || 0) + 1);
	const hidden = incidents.filter((i) => i.suppressed).length;
	const counts = ([...counted].map(([kind, n]) => n === 1 ? `1 ${kindText(kind)}` : `${n} ${kindPlural(kind)}`).join(", ") || "No report") +
		(hidden ? ` (${hidden} suppressed)` : "");
	const theme = make("button", {type: "button", id: "theme", title: "dark or light", onclick: () => {
		const root = document.documentElement;
		const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
		root.dataset.theme = isDark ? "light" : "dark";
	}}, "◐");
	document.getElementById("top").append(
		make("h1", {}, `${counts} ${counted.size ? "in" : "on"} `, make("code", {}, data.trace || data.program.arguments.join(" "))),
		make("p", {}, data.program ? `It ended with status ${data.program.status}. ` : "", data.replays ? `${data.replays}.` : ""), theme);
}

function contents() {
	document.getElementById("contents").append(make("div.filters", {},
		make("input", {type: "search", id: "search", placeholder: "Search: variable, function, file, id", "aria-label": "search",
			oninput: (event) => { filters.text = event.target.value; list(); }}),
		choose("kind", "any kind"), choose("verdict", "any verdict"), choose("file", "any file"),
		make("span.dim.wide", {}, make("span", {id: "count"}), " — ", make("kbd", {}, "n"), " next, ", make("kbd", {}, "p"),
			" previous, ", make("kbd", {}, "/"), " search")),
	make("ul", {id: "list"}));
	document.getElementById("page").classList.toggle("alone", incidents.length < 2); // nothing to choose from
	list();
}

function show() {
	const incident = incidents.find((i) => i.id === current()) || incidents[0];
	if (incident)
		render(incident);
	else
		renderVerdict();
	for (const link of document.querySelectorAll("#list a"))
		link.setAttribute("aria-current", String(incident && link.hash === `#${incident.id}`));
	const link = document.querySelector("#list a[aria-current=true]");
	if (link)
		link.scrollIntoView({block: "nearest"});
}

function step(by) {
	const at = shown.findIndex((i) => i.id === current());
	const next = shown[Math.max(0, Math.min(shown.length - 1, (at < 0 && !current() ? 0 : at) + by))];
	if (next)
		location.hash = next.id;
}

document.addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
		if (event.key === "Escape")
			event.target.blur();
		return;
	}
	if (event.key === "n" || event.key === "p")
		step(event.key === "n" ? 1 : -1);
	else if (event.key === "/")
		document.getElementById("search").focus();
	else if (!(view && view.key(event.key)))
		return;
	event.preventDefault();
});

header();
contents();
window.addEventListener("hashchange", show);
show();
