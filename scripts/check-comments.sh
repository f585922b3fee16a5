#!/bin/sh
# Rejects comments that divide a file into sections, such as "/* ---- loops ---- */": a section is a
# file of its own, or its functions speak for themselves.
set -eu
cd "$(dirname "$0")/.."

! grep -rnE '^[[:blank:]]*(/\*|//) ?([-=*#])\2{2,}' src pass include tests/unit \
	--include='*.c' --include='*.h' --include='*.cpp' --include='*.hpp' --include='*.def'
