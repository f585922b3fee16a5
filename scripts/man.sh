#!/bin/sh
# Turns a man page in Markdown into roff:  man.sh VERSION PAGE.1.md >PAGE.1
# It knows what docs/man/ uses: one "# NAME(1) - summary", "## SECTION", paragraphs,
# fenced blocks, "- " items, a term on a line of its own with ": text" below it, and
# **bold**, *italic* and `code` inside a line.
set -eu
[ $# = 2 ] || { echo "usage: man.sh VERSION PAGE.1.md" >&2; exit 2; }

exec awk -v version="$1" '
function plain(s)
{
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	gsub(/\047/, "\\(aq", s)
	return s
}
# Replaces each pair of the mark by the font: span("a *b* c", "*", "I").
function span(s, mark, font,    out, i, j, n)
{
	n = length(mark)
	while ((i = index(s, mark)) && (j = index(substr(s, i + n), mark)) > 1) {
		out = out substr(s, 1, i - 1) "\\f" font substr(s, i + n, j - 1) "\\fR"
		s = substr(s, i + n + j - 1 + n)
	}
	return out s
}
function text(s)
{
	s = span(span(span(plain(s), "**", "B"), "*", "I"), "`", "B")
	if (s ~ /^\./)
		s = "\\&" s
	return s
}
# A paragraph, collected in line[1 .. n].
function paragraph(    i)
{
	if (n && !open)
		print ".PP"
	for (i = 1; i <= n; i++)
		print text(line[i])
	n = 0
}

fenced && /^```/ { print ".fi\n.RE"; fenced = 0; next }
fenced { s = plain($0); print (s ~ /^\./ ? "\\&" s : s); next }
/^```/ { paragraph(); open = 0; print ".PP\n.RS 4\n.nf"; fenced = 1; next }
/^# / {
	head = substr($0, 3)
	i = index(head, "(")
	dash = index(head, " - ")
	name = tolower(substr(head, 1, i - 1))
	printf ".TH \"%s\" \"%s\" \"\" \"snag %s\" \"User Commands\"\n", \
		plain(substr(head, 1, i - 1)), substr(head, i + 1, 1), version
	print ".nh\n.ad l\n.SH NAME"
	print plain(name) " \\- " text(substr(head, dash + 3))
	next
}
/^## / { paragraph(); open = 0; print ".SH " text(substr($0, 4)); next }
/^$/ { paragraph(); open = 0; next }
/^: / {
	print ".TP 7\n" text(line[1])
	n = 1
	line[1] = substr($0, 3)
	open = 1
	next
}
/^- / { paragraph(); print ".IP \\(bu 2"; open = 1; line[n = 1] = substr($0, 3); next }
{ sub(/^  /, ""); line[++n] = $0 }
END { paragraph() }
' "$2"
