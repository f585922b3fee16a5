// manual.js - drives the manual of `make docs` in Chromium:  node manual.js FOLDER
"use strict";
const assert = require("assert");
const path = require("path");
const {chromium} = require("playwright-core");

async function drive(page, folder) {
	await page.goto(`file://${path.resolve(folder)}/index.html`);
	assert.match(await page.locator("h1").innerText(), /^snag/);
	assert.ok(await page.locator("nav #contents a").count() > 60);
	await page.keyboard.press("/");
	await page.keyboard.type("replay gdb");
	const results = await page.locator("#found a").allInnerTexts();
	assert.ok(results.length > 2 && results.some((r) => r.startsWith("snag replay")), results.join("; "));
	assert.ok(await page.locator("#found mark").count() > 0);
	await page.keyboard.press("ArrowDown");
	const second = await page.locator("#found .picked a").getAttribute("href");
	await page.keyboard.press("Enter");
	await page.waitForURL((url) => url.href.endsWith(second.replace(/^[./]+/, "")));
	await page.locator("nav #contents a", {hasText: /^snag run$/}).click();
	assert.match(await page.locator("article").innerText(), /--replay-seconds/);
	await page.locator("#search").fill("zzzznothing");
	assert.match(await page.locator("#found").innerText(), /Nothing found/);
	await page.locator("#search").fill("<b>");
	assert.equal(await page.locator("#found b").count(), 0);
}

async function main() {
	const browser = await chromium.launch({executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]});
	try {
		const page = await browser.newPage({viewport: {width: 1200, height: 800}}), wrong = [];
		page.on("console", (message) => message.type() === "log" || wrong.push(message.text()));
		page.on("pageerror", (error) => wrong.push(error.message));
		page.on("request", (request) => request.url().startsWith("file:") || wrong.push(request.url()));
		await drive(page, process.argv[2]);
		await page.setViewportSize({width: 400, height: 800});
		await page.goto(`file://${path.resolve(process.argv[2])}/docs/openmp.html`);
		assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
		assert.deepEqual(wrong, []);
		if (process.argv[3])
			await page.screenshot({path: process.argv[3]});
	} finally {
		await browser.close();
	}
}

main().catch((error) => {
	console.error(error);
	process.exit(1);
});
