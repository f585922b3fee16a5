# The manual of `make docs`: its links and its search; every command line in it runs.

load helper

manual=scripts/manual/manual.py

@test "the manual: every link of a page leads somewhere" {
	"$root/$manual" out
	python3 - <<-'END'
		import os, re, sys
		ids, links = {}, []
		for folder, _, names in os.walk("out"):
		    for name in names:
		        if not name.endswith(".html"):
		            continue
		        path = os.path.normpath(os.path.join(folder, name))
		        text = open(path, encoding="utf-8").read()
		        ids[path] = set(re.findall(r'id="([^"]*)"', text))
		        links += [(path, to) for to in re.findall(r'(?:href|src)="([^"]*)"', text)]
		bad = []
		for path, to in links:
		    if re.match("[a-z]+:", to):
		        continue
		    file, _, mark = to.partition("#")
		    file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
		    if not os.path.exists(file) or (mark and mark not in ids.get(file, ())):
		        bad.append(f"{path}: {to}")
		assert len(ids) > 60 and len(links) > 3000, (len(ids), len(links))
		sys.exit("\n".join(bad) or 0)
	END
}

@test "the manual: the search finds sections, without network" {
	[ -d "$root/build/browser/node_modules/playwright-core" ] || skip "no playwright-core: scripts/setup-browser.sh"
	command -v "${CHROMIUM:-chromium}" >/dev/null || skip "no chromium: scripts/setup-browser.sh"
	"$root/$manual" out
	NODE_PATH=$root/build/browser/node_modules timeout 120 node "$root/tests/page/manual.js" out
}

