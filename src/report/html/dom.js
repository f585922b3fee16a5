// dom.js - elements made by hand.  Text is always a text node: nothing in the data becomes HTML.
"use strict";

// make("a.dim", {href: "#x"}, "text", element, ...); null and false children are left out.
function make(what, attributes, ...children) {
	const [tag, ...classes] = what.split(".");
	const element = document.createElement(tag);
	if (classes.length)
		element.className = classes.join(" ");
	return fill(element, attributes, children);
}

function draw(tag, attributes, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value);
	}
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false)
			element.append(child);
	return element;
}

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function copyButton(text) {
	const button = make("button", {type: "button", title: "copy"}, "Copy");
	button.addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText(text);
		} catch { // a file:// page may not use the clipboard
			const area = make("textarea", {}, text);
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
		}
		button.textContent = "Copied";
		setTimeout(() => { button.textContent = "Copy"; }, 1200);
	});
	return button;
}
