#!/usr/bin/env python3
"""Turns the documents and man pages into a manual of HTML pages:  manual.py FOLDER

With --commands instead of a folder it prints each command line of the manual, as PAGE TAB LINE, and
with --mentions each command of snag that a page names: tests/cli/manual.bats runs and checks them.

Idea.   The documents use little of Markdown: headings, paragraphs, lists, definition lists, tables,
        fenced blocks, links, images, and **bold**, *italic* and `code` inside a line.  Each
        document becomes one page with the contents of the manual beside it.
Search. index.js has the text of every section.  A script that needs no network and no server
        looks for the words in it, so the manual works from a folder.
Rules.  [link]   a link to another document leads to its page.  A link to a file that is not part of
                 the manual stays as text.
        [shell]  a fenced block has command lines if it is marked sh, or has a line that begins with
                 "$ " or runs one of TOOLS.  Other languages and a SYNOPSIS have none.
"""
import html
import json
import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GROUPS = [
    ("Start", ["README.md", "docs/ci.md"]),
    ("Commands", ["docs/man"]),
    ("Guides", ["docs"]),
    ("Algorithms", ["docs/algorithms"]),
    ("Measurements", ["docs/results"]),
    ("Working on snag", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/adding", "NEWS.md"]),
]

TOOLS = re.compile(r"""(\w+=("[^"]*"|\S+) )*(snag(-cc|-c\+\+|-fc)?|cmake|ctest|make|meson|\./configure|cc)\b(?!:)""")


def documents():
    """Yields (group, path), each document once."""
    seen = set()
    for group, places in GROUPS:
        for place in places:
            full = os.path.join(ROOT, place)
            paths = [place] if place.endswith(".md") else [
                f"{place}/{name}" for name in sorted(os.listdir(full)) if name.endswith(".md")]
            for path in paths:
                if path not in seen:
                    seen.add(path)
                    yield group, path


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read().splitlines()


def page_of(path):
    return "index.html" if path == "README.md" else path[:-len(".md")] + ".html"


def anchor(heading):
    """The name of a heading in a link, as code hosts make it."""
    words = re.sub(r"[`*\[\]]|\([^)]*\)", "", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", words))


class Page:
    def __init__(self, group, path, known):
        self.group, self.path, self.known = group, path, known
        self.title = path
        self.sections = []  # (anchor, heading, words)
        self.images = []
        self.out = []
        self.blocks()

    # Text inside a line.

    def link(self, words, target):
        path, _, mark = target.partition("#")
        if re.match(r"[a-z]+:", target):
            return f'<a href="{html.escape(target)}">{words}</a>'
        here = os.path.dirname(self.path)
        to = os.path.normpath(os.path.join(here, path)) if path else self.path
        if to not in self.known:
            return words  # [link]
        href = os.path.relpath(page_of(to), os.path.dirname(page_of(self.path)) or ".")
        return f'<a href="{href}{"#" + mark if mark else ""}">{words}</a>'

    def image(self, words, target):
        self.images.append(os.path.normpath(os.path.join(os.path.dirname(self.path), target)))
        return f'<img src="{html.escape(target)}" alt="{words}">'

    def inline(self, text):
        kept = []

        def keep(piece):
            kept.append(piece)
            return f"\0{len(kept) - 1}\0"

        text = re.sub(r"(`+)(.+?)\1", lambda m: keep(f"<code>{html.escape(m[2])}</code>"), text)
        text = re.sub(r"\\([\\`*_\[\]])", lambda m: keep(html.escape(m[1])), text)
        text = html.escape(text, quote=False)
        text = re.sub(r"!\[([^]]*)\]\(([^)\s]+)\)", lambda m: keep(self.image(m[1], m[2])), text)
        text = re.sub(r"\[([^]]*)\]\(([^)\s]+)\)", lambda m: self.link(m[1], m[2]), text)
        text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
        text = re.sub(r"\*(\S(?:.*?\S)?)\*", r"<i>\1</i>", text)
        for _ in range(2):  # code inside a link
            text = re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)
        return text

    # Blocks.

    def heading(self, level, text):
        if level == 1:
            self.title = text
        self.sections.append((anchor(text), text, []))
        self.out.append(f'<h{level} id="{anchor(text)}">{self.inline(text)}</h{level}>')

    def words(self, text):
        if not self.sections:
            self.sections.append(("", self.title, []))
        self.sections[-1][2].append(text)

    def table(self, lines):
        rows = [[c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
        self.out.append('<div class="table"><table>')
        for i, row in enumerate(rows):
            if all(re.fullmatch(r":?-+:?", c) for c in row):
                continue
            tag = "th" if i == 0 else "td"
            self.out.append("<tr>" + "".join(f"<{tag}>{self.inline(c)}</{tag}>" for c in row) + "</tr>")
            self.words(" ".join(row))
        self.out.append("</table></div>")

    def list(self, lines):
        """Items begin at the left; what is indented belongs to the item before."""
        ordered = bool(re.match(r"\d+\.", lines[0]))
        items = []
        for line in lines:
            m = re.match(r"(?:[-*]|\d+\.)\s+(.*)", line)
            if m:
                items.append([m[1]])
            else:
                items[-1].append(line)
        self.out.append("<ol>" if ordered else "<ul>")
        for item in items:
            indents = [len(line) - len(line.lstrip()) for line in item[1:] if line.strip()]
            cut = min(indents, default=0)
            self.out.append("<li>")
            self.blocks_of([item[0]] + [line[cut:] for line in item[1:]])
            self.out.append("</li>")
        self.out.append("</ol>" if ordered else "</ul>")

    def fenced(self, lines):
        code = "\n".join(lines)
        self.words(code)
        self.out.append(f"<pre>{html.escape(code, quote=False)}</pre>")

    def definition(self, term, lines):
        self.words(f"{term} {' '.join(lines)}")
        self.out.append(f"<dl><dt>{self.inline(term)}</dt><dd>{self.inline(' '.join(lines))}</dd></dl>")

    def paragraph(self, lines):
        text = " ".join(line.strip() for line in lines)
        self.words(text)
        self.out.append(f"<p>{self.inline(text)}</p>")

    def blocks(self):
        self.blocks_of(read(self.path))

    def blocks_of(self, lines):
        i = 0
        while i < len(lines):
            begin, line = i, lines[i]
            if not line.strip():
                i += 1
            elif line.startswith("```"):
                i += 1
                while i < len(lines) and not lines[i].startswith("```"):
                    i += 1
                self.fenced(lines[begin + 1:i])
                i += 1
            elif re.match(r"#+ ", line):
                marks, text = line.split(" ", 1)
                self.heading(len(marks), text)
                i += 1
            elif line.lstrip().startswith("|"):
                while i < len(lines) and lines[i].lstrip().startswith("|"):
                    i += 1
                self.table(lines[begin:i])
            elif re.match(r"(?:[-*]|\d+\.)\s", line):
                while i < len(lines) and (re.match(r"(?:[-*]|\d+\.)\s|\s+\S", lines[i]) or (
                        not lines[i].strip() and i + 1 < len(lines) and re.match(r"\s+\S", lines[i + 1]))):
                    i += 1
                self.list(lines[begin:i])
            elif i + 1 < len(lines) and lines[i + 1].startswith(": "):
                i += 2
                while i < len(lines) and lines[i].strip():
                    i += 1
                self.definition(line, [lines[begin + 1][2:]] + [s.strip() for s in lines[begin + 2:i]])
            else:
                while i < len(lines) and lines[i].strip() and not (
                        i > begin and re.match(r"```|#+ |\s*\||[-*]\s", lines[i])):
                    i += 1
                self.paragraph(lines[begin:i])


def navigation(pages, page):
    here = os.path.dirname(page_of(page.path)) or "."
    out, group = [], None
    for other in pages:
        if other.group != group:
            group = other.group
            out.append(f"<h2>{group}</h2>")
        href = os.path.relpath(page_of(other.path), here)
        current = ' aria-current="page"' if other is page else ""
        out.append(f'<a href="{href}"{current}>{html.escape(short(other))}</a>')
    return "\n".join(out)


def short(page):
    """SNAG-RUN(1) - summary: snag run"""
    m = re.match(r"SNAG(?:-([A-Z-]+))?\(1\)", page.title)
    if m:
        return f"snag {(m[1] or '').lower()}".strip()
    return page.title.replace("`", "")


def write(folder):
    known = {path for _, path in documents()}
    pages = [Page(group, path, known) for group, path in documents()]
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "page.html"), encoding="utf-8") as f:
        frame = f.read()
    for page in pages:
        file = os.path.join(folder, page_of(page.path))
        os.makedirs(os.path.dirname(file), exist_ok=True)
        top = os.path.relpath(".", os.path.dirname(page_of(page.path)) or ".")
        parts = {"TITLE": html.escape(short(page)), "TOP": top, "NAVIGATION": navigation(pages, page),
                 "TEXT": "\n".join(page.out)}
        with open(file, "w", encoding="utf-8") as f:
            f.write(re.sub(r"@@([A-Z]+)@@", lambda m: parts[m[1]], frame))
        for image in page.images:
            to = os.path.join(folder, image)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, image), to)
    index = [[page_of(p.path) + (f"#{mark}" if mark else ""), short(p), heading, " ".join(" ".join(words).split())]
             for p in pages for mark, heading, words in p.sections]
    with open(os.path.join(folder, "index.js"), "w", encoding="utf-8") as f:
        f.write("const manual = " + json.dumps(index, ensure_ascii=False, separators=(",\n", ":")) + ";\n")
    for name in ("style.css", "search.js"):
        shutil.copyfile(os.path.join(here, name), os.path.join(folder, name))


