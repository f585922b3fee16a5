// graph.js - pictures: the tasks of a race with the missing edge, and a deadlock as a ring.
"use strict";

const BOX = 340, TALL = 46, STEP = 72, GAP = 60;

const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

function box(x, y, kind, above, below) {
	return [
		draw("rect", {x, y, width: BOX, height: TALL, rx: 4, class: kind}),
		draw("text", {x: x + 10, y: y + 19}, cut(above, 46)),
		draw("text", {x: x + 10, y: y + 37, opacity: 0.75}, cut(below || "", 46)),
	];
}

// The heads of arrows, one for each class of lines.
function heads(...kinds) {
	return draw("defs", {}, kinds.map((kind) => draw("marker", {
		id: `end-${kind}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 13, markerHeight: 13,
		markerUnits: "userSpaceOnUse", orient: "auto",
	}, draw("path", {class: kind, d: "M1 1L9 5L1 9"}))));
}

function arrow(x1, y1, x2, y2) {
	return draw("path", {class: "creates", "marker-end": "url(#end-creates)", d: `M${x1} ${y1}L${x2} ${y2}`});
}

function taskBox(x, y, task) {
	if (typeof task === "number")
		return box(x, y, "", `${task} more, each created by the one above`);
	return box(x, y, "", `task ${task.name.replace(/^T/, "")}${task.label ? `: ${task.label}` : ""}`,
		task.created ? `created at ${baseName(task.created)}` : "");
}

function accessBox(x, y, access, variable) {
	const top = access.stack[0] || {};
	return box(x, y, "race", `${access.operation} of ${plural(access.size, "byte")} at ${variable}`,
		top.file ? `${baseName(top.file)}:${top.line}` : "");
}

// Two columns from the task that created both down to the accesses; nothing joins these.
function taskPicture(incident) {
	const {top, chains} = incident.extras.graph;
	const xs = [1, 1 + BOX + GAP], width = 2 * BOX + GAP + 2;
	const first = 1 + (top ? STEP : 0), bottom = first + Math.max(...chains.map((c) => c.length)) * STEP;
	const parts = [heads("creates")];
	if (top)
		parts.push(taskBox((width - BOX) / 2, 1, top));
	chains.forEach((chain, i) => {
		const x = xs[i], middle = x + BOX / 2;
		if (top)
			parts.push(arrow((width - BOX) / 2 + (i ? 3 : 1) * BOX / 4, 1 + TALL, middle, chain.length ? first : bottom));
		chain.forEach((task, k) => {
			const y = first + k * STEP;
			parts.push(taskBox(x, y, task));
			parts.push(arrow(middle, y + TALL, middle, k + 1 < chain.length ? y + STEP : bottom));
		});
		parts.push(accessBox(x, bottom, incident.accesses[i], incident.variable));
	});
	parts.push(draw("path", {class: "none", d: `M${xs[0] + BOX} ${bottom + TALL / 2}h${GAP}`}));
	return [draw("svg", {class: "picture", viewBox: `0 0 ${width} ${bottom + TALL + 2}`, width, role: "img",
		"aria-label": "the tasks of this race and who created them; nothing orders the accesses"}, parts),
	make("div.legend", {}, make("span", {}, "arrow: creates the task, or makes the access"), make("span", {}, "dashed: nothing orders these two"))];
}

// Threads and what they wait for, around a ring: each thread waits for what the next one holds.
function ringPicture(incident) {
	const waits = incident.waits, n = waits.length, wide = 95, tall = 22;
	const radius = Math.max(130, n * 52), cx = radius + wide + 10, cy = radius + tall + 8;
	const at = (turn) => [cx + radius * Math.sin(turn * 2 * Math.PI), cy - radius * Math.cos(turn * 2 * Math.PI)];
	// From the edge of one box to that of another.
	const line = (from, to, kind) => {
		const [x1, y1] = at(from), [x2, y2] = at(to), dx = x2 - x1, dy = y2 - y1;
		const part = Math.min(wide / Math.abs(dx || 1e-9), tall / Math.abs(dy || 1e-9)) + 8 / Math.hypot(dx, dy);
		return draw("path", {class: kind, "marker-end": `url(#end-${kind})`,
			d: `M${x1 + dx * part} ${y1 + dy * part}L${x2 - dx * part} ${y2 - dy * part}`});
	};
	const label = (turn, isThread, above, below) => {
		const [x, y] = at(turn);
		return [draw("rect", {x: x - wide, y: y - tall, width: 2 * wide, height: 2 * tall, rx: isThread ? 4 : tall, class: isThread ? "race" : null}),
			draw("text", {x, y: y - 3, "text-anchor": "middle"}, cut(above, 27)),
			draw("text", {x, y: y + 14, "text-anchor": "middle", opacity: 0.75}, cut(below, 27))];
	};
	const parts = [heads("waits", "holds")];
	waits.forEach((wait, i) => {
		const thread = i / n, thing = (i + 0.5) / n, next = (i + 1) / n, place = wait.stack[0] || {};
		parts.push(line(thread, thing, "waits"), line(next, thing, "holds"));
		parts.push(label(thread, true, threadWords(wait.thread), place.file ? `waits at ${baseName(place.file)}:${place.line}` : "waits"));
		parts.push(label(thing, false, wait.waits_for || `the end of ${wait.waits_for_thread}`, `held by ${waits[(i + 1) % n].thread}`));
	});
	return [draw("svg", {class: "picture", viewBox: `0 0 ${2 * cx} ${2 * cy}`, width: 2 * cx, role: "img",
		"aria-label": "threads that wait for each other"}, parts),
	make("div.legend", {}, make("span", {}, make("i", {style: "background:var(--race)"}), "waits for"),
		make("span", {}, make("i", {style: "background:var(--sees)"}), "holds"))];
}
