// trace.js - reads trace events with the importer of Chrome's trace viewer:  node trace.js PACKAGE FILE...
//
// PACKAGE is the folder of the npm package `traceviewer`.  Every warning of the importer is an error here,
// but for the one about the resolution of the clock, which has steps instead of time.
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");

const [given, ...files] = process.argv.slice(2);
const folder = path.resolve(given); // the loader takes "../" apart
const vinn = path.join(folder, "third_party", "vinn");

// The package loads its HTML modules with this loader, which is made of scripts for the global object.
global.require = require;
for (const script of ["vinn/base64_compat.js", "third_party/parse5/parse5.js", "vinn/html_to_js_generator.js",
	"vinn/html_imports_loader.js", "vinn/path_utils.js"])
	(0, eval)(fs.readFileSync(path.join(vinn, script), "utf8"));
/* global HTMLImportsLoader, PathUtils, tr */
HTMLImportsLoader.setPathUtils(new PathUtils({currentWorkingDirectory: process.cwd(), exists: fs.existsSync}));
HTMLImportsLoader.addArrayToSourcePath(["tracing", "tracing/third_party/gl-matrix/dist", "tracing/third_party/jszip"]
	.map((part) => path.join(folder, part)));
HTMLImportsLoader.loadHTML("/tracing/importer/import.html");
HTMLImportsLoader.loadHTML("/tracing/extras/importer/trace_event_importer.html");

for (const file of files) {
	const text = fs.readFileSync(file, "utf8"), model = new tr.Model();
	const options = Object.assign(new tr.importer.ImportOptions(), {shiftWorldToZero: false});
	new tr.importer.Import(model, options).importTraces([text]);
	assert.deepEqual(model.importWarnings.filter((w) => w.type !== "low_resolution_timer"), []);
	// What it read is what the file has.
	const all = JSON.parse(text).traceEvents, count = (phase) => all.filter((e) => e.ph === phase).length;
	const threads = model.getAllThreads(), sum = (of) => threads.reduce((n, thread) => n + of(thread), 0);
	assert.deepEqual([threads.length, sum((t) => t.sliceGroup.length), sum((t) => t.asyncSliceGroup.length), model.flowEvents.length],
		[count("M"), count("X"), count("b"), count("s")]);
	console.log(`${file}: ${threads.map((t) => t.name).join(", ")}: ${count("X")} events`);
}
