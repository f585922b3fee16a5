#!/bin/sh
# Rejects comments that divide a file into sections, such as "/* ---- loops ---- */": a section is a
# file of its own, or its functions speak for themselves.  A rule tag alone ("/* [order] */") may stand
# before the functions of that rule.  Also rejects comments beyond column 100, and file comments that
# begin with the name of another file, which a moved file can have.
set -eu
cd "$(dirname "$0")/.."
bad=0

! grep -rnE '^[[:blank:]]*(/\*|//) ?([-=*#])\2{2,}' src pass include tests/unit \
	--include='*.c' --include='*.h' --include='*.cpp' --include='*.hpp' --include='*.def' || bad=1

git ls-files 'src/*.[ch]' 'src/*.def' 'pass/*.cpp' 'pass/*.h' 'tests/unit/*.[ch]' | xargs awk '
	FNR == 3 && $1 == "*" && $3 == "-" && $2 ~ /^[a-zA-Z0-9_]+\.[a-z]+$/ {
		name = FILENAME
		sub(/.*\//, "", name)
		if ($2 != name) {
			print FILENAME ": its first comment calls it " $2
			bad = 1
		}
	}
	END { exit bad }' || bad=1

# Columns are characters, not bytes, as in check-prose.sh; a tab goes to the next multiple of 8.
git ls-files 'src/*.[ch]' 'src/*.def' 'pass/*.cpp' 'pass/*.h' 'include/*' 'tests/unit/*.[ch]' \
	'tests/oracle/*.[ch]' 'tests/fuzz/*.[ch]' ':!src/runtime/channel' | LC_ALL=C xargs awk -v most=100 '
	FNR == 1 { in_comment = 0; blank = 1; title = "" }
	title != "" {
		if ($0 == "") {
			print title ": a title of a section"
			bad = 1
		}
		title = ""
	}
	blank && FNR > 3 && /^\/\*.*\*\/$/ && !/^\/\* (\[[a-z]+\]|[a-z]+) \*\/$/ { title = FILENAME ":" FNR }
	{ blank = $0 == "" }
	in_comment || /^[ \t]*\/\*/ {
		n = split($0, part, "\t")
		width = 0
		for (i = 1; i <= n; i++) {
			gsub(/[\200-\277]/, "", part[i])
			width += length(part[i])
			if (i < n)
				width += 8 - width % 8
		}
		if (width > most) {
			print FILENAME ":" FNR ": a comment of " width " columns, at most " most
			bad = 1
		}
	}
	/\/\*/ { in_comment = 1 }
	/\*\// { in_comment = 0 }
	END { exit bad }' || bad=1
exit $bad
