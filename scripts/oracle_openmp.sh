#!/bin/sh
# The long run of random OpenMP programs (tests/omp): ORACLE_PROGRAMS of them (6,000 unless set), with gcc and clang at
# -O0, -O1 and -O2, in parts, one a core.  ORACLE_SEED chooses others.  Prints the first failure if there is one, and the sums.
set -eu
cd "$(dirname "$0")/.."

programs=${ORACLE_PROGRAMS:-6000}
seed=${ORACLE_SEED:-$(date +%s)}
part=100
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo "oracle: $programs programs, seed $seed"

first=0
while [ "$first" -lt "$programs" ]; do
	cc=$([ $((first / part % 2)) = 0 ] && echo gcc || echo clang)
	echo "--cc $cc --level=-O$((first / part / 2 % 3)) --first $first --programs $part build/snag $seed"
	first=$((first + part))
done >"$dir/parts"
# shellcheck disable=SC2016 # expanded by the inner shell; 255 ends xargs
if ! xargs -P "$(nproc)" -I{} sh -c 'tests/omp/check.py {} >"$1/out.$$" 2>&1 || { echo "check.py {}"; cat "$1/out.$$"; exit 255; }' \
	sh "$dir" <"$dir/parts" 2>/dev/null; then
	exit 1
fi
cat "$dir"/out.* | awk -F'[:,] *' '{ for (i = 1; i < NF; i += 2) { if (!($i in sum)) order[++n] = $i; sum[$i] += $(i + 1) } }
	END { for (i = 1; i <= n; i++) printf "%s: %d%s", order[i], sum[order[i]], i < n ? ", " : "\n" }'
