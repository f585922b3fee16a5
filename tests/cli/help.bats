#!/usr/bin/env bats
# Help, version, usage errors, and that the man pages say the same.
load helper

commands='run replay verify-fix explore merge record analyze diff export info convert check task list doctor'

@test "snag help lists the commands" {
	snags help
	[ "$status" = 0 ]
	matches help
	all=$output
	snags --help
	[ "$output" = "$all" ]
	snags -h
	[ "$output" = "$all" ]
}

@test "help of each command" {
	for c in $commands; do
		snags help "$c"
		[ "$status" = 0 ]
		matches "help-$c"
		from_help=$output
		snags "$c" --help
		[ "$status" = 0 ]
		[ "$output" = "$from_help" ]
		[ -z "$(awk 'length > 80' <<<"$output")" ]
	done
}

@test "the synopsis of a man page is that of the help" {
	for c in $commands; do
		snag help "$c" | sed -n '1,/^$/{/^$/d; s/^Usage: //; s/^       //; p}' >help
		sed -n '/^## SYNOPSIS/,/^## DESC/p' "$root/docs/man/snag-$c.1.md" |
			sed -n '/^```/,/^```/{/^```/d; p}' >page
		diff help page
	done
}

@test "a man page describes exactly the options of the help" {
	for c in $commands; do
		snag help "$c" | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*' | sort >help
		[ -s help ]
		sed -n '/^## OPTIONS/,/^## [^O]/p' "$root/docs/man/snag-$c.1.md" |
			grep '^\*\*-' | grep -oE -- '\*\*--[a-z-]+' | tr -d '*' | sort >page
		diff help page
	done
}

@test "version" {
	snags --version
	[ "$status" = 0 ]
	[[ $output =~ ^snag\ [0-9]+\.[0-9]+\.[0-9]+\ \(commit\ ([0-9a-f]{12,}|unknown)\)$ ]]
	version=$output
	snags version
	[ "$output" = "$version" ]
}

@test "the commit is that of the source, and of no checkout around it" {
	commit() { # SOURCE
		cmake -DSOURCE="$1" -DHEADER="$PWD/commit.h" -P "$root/cmake/commit.cmake"
		cut -d'"' -f2 commit.h
	}
	git init -q outer
	mkdir outer/inner
	[ "$(commit "$PWD/outer")" = unknown ] # nothing is committed
	git -C outer -c user.name=x -c user.email=x@example.com commit -q --allow-empty -m x
	[ "$(commit "$PWD/outer")" = "$(git -C outer rev-parse --short=12 HEAD)" ]
	[ "$(commit "$PWD/outer/inner")" = unknown ]
}

@test "no command" {
	snags
	refused 2 "snag: expected a command; see 'snag help'"
}

@test "an unknown command, near and far" {
	snags analyse x
	refused 2 "snag: unknown command 'analyse' (did you mean 'analyze'[?]); see 'snag help'"
	snags frobnicate
	refused 2 "snag: unknown command 'frobnicate'; see 'snag help'"
	snags help chek
	refused 2 "snag: help: unknown command 'chek' (did you mean 'check'[?])*"
}

@test "an unknown option, near and far" {
	snags analyze --wiht hb race.std
	refused 2 "snag: analyze: unknown option '--wiht' (did you mean '--with'[?]); see 'snag help analyze'"
	snags info --zzzzzz race.std
	refused 2 "snag: info: unknown option '--zzzzzz'; see 'snag help info'"
	snags list -q
	refused 2 "snag: list: unknown option '-q'*"
}

@test "wrong values and arguments" {
	snags analyze race.std --jobs 0
	refused 2 "snag: analyze: --jobs '0': expected a number from 1 to 4096"
	snags analyze race.std --jobs=-1
	refused 2 "*expected a number*"
	snags analyze race.std --limit 99999999999999999999
	refused 2 "*expected a number*"
	snags analyze race.std --limit
	refused 2 "snag: analyze: --limit needs a value: N"
	snags analyze race.std --json=
	refused 2 "snag: analyze: --json needs a value: FILE|-"
	snags analyze race.std --pairs=yes
	refused 2 "snag: analyze: --pairs takes no value"
	snags check --rules maybe race.std w
	refused 2 "snag: check: --rules 'maybe': expected one of auto|reads|dependence|literal"
	snags analyze
	refused 2 "snag: analyze: expected TRACE; see 'snag help analyze'"
	snags check race.std
	refused 2 "snag: check: expected TRACE WITNESS*"
	snags info race.std clean.std
	refused 2 "snag: info: unexpected argument 'clean.std'*"
}

@test "an argument with control characters keeps the message one line" {
	snags $'a\nb\033[31m'
	refused 2 "snag: unknown command 'a[?]b[?][[]31m'*"
}

@test "options stand before or after the trace, -- ends them" {
	snags analyze race.std --with=hb
	[ "$status" = 66 ]
	snags analyze --with hb -j2 -- race.std
	[ "$status" = 66 ]
	cp race.std ./--pairs
	snags analyze -- --pairs
	[ "$status" = 66 ]
}

@test "every obstacle to a verdict is documented" {
	local kind n=0
	for kind in $(sed -nE 's/^OBSTACLE\([A-Z_]+, "([a-z-]+)",.*/\1/p' "$root/src/trace/obstacles.def"); do
		grep -q "^|.*\`$kind\`" "$root/docs/tasks.md" || { echo "$kind"; return 1; }
		n=$((n + 1))
	done
	[ $n -ge 11 ]
}
