# SPDX-License-Identifier: BSL-1.0
# Sourced by the other tools: where downloads are kept, and the path to programs that were unpacked there.
# shellcheck shell=bash

[[ -n ${SQRTDK_CACHE:-}${XDG_CACHE_HOME:-}${HOME:-} ]] || { echo "none of HOME and SQRTDK_CACHE is set; set one" >&2; exit 2; }
cache=${SQRTDK_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/sqrtdk}
for folder in "SQRTDK_CACHE=$cache" "BOOST_ROOT=${BOOST_ROOT:-/}" "SQRTDK_MATHJAX=${SQRTDK_MATHJAX:-/}" \
  "SQRTDK_MINISEARCH=${SQRTDK_MINISEARCH:-/}"; do
  [[ ${folder#*=} == /* ]] || { echo "${folder%%=*} is '${folder#*=}', but must begin with /" >&2; exit 2; }
done

# Programs and headers are taken from there: only from folders that are yours or root's. Root of a container takes any.
if ((EUID)) && [[ -n $(find -H "$cache" -maxdepth 0 \( ! -user "$EUID" ! -user 0 -o -perm -o+w \) 2> /dev/null) ]]; then
  echo "$cache belongs to $(stat -Lc %U "$cache"), mode $(stat -Lc %a "$cache"), but must be yours or root's, and not writable by" \
    "everybody; SQRTDK_CACHE names another folder" >&2
  exit 2
fi

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

# put_in_place NEW FOLDER: NEW becomes FOLDER. What was there is aside, as FOLDER.old, until NEW is in its place.
put_in_place() {
  heal "$2"
  [[ ! -e $2 ]] || mv -T "$2" "$2.old"
  mv -T "$1" "$2"
  rm -rf "$2.old"
}
# heal FOLDER: ends what a killed put_in_place began.
heal() {
  [[ -e $1 || ! -e $1.old ]] || mv -T "$1.old" "$1"
  rm -rf "$1.old"
}

# usage FILE: the comment at its head, as far as it is meant for who runs it.
usage() { sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$1"; }
