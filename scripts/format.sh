#!/bin/sh
# Formats the sources with clang-format:  format.sh [OPTION...], of clang-format; default: -i
# Programs that are inputs of tests stay as they are: the lines of their statements are answers.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || {
	echo "clang-format is missing; scripts/setup.sh installs it" >&2
	exit 1
}
[ $# -gt 0 ] || set -- -i
git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cpp' ':!tests/programs' \
	':!tests/pass' ':!docs/examples' ':!bench/programs' | while read -r file; do
	[ ! -e "$file" ] || printf '%s\n' "$file"
done | xargs clang-format "$@"
