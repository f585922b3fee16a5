// search.js - looks for words in the manual: index.js has [page, title, heading, text] of each section.
//
// All words must occur in a section or in its headings.  Sections that have the words in a heading
// come first, then those that have them most often.  "/" goes to the field, arrows and Enter open a result.
"use strict";

const field = document.getElementById("search"), found = document.getElementById("found");
const page = document.getElementById("text"), folder = document.body.dataset.top;
const MOST = 40, AROUND = 90;
const lower = manual.map(([, title, heading, text]) => [`${title} ${heading}`.toLowerCase(), text.toLowerCase()]);

function count(text, word) {
	let n = 0;
	for (let at = text.indexOf(word); at >= 0 && n < 10; at = text.indexOf(word, at + word.length))
		n++;
	return n;
}

// How well a section fits; 0: a word is missing.
function score([head, text], words) {
	let sum = 0;
	for (const word of words) {
		const here = 20 * count(head, word) + count(text, word);
		if (!here)
			return 0;
		sum += here;
	}
	return sum;
}

// The text around the first word, with all words marked.
function excerpt(section, words) {
	const text = manual[section][3], at = Math.max(0, lower[section][1].indexOf(words[0]));
	const from = Math.max(0, at - AROUND), piece = text.slice(from, at + 2 * AROUND);
	const line = document.createElement("p");
	const pattern = new RegExp(`(${words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "i");
	line.append(from ? "… " : "", ...piece.split(pattern).map((part, i) => {
		if (i % 2 === 0)
			return part;
		const mark = document.createElement("mark");
		mark.textContent = part;
		return mark;
	}));
	return line;
}

function item(section, words) {
	const [to, title, heading] = manual[section];
	const li = document.createElement("li"), link = document.createElement("a");
	link.href = `${folder}/${to}`;
	link.textContent = heading === title ? title : `${title}: ${heading.replace(/[`*]/g, "")}`;
	link.addEventListener("click", () => { field.value = ""; search(); });
	li.append(link, excerpt(section, words));
	return li;
}

function search() {
	const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
	const best = words.length ? lower.map((s, i) => [score(s, words), i]).filter(([n]) => n > 0) : [];
	best.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
	found.hidden = !words.length;
	page.hidden = words.length > 0;
	found.replaceChildren(...best.slice(0, MOST).map(([, i]) => item(i, words)));
	if (words.length && !best.length)
		found.append("Nothing found.");
	pick(0);
}

let picked = 0;
function pick(n) {
	const items = found.querySelectorAll("li");
	picked = Math.max(0, Math.min(items.length - 1, n));
	items.forEach((li, i) => li.classList.toggle("picked", i === picked));
}

field.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
	if (event.target !== field) {
		if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey) {
			field.focus();
			event.preventDefault();
		}
		return;
	}
	if (event.key === "ArrowDown" || event.key === "ArrowUp") {
		pick(picked + (event.key === "ArrowDown" ? 1 : -1));
		event.preventDefault();
	} else if (event.key === "Enter") {
		const link = found.querySelector(".picked a");
		if (link)
			link.click();
	} else if (event.key === "Escape") {
		field.value = "";
		search();
		field.blur();
	}
});
