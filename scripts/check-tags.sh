#!/bin/sh
# A struct, union or enum tag means one thing in src/ and include/: one that a header defines, or that
# has the prefix of a folder (snag_, rt_, mp_, cc_, cli_), is defined once.  Tags that only one .c file
# knows may recur in another, as static functions may.
set -eu
cd "$(dirname "$0")/.."

grep -rnoE '\b(struct|union|enum) [a-z_0-9]+ \{' src include --include='*.c' --include='*.h' --include='*.hpp' |
	awk -F: '
	{
		split($3, word, " ")
		tag = word[2]
		n[tag]++
		places[tag] = places[tag] " " $1 ":" $2
		if ($1 ~ /\.(h|hpp)$/ || tag ~ /^(snag|rt|mp|cc|cli)_/)
			is_shared[tag] = 1
	}
	END {
		for (tag in is_shared)
			if (n[tag] > 1) {
				print "defined more than once: " tag " at" places[tag]
				bad = 1
			}
		exit bad
	}'
