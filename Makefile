# A thin front for CMake and Ninja: everything is built into build/, the tool is build/snag.
# SANITIZE builds (ASan + UBSan) live in build-asan/, fuzzers in build-fuzz/.
PREFIX ?= /usr/local
BUILD := build
TYPE ?= Release

.PHONY: all deb docs setup demo test seeds fuzz oracle oracle-dependence oracle-free oracle-openmp oracle-slice oracle-threads bench install clean format update-expected

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja: | setup
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(TYPE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null

build-asan/build.ninja: | setup
	@cmake -S . -B build-asan -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSNAG_SANITIZE=ON \
		-DSNAG_PASS_FROM=$(CURDIR)/$(BUILD) >/dev/null

build-fuzz/build.ninja: | setup
	@CC=clang CXX=clang++ cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=Release \
		-DSNAG_FUZZ=ON >/dev/null

setup:
	@scripts/setup.sh

demo: all
	@scripts/demo.sh

# The whole suite: the release build, then the same tests under ASan and UBSan.
test: all build-asan/build.ninja
	@scripts/setup-browser.sh
	@ninja -C build-asan
	@scripts/test.sh

# Every seeded race at a hundred seeds.
seeds: all
	@SNAG_SEEDS=100 bats tests/cli/live.bats -f "at any seed"

fuzz: build-fuzz/build.ninja
	@ninja -C build-fuzz fuzzers
	@scripts/fuzz.sh

oracle: all
	@scripts/oracle.sh
	@scripts/oracle.sh --check deadlock --nested 100 --mutants 0 --locks 2-4 --events 8-24 --shared 30 --reentrant 30
	@ORACLE=build/tests/oracle/task_oracle ORACLE_CANDIDATES=0 scripts/oracle.sh
	@ORACLE=build/tests/graphs/oracle-graphs ORACLE_CANDIDATES=0 scripts/oracle.sh
	@ORACLE=build/tests/oracle/explore_oracle ORACLE_CANDIDATES=0 ORACLE_TRACES=100000 scripts/oracle.sh

# Causality against exhaustive search, on traces whose branches mostly name what they depend on.
oracle-dependence: all
	@scripts/oracle.sh --check decide-dep,decide-literal,closure,witness,suspects --branches 100 --depends 60

oracle-threads: all
	@tests/threads/check.py --programs $${ORACLE_PROGRAMS:-500} $(BUILD)/snag $${ORACLE_SEED:-20261118}

# Parallel runs of such programs: witnesses, and merged traces beside runs that follow their schedule.
oracle-free: all
	@tests/threads/check.py --free --programs $${ORACLE_PROGRAMS:-500} $(BUILD)/snag $${ORACLE_SEED:-20261119}

oracle-slice: all
	@tests/threads/slice_many.py --programs $${ORACLE_PROGRAMS:-100000} $(BUILD)/snag $${ORACLE_SEED:-20261118}

oracle-openmp: all
	@scripts/oracle_openmp.sh

bench: all
	@bench/run.sh

# The Debian package, build/snag_*.deb.
deb: all
	@cd $(BUILD) && cpack -G DEB >cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@ls $(BUILD)/*.deb

# The manual: the documents and man pages as HTML that can be searched, build/manual/index.html.
docs:
	@rm -rf $(BUILD)/manual
	@mkdir -p $(BUILD)/manual
	@scripts/manual/manual.py $(BUILD)/manual
	@ls $(BUILD)/manual/index.html

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

update-expected: all
	@SNAG_UPDATE_EXPECTED=1 scripts/test.sh cli

format:
	@scripts/format.sh

clean:
	rm -rf build build-asan build-fuzz
