// schedule.js - the centre of the page: the schedule of a witness, and the observed order beside it.
//
// A Pane shows one order: a column for each thread, time downwards, a row for each step, locks as bars.
// Only the rows that are visible exist, so that a pane of 100,000 steps scrolls like one of 50.
"use strict";

const ROW = 40, HEAD = 26, LEAST_COLUMN = 150, LEAST_ON_NARROW = 100, NARROW = 500;

const lockColour = (lock) => `hsl(${(lock * 67 + 205) % 360} 60% 55%)`;

class Pane {
	constructor(title, order, isObserved, marks, onPick) {
		Object.assign(this, {order, isObserved, marks, onPick, picked: -1, seen: -1});
		this.threads = [];
		const known = new Set();
		for (const e of order.steps)
			if (!known.has(events.thread[e])) {
				known.add(events.thread[e]);
				this.threads.push(events.thread[e]);
			}
		const names = data.names.thread;
		this.threads.sort((a, b) => names[a].localeCompare(names[b], "en", {numeric: true}));
		this.column = new Map(this.threads.map((t, i) => [t, i]));
		this.bars = order.bars();
		this.heads = make("div.heads");
		this.rows = make("div.rows", {style: `height:${order.length * ROW}px`});
		this.name = `steps-${isObserved ? "observed" : "schedule"}`;
		this.scroller = make("div.scroller", {tabindex: "0", role: "listbox", "aria-label": title}, this.heads, this.rows);
		if (order.length * ROW + HEAD < 560)
			this.scroller.classList.add("short");
		this.element = make("section.pane", {}, make("h4", {}, title,
			order.isCut && make("span.dim", {}, " (earlier steps are not shown)")), this.scroller);
		this.scroller.addEventListener("scroll", () => this.drawSoon());
		new ResizeObserver(() => this.layOut()).observe(this.scroller);
	}

	layOut() {
		const gutter = parseInt(getComputedStyle(document.documentElement).getPropertyValue("--gutter"), 10);
		const width = this.scroller.clientWidth;
		this.gutter = gutter;
		this.wide = Math.max(width < NARROW ? LEAST_ON_NARROW : LEAST_COLUMN, (width - gutter) / this.threads.length);
		this.total = gutter + this.wide * this.threads.length;
		this.rows.style.width = this.heads.style.width = `${this.total}px`;
		this.heads.replaceChildren(...this.threads.map((t, i) => make("span", {
			style: `left:${gutter + i * this.wide}px;width:${this.wide}px`,
			title: threadWords(data.names.thread[t]),
		}, threadWords(data.names.thread[t]))));
		this.draw();
	}

	drawSoon() {
		if (this.isDue)
			return;
		this.isDue = true;
		requestAnimationFrame(() => { this.isDue = false; this.draw(); });
	}

	// The rows that are visible, and some around them.
	draw() {
		if (!this.wide)
			return;
		const top = this.scroller.scrollTop, height = this.scroller.clientHeight || 600;
		const from = Math.max(0, Math.floor(top / ROW) - 8);
		const to = Math.min(this.order.length, Math.ceil((top + height) / ROW) + 8);
		const drawn = [];
		const bars = this.bars.filter((bar) => bar.to >= from && bar.from < to);
		for (const bar of bars)
			drawn.push(this.drawBar(bar, from, to));
		for (let at = from; at < to; at++)
			drawn.push(this.drawStep(at, bars));
		if (this.meets && to === this.order.length)
			drawn.push(this.drawMeeting());
		this.rows.replaceChildren(...drawn);
	}

	// The line at which the two accesses meet, from one column to the other.
	drawMeeting() {
		const last = this.order.length - 1;
		const columns = [last - 1, last].map((at) => this.column.get(events.thread[this.order.steps[at]])).sort();
		const left = this.gutter + columns[0] * this.wide;
		return make("div.meet", {title: "side by side: nothing comes between them", style:
			`top:${last * ROW - 2}px;left:${left}px;width:${(columns[1] - columns[0] + 1) * this.wide - 4}px`});
	}

