#!/usr/bin/env bats
# The Debian package of `make deb`: what is in it, what lintian says, and that it works unpacked.
load helper

@test "the Debian package" {
	command -v cpack >/dev/null || skip "no cpack"
	command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-shlibdeps (dpkg-dev)"
	[ "$(dirname "$SNAG")" = "$root/build" ] || skip "only of the release build"
	cpack --config "$root/build/CPackConfig.cmake" -G DEB -B "$PWD/out" >log 2>&1 || { cat log; false; }
	deb=$(echo out/snag_*.deb)
	dpkg-deb -c "$deb" >list
	for file in bin/snag bin/snag-cc bin/snag-c++ share/snag/toolchain.cmake share/man/man1/snag-run.1.gz \
		lib/snag/tool.o share/doc/snag/copyright; do
		grep -qE " \./usr/$file( |$)" list
	done
	dpkg-deb -f "$deb" Depends | grep -q libjansson4
	# the runtime starts the tool where the package puts it
	dpkg-deb -x "$deb" tree
	grep -qa /usr/bin/snag tree/usr/lib/snag/tool.o
	if command -v lintian >/dev/null; then
		run timeout 120 lintian --fail-on error,warning "$deb"
		echo "$output"
		[ "$status" = 0 ]
	fi
	# unpacked elsewhere, it builds a program and finds its race
	cp "$root/docs/examples/report.c" .
	tree/usr/bin/snag cc -g -o report "$PWD/report.c"
	run tree/usr/bin/snag run ./report
	[ "$status" = 66 ]
}
