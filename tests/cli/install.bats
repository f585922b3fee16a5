#!/usr/bin/env bats
# What is installed, and that it works from there.
load helper

setup_file() {
	local tool=${SNAG:-$BATS_TEST_DIRNAME/../../build/snag}
	export prefix=$BATS_FILE_TMPDIR/prefix
	cmake --install "$(dirname "$tool")" --prefix "$prefix" >/dev/null
}

@test "the files" {
	for f in share/man/man1/snag.1 share/man/man1/snag-{cc,run,replay,explore,record,analyze,info,convert,check,list}.1 \
		share/bash-completion/completions/snag share/zsh/site-functions/_snag \
		share/pkgconfig/snag.pc share/cmake/snag/snagConfig.cmake \
		share/cmake/snag/snagConfigVersion.cmake lib/snag/libsnag_rt.a; do
		[ -s "$prefix/$f" ] || { echo "missing: $f"; return 1; }
	done
	[ "$("$prefix/bin/snag" --version)" = "$(snag --version)" ]
	[ "$("$prefix/bin/snag-cc" --version)" = "$(snag cc --version)" ]
	[ "$("$prefix/bin/snag-c++" --version)" = "$(snag c++ --version)" ]
	[ "$("$prefix/bin/snag-fc" --version)" = "$(snag fc --version)" ]
}

@test "every man page is read without a warning" {
	for page in "$prefix"/share/man/man1/snag*.1; do
		run --separate-stderr env MANWIDTH=80 man --warnings -l "$page"
		[ "$status" = 0 ]
		[ -z "$stderr" ]
		[[ $output == *NAME*SYNOPSIS*DESCRIPTION*"SEE ALSO"* ]]
		[[ $output != *'**'* && $output != *'`'* ]]
	done
}

@test "pkg-config finds the tool" {
	export PKG_CONFIG_PATH=$prefix/share/pkgconfig
	[ "$(snag --version | cut -d" " -f2)" = "$(pkg-config --modversion snag)" ]
	[ -x "$(pkg-config --variable=snag snag)" ]
}

# A library that was built with sanitizers needs them in the program too.
task_flags() {
	if nm "$prefix/lib/libsnag_task.a" | grep -q __asan_init; then
		echo -fsanitize=address,undefined
	fi
}

@test "pkg-config finds tasks, for C and C++, as an archive and shared" {
	export PKG_CONFIG_PATH=$prefix/share/pkgconfig
	cp "$BATS_TEST_DIRNAME/../../docs/examples/pipeline.c" .
	# shellcheck disable=SC2046 # lists of options
	gcc $(task_flags) $(pkg-config --cflags snag-task) pipeline.c $(pkg-config --libs snag-task) -o shared
	[[ $(LD_LIBRARY_PATH=$prefix/lib ldd shared) == *libsnag_task.so.0* ]]
	[ "$(LD_LIBRARY_PATH=$prefix/lib ./shared)" = "sum of squares: 332833500" ]
	# shellcheck disable=SC2046
	g++ -x c++ $(task_flags) $(pkg-config --cflags snag-task) pipeline.c -x none \
		"$prefix/lib/libsnag_task.a" -pthread -o archive
	local cc # promises with the compilers' own OpenMP
	for cc in gcc clang; do
		[ -n "$(task_flags)" ] && [ $cc = clang ] && continue # the archive has gcc's sanitizers
		# shellcheck disable=SC2046
		$cc $(task_flags) -fopenmp -I"$prefix/include" "$root/tests/programs/omp_race_promise.c" \
			"$prefix/lib/libsnag_task.a" -pthread -o promise
		timeout 60 ./promise
	done
	[ "$(./archive)" = "sum of squares: 332833500" ]
}

@test "CMake finds tasks" {
	cp "$BATS_TEST_DIRNAME/../../docs/examples/pipeline.c" .
	cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(snag REQUIRED)
add_executable(pipeline pipeline.c)
target_link_libraries(pipeline snag::task)
CMAKE
	cmake -S . -B b -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$(task_flags)"
	cmake --build b
	[ "$(b/pipeline)" = "sum of squares: 332833500" ]
}

@test "CMake finds the tool" {
	cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(user NONE)
find_package(snag REQUIRED)
get_target_property(where snag::snag IMPORTED_LOCATION)
message(STATUS "snag is ${where}")
CMAKE
	run cmake -S . -B b -DCMAKE_PREFIX_PATH="$prefix"
	[ "$status" = 0 ]
	[[ $output == *"snag is $prefix/bin/snag"* ]]
}

# What bash offers for the words, the last of which is being typed.
offers() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	bash -c 'source "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _snag; echo "${COMPREPLY[*]}"' \
		bash "$prefix/share/bash-completion/completions/snag" "$@"
}

@test "bash completion" {
	[ "$(offers snag an)" = analyze ]
	[ "$(offers snag analyze --wi)" = "--with --witness" ]
	[[ " $(offers snag analyze --with '') " == *" all hb "* ]]
	[ "$(offers snag analyze --with hb,lock)" = "hb,lockset" ]
	[ "$(offers snag check --rules re)" = reads ]
	[ "$(offers snag help li)" = list ]
	[ "$(offers snag info ra)" = race.std ]
	mkdir some.folder
	[ "$(offers snag analyze --witness some)" = some.folder ]
	[ "$(offers snag nothing '')" = "" ]
}

@test "zsh completion knows every command and option" {
	script=$prefix/share/zsh/site-functions/_snag
	[ "$(head -1 "$script")" = "#compdef snag" ]
	for c in analyze info convert check list help version; do
		sed -n "/^	$c)/,/;;/p" "$script" >part
		for o in $(snag help "$c" | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*'); do
			grep -q -e "$o\[" -e "$o}'\[" part || { echo "$c $o"; return 1; }
		done
	done
	if command -v zsh >/dev/null; then zsh -n "$script"; fi
}
