# SPDX-License-Identifier: BSL-1.0
# Sourced by the other tools: where downloads are kept, and the path to programs that were unpacked there.
# shellcheck shell=bash

[[ -n ${SQRTDK_CACHE:-}${XDG_CACHE_HOME:-}${HOME:-} ]] || { echo "none of HOME and SQRTDK_CACHE is set; set one" >&2; exit 2; }
cache=${SQRTDK_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/sqrtdk}
for folder in "SQRTDK_CACHE=$cache" "BOOST_ROOT=${BOOST_ROOT:-/}" "SQRTDK_MATHJAX=${SQRTDK_MATHJAX:-/}"; do
  [[ ${folder#*=} == /* ]] || { echo "${folder%%=*} is '${folder#*=}', but must begin with /" >&2; exit 2; }
done

# One folder for each release of a distribution: cmake/SqrtdkCache.cmake composes the same name.
release=$(. /etc/os-release 2> /dev/null || true; echo "${ID:-}-${VERSION_ID:-}")
unpacked=$cache/packages/$release
PATH=$PATH:$unpacked/usr/bin

can_write_build() {
  mkdir -p build
  [[ -w build ]] || { echo "build/ belongs to $(stat -c %U build) and cannot be written: chown or remove it" >&2; exit 1; }
}

# configure PRESET: CMake's own report only if it fails, and how many compilers it chose.
configure() {
  can_write_build
  echo "configuring the preset '$1' (log: build/configure.log)"
  cmake --preset "$1" > build/configure.log 2>&1 || { cat build/configure.log >&2; exit 1; }
  sed -n 's/^-- sqrtdk: //p' build/configure.log
}

# usage FILE: the comment at its head, as far as it is meant for who runs it.
usage() { sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$1"; }
