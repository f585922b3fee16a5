#!/bin/sh
# Rejects comments that divide a file into sections, such as "/* ---- loops ---- */": a section is a
# file of its own, or its functions speak for themselves.  And file comments that begin with the name
# of another file, which a moved file can have.
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
exit $bad