	drawBar(bar, from, to) {
		const first = Math.max(bar.from, from - 1), last = Math.min(bar.to, to);
		const left = this.gutter + this.column.get(bar.thread) * this.wide + 2 + Math.min(bar.lane, 1) * 5;
		const name = data.names.lock[bar.lock];
		return make("div.bar", {
			title: `${data.names.thread[bar.thread]} holds ${name}${bar.shared ? " (shared)" : ""}`,
			style: `left:${left}px;top:${first * ROW + ROW / 4}px;height:${(last - first) * ROW + ROW / 2}px;` +
				`background:${lockColour(bar.lock)};opacity:${bar.shared ? 0.55 : 1}`,
		});
	}

	drawStep(at, bars) {
		const e = this.order.steps[at];
		const [file, line] = data.places[events.place[e]];
		const code = sourceLine(file, line);
		const left = this.gutter + this.column.get(events.thread[e]) * this.wide;
		const classes = [this.marks.get(e), e === this.picked && "pick", e === this.seen && "sees"].filter(Boolean);
		const words = this.order.waiting.has(e) ? `waits for ${targetName(e)}` : eventWords(e);
		return make(["button.step", ...classes].join("."), {
			type: "button", tabindex: "-1", role: "option", id: `${this.name}-${at}`, "data-event": e,
			"aria-selected": String(e === this.picked), "aria-posinset": at + 1, "aria-setsize": this.order.length,
			"aria-label": `${threadWords(threadName(e))}: ${words} at ${placeWords(e)}`,
			style: `top:${at * ROW}px;width:${this.total}px`,
			title: `${words} at ${placeWords(e)}, event ${events.number[e]} of the observed run`,
			onclick: () => this.onPick(e, this),
		}, make("span.at", {}, this.rowNumber(at)), make("span.what", {style: `left:${left}px;${this.roomFor(e, at, bars)}`},
			make("div", {}, make("b", {}, words), " ", make("span.dim", {}, this.placeShown(e, words))),
			make("div.code.mono", {}, code === null ? "" : code.trim())));
	}

	// "bank.c:17"; ":17", or nothing, if the column has no room for it beside the operation.
	placeShown(e, operation) {
		const words = placeWords(e), line = words.slice(Math.max(0, words.lastIndexOf(":")));
		const PADDING = 30, LETTER = 7;
		const fits = (place) => PADDING + LETTER * (operation.length + place.length) <= this.wide;
		return [words, line, ""].find(fits) || "";
	}

	// The schedule counts its steps; the observed run has the numbers of its events.
	rowNumber(at) {
		return String(this.isObserved ? events.number[this.order.steps[at]] : at + 1);
	}

	// A row has one step: its words may go on over the columns to its right, up to a bar.
	roomFor(e, at, bars) {
		const column = this.column.get(events.thread[e]);
		let end = this.threads.length;
		for (const bar of bars) {
			const other = this.column.get(bar.thread);
			if (bar.from <= at && at <= bar.to && other > column && other < end)
				end = other;
		}
		return this.marks.has(e) || e === this.seen ? `width:${this.wide}px`
			: `min-width:${this.wide}px;max-width:${(end - column) * this.wide}px`;
	}

	pick(event, seen, isOurs) {
		this.picked = event;
		this.seen = seen;
		const at = this.order.positionOf(event);
		if (at >= 0)
			this.show(at, isOurs);
		this.draw();
		if (at >= 0)
			this.scroller.setAttribute("aria-activedescendant", `${this.name}-${at}`);
		else
			this.scroller.removeAttribute("aria-activedescendant");
	}

