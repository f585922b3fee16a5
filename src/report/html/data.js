// data.js - the JSON of the report, decoded: incidents, the table of events, places and source lines.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

// The table of events, one array per property.  events.number is ascending.
const events = (() => {
	const from = data.events || {number: [], thread: [], op: [], target: [], place: [], flags: []};
	const table = {n: from.number.length, number: new Uint32Array(from.number.length)};
	let number = 0;
	from.number.forEach((step, i) => { table.number[i] = number += step; });
	for (const column of ["thread", "op", "target", "place", "flags"])
		table[column] = Uint32Array.from(from[column]);
	return table;
})();
const NESTED = 1, WAIT = 2, FREE = 32; // events.flags

const ops = data.ops || [];
const opWords = {
	r: "read", w: "write", acq: "lock", rel: "unlock", fork: "start", join: "wait for", racq: "lock (shared)",
	rrel: "unlock (shared)", ar: "atomic read", aw: "atomic write", au: "atomic update", fence: "fence",
};
const opText = (e) => ops[events.op[e]];
const opReads = ops.map((op) => ["r", "ar", "au"].includes(op));
const opWrites = ops.map((op) => ["w", "aw", "au"].includes(op));
const isRead = (e) => opReads[events.op[e]];
const isWrite = (e) => opWrites[events.op[e]];

const spaceOf = {acq: "lock", rel: "lock", racq: "lock", rrel: "lock", fork: "thread", join: "thread",
	async: "thread", spawn: "thread", set: "promise", get: "promise", fence: null};

function targetName(e) {
	const op = opText(e), space = op in spaceOf ? spaceOf[op] : "variable";
	return space ? data.names[space][events.target[e]] : "";
}

const threadName = (e) => data.names.thread[events.thread[e]];

// "main thread", "T3"; of tasks "task 3"
function threadWords(name) {
	if (data.tasks)
		return `task ${name.replace(/^T/, "")}`;
	return name === "T0" && !data.trace ? "main thread" : `thread ${name}`;
}

// What an event does, in words: "write bytes".
function eventWords(e) {
	const op = opText(e), target = targetName(e);
	if (events.flags[e] & WAIT)
		return `${{ar: "passes", aw: "signals", au: "signals and passes"}[op] || op} ${target}`;
	return `${events.flags[e] & FREE ? "free" : opWords[op] || op}${target ? ` ${target}` : ""}`;
}

const isSystemFile = (file) => /^\/(usr|lib|lib64|opt)\//.test(file);

// The folder of all files of the program that the reports name: "/home/ada/bank/".
function folderOfAll() {
	const stacks = data.incidents.flatMap((i) => [i.stack, ...(i.accesses || i.waits || []).map((a) => a.stack)]);
	const files = stacks.flat().filter((f) => f && f.file && f.file.startsWith("/") && !isSystemFile(f.file)).map((f) => f.file);
	let folder = files.length ? files[0].slice(0, files[0].lastIndexOf("/") + 1) : "";
	while (folder && !files.every((file) => file.startsWith(folder)))
		folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
	return folder;
}
const folderHidden = data.strip || folderOfAll();

function fileShown(file) {
	return folderHidden && file.startsWith(folderHidden) ? file.slice(folderHidden.length) : file;
}

const baseName = (file) => file.slice(file.lastIndexOf("/") + 1);

// "bank.c:17"
function placeWords(e) {
	const [file, line] = data.places[events.place[e]];
	return file ? baseName(file) + (line ? `:${line}` : "") : "";
}

function sourceLine(file, line) {
	const lines = data.lines && data.lines[file];
	return lines && line in lines ? lines[line] : null;
}

// The place of an event number in the table; -1: it is not there.
function eventOf(number) {
	let low = 0, high = events.n;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (events.number[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < events.n && events.number[low] === number ? low : -1;
}

// All incidents, each with its extras; those that snag does not report come last.
const incidents = [...data.incidents, ...(data.unconfirmed || [])].map((incident, i) => {
	const extras = (data.extras || {})[incident.id] || {};
	const stacks = (incident.accesses || incident.waits || []).map((access) => access.stack);
	if (incident.stack)
		stacks.push(incident.stack, incident.before && incident.before.stack);
	const files = new Set(stacks.filter((s) => s && s.length && s[0].file).map((s) => s[0].file));
	return {id: `incident-${i + 1}`, kind: "race", ...incident, extras, allStacks: stacks.filter(Boolean), files: [...files]};
});

const subject = (incident) => incident.called || incident.variable ||
	(incident.locks || []).join(", ") || incident.summary || incident.kind;

// What a reader calls a kind of report, in the singular; mistakes have titles of their own.
const kindWords = {
	race: "data race", deadlock: "deadlock", atomicity: "atomicity violation", "use-after-free": "use after free",
	"double-free": "double free", "mutex-misuse": "misuse of a mutex", "thread-leak": "thread leak",
	"signal-unsafe": "unsafe signal handler", "annotation-misuse": "misuse of an annotation",
	"thread-misuse": "misuse of a thread",
};
const kindText = (kind) => kindWords[kind] || kind;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function heading(incident) {
	const isTitled = incident.title && !incident.accesses && !incident.waits;
	return capital(isTitled ? `${incident.title}: ${incident.object || subject(incident)}`
		: `${kindText(incident.kind)} on ${subject(incident)}`);
}