@test "the manual names no option that its command does not have" {
	"$root/$manual" --mentions >mentions
	[ "$(wc -l <mentions)" -gt 300 ]
	while IFS=$'\t' read -r page line; do
		case $page in docs/results/* | docs/adding/*) continue ;; esac # programs of others, a command to be added
		read -r _ sub rest <<<"$line"
		case $sub in cc | c++ | fc | COMMAND) continue ;; esac
		[ -e "help-$sub" ] || "$SNAG" help "$sub" >"help-$sub" 2>&1 || { echo "$page: $line"; return 1; }
		# the options of the program that snag runs are its own
		rest=$(sed -E 's| (-- )?\./.*||' <<<" $rest")
		for option in $(grep -oE -e ' \[?--[a-z][a-z-]+' <<<"$rest" | tr -d ' ['); do
			grep -qE -e "$option( |=|$|,)" "help-$sub" || { echo "$page: $line: $option"; return 1; }
		done
	done <mentions
}

# What the commands of the manual work on.
things() {
	local examples=$root/docs/examples
	mkdir -p docs && cp -r "$examples" docs/
	cp "$examples/report.c" "$examples/bank.c" .
	cp "$examples/bank.std" run.std && zstd -q run.std
	"$SNAG" convert run.std run.snag
	"$SNAG" convert run.std run.csv && gzip run.csv
	cp "$root/tests/tasks/commuting_not.task" prog.task
	cp "$root/tests/programs/task_norace_fib.c" fib.c
	echo 'int a(void) { return 1; }' >a.c
	echo 3 >accounts.txt
	cat >prog.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		static void *work(void *u) { return u; }
		int main(void)
		{
			pthread_t t;
			pthread_create(&t, NULL, work, NULL);
			pthread_join(t, NULL);
			return puts("done") < 0;
		}
	END
	printf '%s\n' 'program p' 'integer :: i, n = 0' '!$omp parallel do reduction(+:n)' 'do i = 1, 100' \
		'n = n + i' 'end do' 'print *, n' 'end program' | tee prog.f90 >solver.f90
	cat >lost.c <<-'END'
		#include <assert.h>
		#include <pthread.h>
		static int x;
		static void *f(void *u) { int y = __atomic_load_n(&x, 5); __atomic_store_n(&x, y + 1, 5); return u; }
		int main(void)
		{
			pthread_t a, b;
			pthread_create(&a, 0, f, 0);
			pthread_create(&b, 0, f, 0);
			pthread_join(a, 0);
			pthread_join(b, 0);
			assert(x == 2);
		}
	END
	cat >CMakeLists.txt <<-'END'
		cmake_minimum_required(VERSION 3.22)
		project(prog C)
		enable_testing()
		find_package(Threads REQUIRED)
		add_executable(prog prog.c)
		target_link_libraries(prog Threads::Threads)
		add_test(NAME prog COMMAND prog)
	END
	printf '%s\n' "project('prog', 'c')" "prog = executable('prog', 'prog.c', dependencies: dependency('threads'))" \
		"test('prog', prog)" >meson.build
	# as autoconf's: make and make check with the compiler that configure was given
	cat >configure <<-'END'
		#!/bin/sh
		for word; do case $word in CC=*) CC=${word#CC=} ;; esac; done
		printf 'all: prog\nprog: prog.c\n\t%s -g -pthread -o prog prog.c\ncheck: prog\n\t./prog\n' "${CC:-cc}" >Makefile
	END
	chmod +x configure
}

# The schedule that the man page of snag explore names, and the programs of pages that do not say how they
# were built.
ready_for() { # PAGE
	case $1 in
	*snag-replay*) "$SNAG" cc -g -pthread report.c -o report ;;
	*snag-explore*)
		"$SNAG" cc -g -pthread lost.c -o bank
		"$SNAG" explore -o snag-assertion-bb0e1dc3.json ./bank >/dev/null 2>&1 || true
		;;
	*snag-merge*)
		"$SNAG" cc -g -pthread lost.c -o bank
		"$SNAG" convert run.std bank.snag
		;;
	*many-machines*) "$SNAG" cc -g -pthread lost.c -o bank ;;
	*snag-convert* | *snag-analyze*) [ -e run.std ] || zstd -qd run.std.zst ;;
	docs/tasks.md) "$SNAG" cc -g -fsnag-task -o bank "$root/tests/programs/task_norace_fib.c" ;;
	esac
}

# Command lines that this test does not run, each with the reason.
left_out() { # PAGE LINE
	case $1 in
	CONTRIBUTING.md | docs/results/*) return 0 ;; # the suite, and measurements: make bench runs them
	esac
	case $2 in
	"make demo" | "make test") return 0 ;;				    # the suite itself
	snag\ *" [--"* | "snag merge DIR "* | "snag analyze --shard I/N"*) return 0 ;; # synopses
	*meson*) command -v meson >/dev/null && return 1 || return 0 ;;
	*"snag fc"*) command -v gfortran >/dev/null && return 1 || return 0 ;;
	*zcat*) return 1 ;;
	parallel*) command -v parallel >/dev/null && return 1 || return 0 ;;
	*gdb*) command -v gdb >/dev/null && return 1 || return 0 ;;
	*SNAG_CC=clang*) command -v clang >/dev/null && return 1 || return 0 ;;
	*--dot*) command -v dot >/dev/null && return 1 || return 0 ;;
	esac
	return 1
}

@test "every command line of the manual runs" {
	"$root/$manual" --commands >commands
	cmake --install "$(dirname "$SNAG")" --prefix "$PWD/installed" >install.log 2>&1 || { cat install.log; return 1; }
	export PATH=$PWD/installed/bin:$PATH PKG_CONFIG_PATH=$PWD/installed/lib/pkgconfig:$PWD/installed/share/pkgconfig
	export PARALLEL="--joblog $PWD/jobs"
	export LD_LIBRARY_PATH=$PWD/installed/lib
	mkdir things && (cd things && things)
	local here=$PWD run=0
	cut -f1 commands | uniq >pages
	while read -r page; do
		rm -rf "$here/try" && cp -r things "$here/try" && cd "$here/try"
		ready_for "$page" >/dev/null 2>&1
		while IFS=$'\t' read -r _ line; do
			left_out "$page" "$line" && continue
			# CMake, Meson and Autotools begin with a tree of their own
			case $line in *configure* | *"cmake -"*B* | *"meson setup"*) rm -rf build prog ;; esac
			line=${line//\/usr\/share\/snag/$here/installed/share/snag}
			status=0
			timeout 120 bash -o pipefail -c "$line" </dev/null >"$here/out" 2>&1 || status=$?
			# parallel ends with the number of jobs that did not end with 0
			case $line in parallel*) awk 'NR > 1 && $7 != 0 && $7 != 66 { bad = 1 } END { exit bad }' "$here/jobs" && status=0 ;; esac
			case $status in
			0 | 66) run=$((run + 1)) ;;
			*) echo "$page: $line: status $status"; tail -20 "$here/out"; return 1 ;;
			esac
		done < <(grep -F "$page"$'\t' "$here/commands")
		cd "$here"
	done <pages
	echo "$run commands"
	[ "$run" -gt 60 ]
}