	// Scrolls a row into view; a row of the other pane goes to the middle.
	show(at, isOurs) {
		const view = this.scroller, top = at * ROW, height = view.clientHeight - HEAD;
		if (top < view.scrollTop || top + ROW > view.scrollTop + height)
			view.scrollTop = isOurs && Math.abs(top - view.scrollTop) < 2 * height
				? (top < view.scrollTop ? top : top + ROW - height)
				: Math.max(0, top - height / 2);
		const column = this.column.get(events.thread[this.order.steps[at]]);
		const left = this.gutter + column * this.wide;
		if (left < view.scrollLeft + this.gutter || left + this.wide > view.scrollLeft + view.clientWidth)
			view.scrollLeft = Math.max(0, left - this.gutter);
	}
}

// Both panes of an incident, the words about what kept the accesses apart, and the step that is picked.
class ScheduleView {
	constructor(incident) {
		const {witness, observed} = ordersOf(incident);
		this.goal = goalOf(incident);
		this.isRace = Boolean(incident.accesses);
		this.isPair = this.isRace && this.goal.length === 2;
		this.witness = witness;
		if (witness && !this.isRace)
			witness.waiting = new Set(this.goal);
		this.observed = observed;
		this.path = this.isPair ? observed.pathBetween(this.goal[0], this.goal[1]) : null;
		const marks = new Map();
		for (const e of observed.steps)
			if (witness && witness.positionOf(e) < 0)
				marks.set(e, "absent");
		for (const pair of this.path || [])
			for (const e of pair)
				marks.set(e, "link");
		for (const e of this.goal)
			marks.set(e, "race");
		const pick = (e, pane) => this.pick(e, pane);
		this.panes = [];
		if (witness)
			this.panes.push(new Pane(!this.isRace ? "The schedule that deadlocks"
				: this.isPair ? "The schedule that shows the race" : "The schedule with the write between",
				witness, false, marks, pick));
		this.panes.push(new Pane("As observed", observed, true, marks, pick));
		this.panes[0].meets = witness && this.isPair;
		this.current = this.panes[0];
		this.detail = make("div.detail", {id: "detail", "aria-live": "polite"});
		this.element = make("div", {}, this.keptApart(), this.legend(),
			make(this.panes.length > 1 ? "div.panes" : "div.panes.single", {}, this.panes.map((p) => p.element)), this.detail);
		const start = this.goal.length ? this.goal[this.goal.length - 1] : this.current.order.steps[0];
		requestAnimationFrame(() => { this.panes.forEach((p) => p.layOut()); this.pick(start, this.current); });
	}

	legend() {
		const sample = (colour, words) => make("span", {}, make("i", {style: `background:${colour}`}), words);
		return make("div.legend", {}, sample("var(--race)", !this.isRace ? "the requests that wait" : this.isPair ? "the two accesses" : "the three accesses"),
			this.path && this.path.length > 0 && sample("var(--apart)", "kept them apart"),
			sample("var(--sees)", "the write a read sees"), sample(lockColour(0), "bar: a lock is held"),
			this.witness && make("span", {}, "faint: not part of this schedule"),
			make("span", {}, make("kbd", {}, "↓"), " ", make("kbd", {}, "↑"), " step, ", make("kbd", {}, "w"),
				" go to the write", this.panes.length > 1 && [", ", make("kbd", {}, "o"), " other order"]));
	}

	keptApart() {
		if (!this.isPair)
			return null;
		if (!this.path) {
			const isKnown = this.goal.every((e) => this.observed.positionOf(e) >= 0);
			return make("div.apart.none", {id: "apart"}, isKnown
				? "In the observed run nothing ordered the two accesses."
				: "The observed run has more steps between the two accesses than this page shows.");
		}
		if (!this.path.length)
			return null;
		return make("div.apart", {id: "apart"}, "What kept the two accesses apart in the observed run:",
			make("ol", {}, this.path.map((pair) => make("li", {}, this.linkWords(pair)))));
	}

