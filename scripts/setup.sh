#!/bin/sh
# Installs the Debian packages snag needs to build and test; quick when nothing is missing.
# As root or with sudo it installs; otherwise it says what to install.
set -eu

packages="gcc g++ gfortran clang libclang-rt-14-dev libomp-dev make cmake ninja-build pkg-config
libzstd-dev zlib1g-dev libxxhash-dev libdw-dev libiberty-dev libcmocka-dev libjansson-dev
llvm-14-dev clang-format bats jq zstd gzip man-db python3
libjemalloc-dev libmimalloc-dev mold ccache meson automake gdb libxml2-utils lintian
libgtest-dev python3-yaml"

missing=""
for p in $packages; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo"
else
	echo "setup: please install:$missing" >&2
	echo "setup: sudo apt-get install$missing" >&2
	exit 1
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of packages, to be split
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || {
	$as_root apt-get update -qq
	$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