def fences(path):
    """Yields (section, language, lines) of each fenced block."""
    section, language, block = "", None, []
    for line in read(path):
        if line.lstrip().startswith("```"):
            if language is None:
                language, block = line.strip()[3:], []
            else:
                yield section, language, block
                language = None
        elif language is not None:
            block.append(line)
        elif line.startswith("#"):
            section = line.lstrip("# ")


def commands(path):
    for section, language, block in fences(path):
        if section == "SYNOPSIS" or language not in ("", "sh"):
            continue
        shown = any(line.startswith("$ ") for line in block)
        if not (shown or language == "sh" or any(TOOLS.match(line) for line in block)):
            continue  # [shell]
        joined = re.sub(r"\\\n\s*", "", "\n".join(block)).split("\n")
        for line in joined:
            if shown and not line.startswith("$ "):
                continue
            line = re.sub(r"\s+# .*", "", line[2:] if shown else line).strip()
            if line and not line.startswith("#"):
                yield line


def mentions(path):
    """Commands of snag with their options, also of synopses and inside lines."""
    lines = [line for _, _, block in fences(path) for line in "\n".join(block).replace("\n   ", " ").split("\n")]
    lines += re.findall(r"`(snag [^`]*)`", "\n".join(read(path)))
    for line in lines:
        m = re.match(r"(?:\$ )?(?:\w+=\S+ )*(snag [a-z][a-z+-]*(?: .*)?)$", line.strip())
        if m:
            yield " ".join(m[1].split())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    listed = {"--commands": commands, "--mentions": mentions}.get(sys.argv[1])
    if not listed:
        write(sys.argv[1])
        return
    for _, path in documents():
        for line in listed(path):
            print(f"{path}\t{line}")


main()
