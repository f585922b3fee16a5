#!/usr/bin/env bats
# The recipes of docs/ci.md: each is run as it stands there.
load helper

recipe() { # HEADING: its shell commands, with the files of the source tree
	awk -v heading="## $1" '$0 == heading { on = 1; next } /^## / { on = 0 }
		on && /^```sh$/ { in_block = 1; next } /^```$/ { in_block = 0 } in_block' "$root/docs/ci.md" |
		sed "s|/usr/share/snag|$root/cmake/share|" >recipe.sh
	[ -s recipe.sh ]
	PATH=$(dirname "$SNAG"):$PATH sh -e recipe.sh >out 2>&1
}

project() {
	cp "$root/docs/examples/report.c" .
}

@test "a single program" {
	project
	status=0
	recipe "A single program" || status=$?
	[ "$status" = 66 ]
	jq -e '.incidents | length == 1' report.json
	[ -s report.html ]
	# the annotated line of the red job
	PATH=$(dirname "$SNAG"):$PATH recipe "GitHub Actions"
	grep -q '^::error file=report.c,line=24,' out
	recipe "CodeChecker"
	grep -q '<string>snag.race.predicted</string>' reports.plist
}

@test "CMake and CTest: a red test, in both ways" {
	project
	cat >CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.22)
		project(bank C)
		enable_testing()
		find_package(Threads REQUIRED)
		add_executable(report report.c)
		target_link_libraries(report Threads::Threads)
		add_test(NAME alone COMMAND report)
		include($root/cmake/share/snag.cmake)
		snag_test(reported COMMAND report)
	END
	status=0
	recipe "CMake and CTest" || status=$?
	cat out
	[ "$status" = 8 ]
	grep -qE 'reported .*Failed|alone .*Failed' out
	jq -e '.incidents[0].verdict == "predicted"' build/snag-reports/reported.json
	[ -s build/snag-reports/reported.html ]
}

@test "GoogleTest: the test with the race fails, the others pass" {
	[ -e /usr/include/gtest/gtest.h ] || skip "no libgtest-dev"
	cat >CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.22)
		project(bank CXX)
		enable_testing()
		find_package(GTest REQUIRED)
		include(GoogleTest)
		add_executable(unit unit.cc)
		target_link_libraries(unit GTest::gtest_main)
		gtest_discover_tests(unit)
	END
	cat >unit.cc <<-'END'
		#include <gtest/gtest.h>
		#include <thread>
		static int shared;
		static void both(int a, int b)
		{
			int value[2] = {};
			std::thread one([&] { (a ? value[0] : shared)++; }), two([&] { (b ? value[1] : shared)++; });
			one.join();
			two.join();
			EXPECT_EQ(shared + value[0] + value[1], 2);
		}
		TEST(threads, apart) { both(1, 1); }
		TEST(threads, race) { both(0, 0); }
		TEST(threads, one_each) { both(0, 1); }
	END
	status=0
	recipe "CMake and CTest" || status=$?
	cat out
	[ "$status" = 8 ]
	grep -q 'threads.apart .* Passed' out
	grep -q 'threads.one_each .* Passed' out
	grep -q 'threads.race .*\*\*\*Failed' out
	grep -q 'SUMMARY: snag: data race .*unit.cc:7' out
}

@test "Meson: a red test" {
	command -v meson >/dev/null || skip "no meson"
	project
	cat >meson.build <<-'END'
		project('bank', 'c')
		report = executable('report', 'report.c', dependencies: dependency('threads'))
		test('report', report)
	END
	status=0
	recipe Meson || status=$?
	cat out
	[ "$status" != 0 ]
	grep -qE 'report +FAIL|exit status 66' out
}

@test "Autotools: a red test" {
	command -v automake >/dev/null || skip "no automake"
	project
	printf '%s\n' 'AC_INIT([bank], [1])' 'AM_INIT_AUTOMAKE([foreign])' 'AC_PROG_CC' \
		'AC_CONFIG_FILES([Makefile])' 'AC_OUTPUT' >configure.ac
	printf '%s\n' 'check_PROGRAMS = report' 'report_SOURCES = report.c' 'report_LDADD = -lpthread' \
		'TESTS = report' >Makefile.am
	autoreconf -i >/dev/null 2>&1
	status=0
	recipe Autotools || status=$?
	[ "$status" != 0 ]
	grep -q '^FAIL: report' out
}

@test "GitLab CI: the job as it stands" {
	python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml"
	project
	awk '$0 == "## GitLab CI" { on = 1 } on && /^```yaml$/ { in_block = 1; next } /^```$/ { in_block = 0 } /^## / && $0 != "## GitLab CI" { on = 0 }
		on && in_block' "$root/docs/ci.md" >.gitlab-ci.yml
	python3 - <<-'END'
		import yaml
		job = yaml.safe_load(open(".gitlab-ci.yml"))["race"]
		assert job["artifacts"]["when"] == "always"
		for part in "script", "after_script":
		    open(part + ".sh", "w").write("\n".join(job[part]) + "\n")
		open("reports", "w").write("\n".join(sorted(job["artifacts"]["reports"].values())) + "\n")
	END
	export PATH=$(dirname "$SNAG"):$PATH
	status=0
	sh -e script.sh >out 2>&1 || status=$?
	[ "$status" = 66 ]
	sh -e after_script.sh
	while read -r file; do
		[ -s "$file" ]
	done <reports
	grep -qx junit.xml reports
	jq -e '.[0].location == {path: "report.c", lines: {begin: 24}}' gl-code-quality-report.json
}

@test "the GitHub action does what its steps say" {
	project
	"$SNAG" cc -g -o report "$PWD/report.c"
	# the last step, as a runner would run it
	awk '/^      run: \|/ { on = 1; next } on { sub(/^        /, ""); print }' "$root/action.yml" >step.sh
	grep -q 'snag run' step.sh
	status=0
	PATH=$(dirname "$SNAG"):$PATH SNAG_RUN=./report SNAG_BASELINE= bash -e step.sh >out 2>err || status=$?
	[ "$status" = 66 ]
	grep -q '^::error file=report.c,line=24,' out
	[ -s snag-report.sarif ]
	# with that as the baseline, the job is green
	cp snag-report.json old.json
	PATH=$(dirname "$SNAG"):$PATH SNAG_RUN=./report SNAG_BASELINE=old.json bash -e step.sh >out 2>err
	refute grep -q '^::error' out
}

@test "the Dockerfile: every library of snag, every compiler it drives, and no folder of an old build" {
	[ "$(dirname "$SNAG")" = "$root/build" ] || skip "only of the release build"
	command -v dpkg >/dev/null || skip "no dpkg"
	sed -n '/^FROM debian:12$/,$p' "$root/Dockerfile" | tr -s ' \\\t' '\n' >words
	for library in $(readelf -d "$SNAG" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
		package=$(dpkg -S "*/$library" | head -1 | cut -d: -f1)
		[ "$package" = libc6 ] || grep -qx "$package" words || { echo "$library: $package"; false; }
	done
	for package in gcc g++ gfortran clang gdb; do
		grep -qx "$package" words
	done
	# CMake refuses a folder that was configured elsewhere
	grep -qx build "$root/.dockerignore"
}
