// order.js - what follows from an order of events: who sees which write, who holds which lock, and what
// orders two accesses.
//
// An Order is a list of places in the table of events: the schedule of a witness, or the observed run.
// Each question costs one pass over the order, made when it is first asked; after that a read is
// answered by a binary search.
"use strict";

class Order {
	constructor(steps, isCut) {
		this.steps = steps;
		this.waiting = new Set(); // acquires that get nothing: the end of a deadlock
		this.isCut = isCut; // earlier steps are not shown
		this.positions = null;
		this.writes = null;
	}

	get length() { return this.steps.length; }

	// Where an event stands in this order; -1: it is not in it.
	positionOf(event) {
		if (!this.positions) {
			this.positions = new Int32Array(events.n).fill(-1);
			for (let i = 0; i < this.steps.length; i++)
				this.positions[this.steps[i]] = i;
		}
		return this.positions[event];
	}

	// The write that a read sees, as a place in the table; -1: none of those in this order.
	writeSeenBy(event) {
		if (!this.writes) {
			this.writes = new Map();
			for (let i = 0; i < this.steps.length; i++) {
				const e = this.steps[i];
				if (!isWrite(e) || events.flags[e] & WAIT)
					continue;
				const of = this.writes.get(events.target[e]);
				if (of)
					of.push(i);
				else
					this.writes.set(events.target[e], [i]);
			}
		}
		const at = this.positionOf(event), of = this.writes.get(events.target[event]) || [];
		let low = 0, high = of.length; // of[low - 1] < at <= of[low]
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (of[middle] < at)
				low = middle + 1;
			else
				high = middle;
		}
		return at >= 0 && low > 0 ? this.steps[of[low - 1]] : -1;
	}

	// The stretches in which threads hold locks: {thread, lock, from, to, lane, shared}.
	bars() {
		const held = new Map(), bars = [];
		this.steps.forEach((e, at) => {
			const op = opText(e), takes = op === "acq" || op === "racq";
			if (events.flags[e] & NESTED || this.waiting.has(e) || !(takes || op === "rel" || op === "rrel"))
				return;
			const thread = events.thread[e], lock = events.target[e];
			const mine = held.get(thread) || new Map();
			held.set(thread, mine);
			if (takes) {
				const lanes = [...mine.values()].map((bar) => bar.lane);
				let lane = 0;
				while (lanes.includes(lane))
					lane++;
				mine.set(lock, {thread, lock, from: at, to: this.length - 1, lane, shared: op === "racq"});
				return;
			}
			const bar = mine.get(lock) || {thread, lock, from: 0, lane: 0, shared: op === "rrel"};
			bar.to = at;
			bars.push(bar);
			mine.delete(lock);
		});
		for (const mine of held.values())
			bars.push(...mine.values());
		return bars;
	}

	// The bars that steps in [from, to) meet: each stands in all blocks of steps that it meets.
	barsIn(from, to) {
		const BLOCK = 256, block = (at) => Math.floor(at / BLOCK);
		if (!this.blocks) {
			this.blocks = Array.from({length: block(this.length) + 1}, () => []);
			for (const bar of this.bars())
				for (let b = block(bar.from); b <= block(bar.to); b++)
					this.blocks[b].push(bar);
		}
		const found = [], first = block(from);
		for (let b = first; b <= block(Math.max(from, to - 1)); b++)
			for (const bar of this.blocks[b])
				if (bar.to >= from && bar.from < to && b === Math.max(first, block(bar.from)))
					found.push(bar);
		return found;
	}

	// The locks that the thread of an event holds there.
	locksAt(event) {
		const at = this.positionOf(event), thread = events.thread[event];
		return at < 0 ? [] : this.barsIn(at, at + 1).filter((bar) => bar.thread === thread && at < bar.to).map((bar) => bar.lock);
	}

	// What orders `first` before `second`: pairs of events of different threads, each of which comes
	// before the other in every run with the same synchronisation; null: nothing does.
	//
	// Follows what happens after `first`, in order.  A thread is reached when something that
	// happened after `first` happens before its next step; the chain says how.
	pathBetween(first, second) {
		const from = this.positionOf(first), to = this.positionOf(second);
		if (from < 0 || to < 0)
			return null;
		const reached = new Map([[events.thread[first], []]]), told = new Map(), last = new Map();
		for (let at = from; at <= to; at++) {
			const e = this.steps[at], thread = events.thread[e];
			const chain = reached.get(thread) || this.chainTo(e, reached, told, last);
			last.set(thread, e);
			if (!chain)
				continue;
			reached.set(thread, chain);
			if (e === second)
				return chain;
			for (const key of keysTold(e))
				if (!told.has(key))
					told.set(key, {event: e, chain});
		}
		return null;
	}

	chainTo(e, reached, told, last) {
		if (opText(e) === "join" && reached.has(events.target[e]))
			return [...reached.get(events.target[e]), [last.get(events.target[e]) ?? e, e]];
		for (const key of keysHeard(e)) {
			const from = told.get(key);
			if (from)
				return [...from.chain, [from.event, e]];
		}
		return null;
	}
}

// Memory orders of C11, as events.flags has them.
const memoryOrder = (e) => (events.flags[e] >> 2) & 7;
const releases = (e) => events.flags[e] & WAIT || memoryOrder(e) >= 3;
const acquires = (e) => events.flags[e] & WAIT || [1, 2, 4, 5].includes(memoryOrder(e));

// What other threads learn from an event, and what its thread learns there.
function keysTold(e) {
	const target = events.target[e];
	switch (opText(e)) {
	case "rel": return [`lock ${target}`, `shared ${target}`];
	case "rrel": return [`lock ${target}`];
	case "fork": return [`thread ${target}`];
	case "aw": case "au": return releases(e) ? [`atomic ${target}`] : [];
	default: return [];
	}
}

function keysHeard(e) {
	const target = events.target[e], keys = [`thread ${events.thread[e]}`];
	switch (opText(e)) {
	case "acq": keys.push(`lock ${target}`); break;
	case "racq": keys.push(`shared ${target}`); break;
	case "ar": case "au": if (acquires(e)) keys.push(`atomic ${target}`); break;
	}
	return keys;
}

// The events that a schedule leads to: both accesses, or the requests of a deadlock.
function goalOf(incident) {
	const goal = incident.extras.goal || (incident.accesses || incident.waits).map((a) => a.event);
	return goal.map(eventOf).filter((e) => e >= 0);
}

// The two orders of an incident, or null.
function ordersOf(incident) {
	const from = incident.extras.schedule;
	if (!from)
		return null;
	if (!incident.orders) {
		const steps = [];
		for (let i = 0; i < from.steps.length; i += 2)
			for (let k = 0; k < from.steps[i + 1]; k++)
				steps.push(from.steps[i] + k);
		const observed = [];
		for (let e = from.from; e < from.to; e++)
			observed.push(e);
		incident.orders = {
			witness: steps.length ? new Order(steps, from.cut) : null,
			observed: new Order(observed, from.observed_cut),
		};
	}
	return incident.orders;
}
