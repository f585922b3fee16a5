#!/bin/sh
# The long run of the oracle: ORACLE_TRACES random traces (1,000,000 unless set), the numbers split over
# the cores.  ORACLE_SEED chooses others; arguments are passed on (--check hb,shb, --events 18-24, ...).
# Without arguments, ORACLE_CANDIDATES pairs of longer traces (1,000,000 unless set) are decided as well.
# Prints progress as parts finish, the first failure if there is one, and the summary last.
set -eu

oracle=${ORACLE:-$(dirname "$0")/../build/tests/oracle/oracle}
traces=${ORACLE_TRACES:-1000000}
seed=${ORACLE_SEED:-$(date +%s)}
cores=$(nproc)
part=20000
campaign=$(dirname "$oracle")/campaign/campaign
candidates=${ORACLE_CANDIDATES:-1000000}
[ $# = 0 ] || candidates=0

[ -x "$oracle" ] || { echo "oracle: $oracle is missing: run make first" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo "oracle: $traces traces, seed $seed, $cores cores"

# Core k takes the parts k, k + cores, ...; it stops at the first failure of any core.
worker() {
	first=$(($1 * part))
	shift
	while [ "$first" -lt "$traces" ] && [ ! -e "$dir/failed" ]; do
		n=$((traces - first < part ? traces - first : part))
		if "$oracle" --seed "$seed" --first "$first" --traces "$n" "$@" >"$dir/$first" 2>&1; then
			mv "$dir/$first" "$dir/ok-$first"
			echo "oracle: traces $first to $((first + n - 1)) passed"
		else
			echo "oracle: status $? from --seed $seed --first $first --traces $n $*" >>"$dir/$first"
			mv "$dir/$first" "$dir/failed"
		fi
		first=$((first + part * cores))
	done
}

# Core k takes the parts k, k + cores, ... of the candidates; a part has a seed of its own.
decider() {
	first=$(($1 * part))
	while [ "$first" -lt "$candidates" ] && [ ! -e "$dir/failed" ]; do
		n=$((candidates - first < part ? candidates - first : part))
		if "$campaign" --seed "$((seed + first))" --candidates "$n" >"$dir/c$first" 2>&1; then
			mv "$dir/c$first" "$dir/decided-$first"
			echo "oracle: candidates $first to $((first + n - 1)) passed"
		else
			echo "oracle: status $? from campaign --seed $((seed + first)) --candidates $n" >>"$dir/c$first"
			mv "$dir/c$first" "$dir/failed"
		fi
		first=$((first + part * cores))
	done
}

k=0
while [ "$k" -lt "$cores" ]; do
	(worker "$k" "$@" && decider "$k") &
	k=$((k + 1))
done
wait

if [ -e "$dir/failed" ]; then
	cat "$dir/failed"
	exit 1
fi
if [ "$candidates" -gt 0 ]; then
	cat "$dir"/decided-* | awk -F'[:, ()]+' '
		/^(m2|dep|literal): / { v[$1] += $2; ve[$1] += $4; i[$1] += $6; ie[$1] += $8; u[$1] += $10 }
		/^candidates: / { n += $2 }
		END {
			for (m in v)
				printf "%s: %d verified (%d exhaustively), %d infeasible (%d exhaustively), %d undecided\n", m, v[m], ve[m], i[m], ie[m], u[m]
			printf "candidates: %d decided in all modes\n", n
		}'
fi
# The per-check lines `name: N passed, M did not apply`, added up in their order.
cat "$dir"/ok-* | awk -F'[:, ]+' '
	/^[a-z0-9-]+: [0-9]+ passed/ {
		if (!($1 in passed)) order[++n] = $1
		passed[$1] += $2; skipped[$1] += $4; total += $2
	}
	/^programs: / { # of tasks: "programs: N, words: N, ..."
		for (k = 1; k <= split($0, part, /, /); k++) {
			split(part[k], word, ": ")
			sum[word[1]] += word[2]
			if (k > nwords) words[nwords = k] = word[1]
		}
	}
	END {
		for (k = 1; k <= nwords; k++)
			printf "%s: %d%s", words[k], sum[words[k]], k < nwords ? ", " : "\n"
		for (i = 1; i <= n; i++)
			printf "%s: %d passed, %d did not apply\n", order[i], passed[order[i]], skipped[order[i]]
		printf "%d passed, 0 failed\n", total
	}'
