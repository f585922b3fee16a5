#!/bin/sh
# Rejects lines of documents that are longer than 100 columns.  Tables, code blocks, headings and
# lines that are a single link or image cannot be wrapped and are exempt.
#   check-prose.sh [FILE...]       paths from the root; default: all Markdown files of the repository
set -eu
cd "$(dirname "$0")/.."
# shellcheck disable=SC2046 # no name of a document has spaces
[ $# -gt 0 ] || set -- $(git ls-files '*.md')

# Columns are characters, not bytes: without the continuation bytes of UTF-8 one byte is left of each.
LC_ALL=C awk -v most=100 '
FNR == 1 { in_code = 0 }
/^[ \t]*```/ { in_code = !in_code; next }
in_code || /^ *\|/ || /^#/ || /^ *!?\[[^]]*\]\([^)]*\)$/ { next }
{
	line = $0
	gsub(/[\200-\277]/, "", line)
	if (length(line) > most) {
		printf "%s:%d: %d columns, at most %d\n", FILENAME, FNR, length(line), most
		bad = 1
	}
}
END { exit bad }
' "$@"