	linkWords([a, b]) {
		const go = (e, words) => make("button.go", {type: "button", onclick: () => this.pick(e, this.panes[this.panes.length - 1])},
			words, make("span.dim", {}, ` ${placeWords(e)}`));
		const pa = this.witness ? this.witness.positionOf(a) : -1, pb = this.witness ? this.witness.positionOf(b) : -1;
		let here = "";
		if (this.witness && pb < 0)
			here = `In the schedule the race comes before ${threadName(b)} gets there.`;
		else if (this.witness && pa < 0)
			here = `In the schedule the race comes before ${threadName(a)} gets there.`;
		else if (this.witness && pb < pa)
			here = `In the schedule ${threadName(b)} comes first.`;
		return [go(a, `${threadWords(threadName(a))}: ${eventWords(a)}`), ", and then ",
			go(b, `${threadWords(threadName(b))}: ${eventWords(b)}`), ". ", here];
	}

	pick(event, pane) {
		this.current = pane.order.positionOf(event) >= 0 ? pane : this.panes.find((p) => p.order.positionOf(event) >= 0) || pane;
		this.picked = event;
		const reads = isRead(event) && !(events.flags[event] & WAIT);
		for (const p of this.panes)
			p.pick(event, reads ? p.order.writeSeenBy(event) : -1, p === this.current);
		this.detail.replaceChildren(...this.describe(event, reads));
	}

	describe(event, reads) {
		const [file, line, , name] = data.places[events.place[event]];
		const locks = this.current.order.locksAt(event, this.current.bars);
		const code = sourceLine(file, line), at = this.witness ? this.witness.positionOf(event) : -1;
		return [
			make("p", {}, make("b", {}, `${threadWords(threadName(event))}: ${eventWords(event)}`),
				name && ` in ${name}`, file && ` at ${fileShown(file)}${line ? `:${line}` : ""}`),
			code !== null && make("p.mono", {}, code.trim()),
			make("p.dim", {}, [at >= 0 && `step ${at + 1} of the schedule`, `event ${events.number[event]} of the observed run`,
				locks.length > 0 && `holds ${locks.map((l) => data.names.lock[l]).join(", ")}`].filter(Boolean).join(", ")),
			...(reads ? this.panes.map((p) => this.seenWords(event, p)) : []),
		].filter(Boolean);
	}

	seenWords(event, pane) {
		const where = pane.order === this.observed ? "In the observed run" : "In this schedule";
		if (pane.order.positionOf(event) < 0)
			return make("p", {}, `${where} this read does not happen.`);
		const write = pane.order.writeSeenBy(event);
		if (write < 0)
			return make("p", {class: "seen"}, `${where} it sees `, pane.order.isCut
				? "a write before the steps shown here, or the initial value." : "the initial value: no write comes before it.");
		return make("p", {class: "seen"}, `${where} it sees the write of `,
			make("button.go", {type: "button", onclick: () => this.pick(write, pane)},
				`${threadWords(threadName(write))} at ${placeWords(write)}`),
			` (${pane.order === this.observed ? `event ${events.number[write]}` : `step ${pane.order.positionOf(write) + 1}`}).`);
	}

	// Whether some of the schedule is on the screen.
	get isVisible() {
		return this.panes.some((p) => {
			const box = p.scroller.getBoundingClientRect();
			return box.bottom > HEAD && box.top < innerHeight - HEAD;
		});
	}

	// A key of the page; returns whether it meant something here.  Keys that scroll do so while the
	// schedule is elsewhere on the page.
	key(name) {
		const order = this.current.order, at = order.positionOf(this.picked);
		if (name.length > 1 && !this.isVisible)
			return false;
		const to = {ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, PageDown: at + 10, PageUp: at - 10,
			Home: 0, End: order.length - 1}[name];
		if (to !== undefined) {
			this.pick(order.steps[Math.max(0, Math.min(order.length - 1, to))], this.current);
			return true;
		}
		if (name === "w" && isRead(this.picked) && order.writeSeenBy(this.picked) >= 0)
			this.pick(order.writeSeenBy(this.picked), this.current);
		else if (name === "o" && this.panes.length > 1)
			this.pick(this.picked, this.panes[this.current === this.panes[0] ? 1 : 0]);
		else
			return false;
		return true;
	}
}
