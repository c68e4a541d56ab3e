# SPDX-License-Identifier: BSL-1.0
# Sourced by the other tools: where downloads are kept, and the path to programs that were unpacked there.
# shellcheck shell=bash

cache=${SQRTDK_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set; set it, or SQRTDK_CACHE}/.cache}/sqrtdk}
[[ $cache == /* ]] || { echo "SQRTDK_CACHE is '$cache', but must begin with /" >&2; exit 2; }

# One folder for each release of a distribution: cmake/SqrtdkCache.cmake composes the same name.
release=$(. /etc/os-release 2> /dev/null && echo "${ID:-}-${VERSION_ID:-}")
unpacked=$cache/packages/$release
PATH=$PATH:$unpacked/usr/bin

# configure PRESET: CMake's own report, only if it fails.
configure() {
  mkdir -p build
  echo "configuring the preset '$1' (log: build/configure.log)"
  cmake --preset "$1" > build/configure.log 2>&1 || { cat build/configure.log >&2; exit 1; }
}
