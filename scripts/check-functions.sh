#!/bin/sh
# Rejects functions of more than 60 lines in src/ and pass/, from the line of the opening brace to that
# of the closing one.  A longer one has parts that deserve a name.
set -eu
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard 'src/*.c' 'src/*.h' 'pass/*.cpp' 'pass/*.h' |
	while read -r file; do
		[ ! -e "$file" ] || printf '%s\n' "$file"
	done | xargs awk -v most=60 '
FNR == 1 { begin = 0 }
/^[A-Za-z_].*\(/ { head = $0 }
/^\{$/ || (/^[A-Za-z_].*\) *(const )?\{$/ && !/^(struct|enum|union|class|namespace|extern)/) { begin = FNR }
/^\}/ {
	if (begin && FNR - begin + 1 > most) {
		printf "%s:%d: a function of %d lines, at most %d: %s\n", FILENAME, begin, FNR - begin + 1, most, head
		bad = 1
	}
	begin = 0
}
END { exit bad }'
