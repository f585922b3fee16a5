// check.js - drives the HTML report in Chromium:  node check.js SCENARIO PAGE [PICTURE.png]
//
// Each scenario looks at one page as a reader would: what it says, what keys and clicks do.  Every
// scenario fails on an error in the console and on any request to the network.
"use strict";
const assert = require("assert");
const path = require("path");
const {chromium} = require("playwright-core");

const text = (page, selector) => page.locator(selector).allInnerTexts();
const words = async (page, selector) => (await text(page, selector)).join(" ").replace(/\s+/g, " ");
const picked = (page) => words(page, ".pane:first-child .step.pick .what");

const scenarios = {
	// docs/examples/report.c: a predicted race behind a lock.
	async predicted(page) {
		assert.match(await words(page, "#top"), /1 data race in \.\/report/);
		assert.match(await words(page, "#report h2"), /Data race on bytes/);
		assert.match(await words(page, "#apart"), /thread T1: unlock lock report\.c:15, and then thread T2: lock lock report\.c:21/);
		assert.match(await words(page, "#apart"), /In the schedule the race comes before T1 gets there/);
		// The schedule: a column for each thread, both accesses at its end, a bar for each lock.
		assert.deepEqual(await text(page, ".pane:first-child .heads span"), ["main thread", "thread T1", "thread T2"]);
		const steps = (await text(page, ".pane:first-child .step .what div:first-child")).map((s) => s.replace(/\s+/g, " "));
		assert.match(steps[steps.length - 2], /write bytes report\.c:14/);
		assert.match(steps[steps.length - 1], /read bytes report\.c:24/);
		assert.equal(await page.locator(".pane:first-child .bar").count(), 2);
		assert.equal(await page.locator(".meet").count(), 1);
		assert.match(await words(page, ".pane:first-child .step .code"), /bytes \+= 512;/);
		// The read is picked: which write it sees, in both orders.
		assert.match(await picked(page), /read bytes/);
		assert.match(await words(page, "#detail"), /In this schedule it sees the write of thread T1 at report\.c:14 \(step \d+\)/);
		assert.match(await words(page, "#detail"), /In the observed run it sees the write of thread T1 at report\.c:14 \(event \d+\)/);
		await page.keyboard.press("w");
		assert.match(await picked(page), /write bytes/);
		await page.keyboard.press("ArrowUp");
		assert.match(await picked(page), /read bytes report\.c:14/);
		assert.match(await words(page, "#detail"), /the initial value: no write comes before it/);
		await page.keyboard.press("Home");
		assert.match(await picked(page), /start T1/);
		await page.keyboard.press("End");
		assert.match(await picked(page), /read bytes report\.c:24/);
		// No text runs into the bar of another thread.
		assert.ok(await page.evaluate(() => [...document.querySelectorAll(".bar")].every((bar) => {
			const b = bar.getBoundingClientRect();
			return [...bar.parentNode.querySelectorAll(".what")].every((what) => {
				const w = what.getBoundingClientRect();
				return w.bottom <= b.top || w.top >= b.bottom || w.right <= b.left + 4 || w.left >= b.left - 4;
			});
		})));
		// The observed run has the numbers of its events, the schedule those of its steps.
		const numbers = (await text(page, ".pane:nth-child(2) .step .at")).map(Number);
		assert.deepEqual(numbers, await page.evaluate(() => [...view.observed.steps].map((e) => events.number[e])));
		// For those who hear the page: a list box, whose current option is the step that is picked.
		const box = page.getByRole("listbox", {name: "The schedule that shows the race"});
		assert.equal(await box.getByRole("option", {selected: true}).count(), 1);
		assert.equal(await box.getByRole("option", {selected: true}).getAttribute("id"), await box.getAttribute("aria-activedescendant"));
		assert.match(await box.getByRole("option", {selected: true}).getAttribute("aria-label"), /^thread T2: read bytes at report\.c:24$/);
		// With one report there is nothing to choose.
		assert.ok(!await page.locator("#contents").isVisible());
		await page.locator(".pane:nth-child(2) .step", {hasText: "unlock lock"}).first().click();
		assert.match(await words(page, "#detail"), /thread T1: unlock lock in worker/);
		// Source, stacks with folded library frames, commands to copy.
		assert.deepEqual(await text(page, ".source .hit"), ["14\tbytes += 512;", "24\tprintf(\"%d bytes\\n\", bytes); /* the lock is no longer held */"]
			.map((line) => line.replace("\t", "")).map((line) => line.replace(/^(\d+)/, "$1\t")));
		// The code of a line begins at a tab stop of its own, whatever the line's number takes.
		assert.equal(await page.evaluate(() => {
			const row = document.querySelector(".source .hit"), range = document.createRange(), shown = (from, to) => {
				range.setStart(row.lastChild, from);
				range.setEnd(row.lastChild, to);
				return range.getBoundingClientRect().width;
			};
			return Math.round(shown(0, 1) / shown(1, 2)); // a tab, and a letter
		}), 4);
		// The files of the program are all in one folder, which is not said again and again.
		assert.deepEqual((await text(page, ".access .stack > li")).filter((t) => t.startsWith("worker")), ["worker report.c:14:8"]);
		assert.ok((await text(page, ".stack summary")).includes("1 library frame"));
		assert.deepEqual(await text(page, ".command code"), ["snag replay w/race-1.json ./report", "snag replay --gdb w/race-1.json ./report"]);
	},

	// Races that are both in the run: the second has its witness from another detector.
	async observed(page) {
		assert.match(await words(page, "#apart"), /nothing ordered the two accesses/);
		assert.equal(await page.locator(".pane").count(), 2);
	},

	// 150 races: contents, search, filters, keys.
	async many(page) {
		assert.equal(await page.locator("#list a").count(), 150);
		await page.keyboard.press("/");
		await page.keyboard.type("v149");
		assert.equal(await page.locator("#list a").count(), 1);
		assert.match(await words(page, "#count"), /1 of 150 reports/);
		await page.locator("#search").fill("no such thing");
		assert.match(await words(page, "#list"), /No report has all of this/);
		await page.locator("#search").fill("");
		await page.keyboard.press("Escape");
		// In a loop over an array, each step names its element.
		assert.ok(await page.evaluate(() => data.names.variable.filter((name) => /^heap\[\d+\]$/.test(name)).length) >= 20);
		// Keys that scroll belong to the schedule only while it is on the screen.
		const at = () => page.evaluate(() => view.current.order.positionOf(view.picked));
		await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
		const before = await at();
		await page.evaluate(() => { document.querySelector(".panes").style.display = "none"; });
		await page.keyboard.press("ArrowUp");
		assert.equal(await at(), before);
		await page.evaluate(() => { document.querySelector(".panes").style.display = ""; scrollTo(0, 0); });
		await page.keyboard.press("ArrowUp");
		assert.equal(await at(), before - 1);
		const begin = Date.now();
		for (let i = 0; i < 20; i++)
			await page.keyboard.press("n");
		await page.waitForFunction(() => document.querySelector("#report h2").textContent === "Data race on v20");
		console.log(`20 incidents in ${Date.now() - begin} ms`);
		assert.ok(Date.now() - begin < 10000);
		await page.locator("#filter-verdict").selectOption({index: 1});
		assert.ok(await page.locator("#list a").count() <= 150);
		await page.locator("#filter-kind").selectOption("race");
		await page.locator("#filter-file").selectOption({index: 1});
		assert.ok(await page.locator("#list a").count() > 0);
	},

	// A witness of 100,000 steps: few rows exist, and a read is answered within 100 ms.
	async long(page) {
		const n = await page.evaluate(() => view.witness.length);
		assert.equal(n, 100000);
		assert.ok(await page.locator(".step").count() < 120);
		const times = await page.evaluate(() => {
			const asked = [];
			for (let i = view.witness.length - 1; i > 0 && asked.length < 20; i -= 4999)
				for (let k = i; k > 0; k--)
					if (isRead(view.witness.steps[k])) {
						const fresh = new Order(view.witness.steps, false), begin = performance.now();
						fresh.writeSeenBy(view.witness.steps[k]);
						const first = performance.now() - begin;
						const again = performance.now();
						view.pick(view.witness.steps[k], view.panes[0]);
						asked.push({first, pick: performance.now() - again});
						break;
					}
			const median = (of) => of.sort((a, b) => a - b)[of.length >> 1]; // the machine may do other things
			return {first: median(asked.map((a) => a.first)), pick: median(asked.map((a) => a.pick)), n: asked.length};
		});
		console.log(`which write does this read see: ${times.first.toFixed(1)} ms the first time, ${times.pick.toFixed(1)} ms with its picture, of ${times.n}`);
		assert.ok(times.first < 100 && times.pick < 100);
		await page.keyboard.press("Home");
		assert.match(await words(page, ".pane:first-child .step.pick .at"), /^1$/);
		await page.evaluate(() => { view.panes[0].scroller.scrollTop = 2000000; });
		await page.waitForFunction(() => [...document.querySelectorAll(".pane:first-child .step .at")].some((e) => e.textContent === "50001"));
	},

	// A ring of three threads.
	async deadlock(page) {
		assert.match(await words(page, "#top"), /^1 deadlock in/);
		assert.match(await words(page, "#report h2"), /Deadlock on lock\[\d\], lock\[\d\], lock\[\d\]/);
		assert.deepEqual((await page.evaluate(() => data.names.lock)).sort(), ["lock[0]", "lock[1]", "lock[2]"]);
		assert.equal(await page.locator(".picture .waits[marker-end]").count(), 3);
		assert.equal(await page.locator(".picture .holds[marker-end]").count(), 3);
		assert.match(await words(page, ".facts"), /in another schedule of the same execution they wait for each other/);
		assert.match(await words(page, ".pane:first-child .step.race"), /waits for lock\[\d\]/);
		assert.ok(await page.evaluate(() => [...document.querySelectorAll(".pane:first-child .step.race b")].every((b) => b.scrollWidth <= b.clientWidth + 1)));
		assert.equal(await page.locator(".access").count(), 3);
	},

	// A race of tasks: the picture with the missing edge.
	async tasks(page) {
		assert.equal(await page.locator(".picture .none").count(), 1);
		assert.equal(await page.locator(".picture rect.race").count(), 2);
		assert.ok(await page.locator(".picture rect").count() <= 11);
		assert.doesNotMatch(await words(page, ".facts"), /\[object/);
	},

	// 1,000 iterations, one report.
	async iterations(page) {
		await scenarios.tasks(page);
		assert.match(await words(page, ".facts"), /seen \d+ times, with \d+ pairs of stacks/);
	},

	async range(page) {
		await scenarios.tasks(page);
		assert.match(await words(page, ".facts"), /a\[30\.\.59\] \(30 elements of 4 bytes\)/);
		assert.match(await words(page, "#top"), /<b onclick="x">&/);
		assert.match(await words(page, ".stack summary"), /created by task 0/);
	},

	// A mistake without a schedule: both places, and why it is one.
	async mistake(page) {
		assert.match(await words(page, "#top"), /^1 double free in/);
		assert.match(await words(page, "#report h2"), /^Double free: heap#0$/);
		assert.match(await words(page, ".facts"), /Free of heap#0 by T0\. The block had been freed already\./);
		assert.deepEqual(await text(page, ".access header"), ["Free of heap#0 by main thread", "Freed before by thread T1"]);
		assert.equal(await page.locator(".source .hit").count(), 2);
		assert.deepEqual(await text(page, ".command code"), ["snag run -- ./prog"]);
	},

	// A use after free that is a race: the free is called free.
	async freed(page) {
		assert.match(await words(page, "#top"), /^1 use after free in/);
		assert.match(await words(page, "#report h2"), /^Use after free on \*block$/);
		assert.match((await text(page, ".access header"))[0], /^Free of heap#0 by thread T1/);
		// A long name of a file leaves the operation its room.
		assert.match(await words(page, ".pane:first-child .step.race:not(.pick)"), /free \*block :12 free\(block\);$/);
		assert.ok(await page.evaluate(() => [...document.querySelectorAll(".step.race b")].every((b) => b.scrollWidth <= b.clientWidth + 1)));
	},

	async atomicity(page) {
		assert.match(await words(page, "#top"), /^1 atomicity violation in/);
		assert.equal(await page.locator(".pane:first-child .step.race").count(), 3);
		assert.equal(await page.locator(".access").count(), 3);
	},

	// A run without a report.
	async clean(page) {
		assert.match(await words(page, "#top"), /^No report on \.\/prog/);
		assert.match(await words(page, "#report"), /Nothing to report .* snag explore -- \.\/prog runs more schedules/);
		assert.ok(!await page.locator("#contents").isVisible());
	},

	async free(page) {
		assert.match(await words(page, "#report"), /race-free for this input on every schedule/);
	},

	// A trace: places are what the trace says.
	async trace(page) {
		assert.match(await words(page, "#top"), /1 data race in .*report\.std/);
		assert.match(await words(page, "#apart"), /What kept the two accesses apart/);
		assert.equal(await page.locator(".command").count(), 0);
	},
};

async function main() {
	const [scenario, file, picture] = process.argv.slice(2);
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync"],
	});
	try {
		for (const [width, colorScheme] of [[1400, "light"], [400, "dark"]]) {
			const page = await browser.newPage({viewport: {width, height: 900}, colorScheme});
			const wrong = [];
			page.on("console", (message) => message.type() === "log" || wrong.push(message.text()));
			page.on("pageerror", (error) => wrong.push(error.message));
			page.on("request", (request) => request.url().startsWith("file:") || wrong.push(request.url()));
			await page.goto(`file://${path.resolve(file)}`);
			await page.waitForFunction(() => document.querySelector("#report h2"));
			await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
			if (picture)
				await page.screenshot({path: picture.replace(".png", `-${width}.png`), fullPage: true});
			if (width === 1400)
				await scenarios[scenario](page);
			else // a narrow screen: nothing sticks out, and the numbers of steps stay where they are
				assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth <= innerWidth,
					[...document.querySelectorAll(".step")].every((step) => Math.abs(step.querySelector(".at").getBoundingClientRect().left -
						step.closest(".scroller").getBoundingClientRect().left) < 4)]), [true, true]);
			assert.deepEqual(wrong, []);
			await page.close();
		}
	} finally {
		await browser.close();
	}
}

main().catch((error) => {
	console.error(error);
	process.exit(1);
});
