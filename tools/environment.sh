# Sourced by the other tools: the folder of downloads, and functions that the tools share.
# shellcheck shell=bash

unset "${!GTEST_@}" "${!TESTBRIDGE_@}" RC_PARAMS  # with them, programs may run fewer tests, or none
[[ -n ${SQRTDK_CACHE:-}${XDG_CACHE_HOME:-}${HOME:-} ]] || { echo "none of HOME and SQRTDK_CACHE is set; set one" >&2; exit 2; }
cache=${SQRTDK_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/sqrtdk}
for folder in "SQRTDK_CACHE=$cache" "BOOST_ROOT=${BOOST_ROOT:-/}" "SQRTDK_MATHJAX=${SQRTDK_MATHJAX:-/}" \
  "SQRTDK_MINISEARCH=${SQRTDK_MINISEARCH:-/}"; do
  [[ ${folder#*=} == /* ]] || { echo "${folder%%=*} is '${folder#*=}', but must begin with /" >&2; exit 2; }
done

# Programs are run from there: only from folders that are yours or root's. Root of a container takes any.
if ((EUID)) && [[ -n $(find -H "$cache" -maxdepth 0 \( ! -user "$EUID" ! -user 0 -o -perm -o+w \) 2> /dev/null) ]]; then
  echo "$cache belongs to $(stat -Lc %U "$cache"), mode $(stat -Lc %a "$cache"), but must be yours or root's, and not writable by" \
    "everybody; SQRTDK_CACHE names another folder" >&2
  exit 2
fi

can_write_build() {
  mkdir -p build
  [[ -w build ]] || { echo "build/ belongs to $(stat -c %U build) and cannot be written: chown or remove it" >&2; exit 1; }
  local file home
  for file in build/*/CMakeCache.txt; do  # a folder that was copied or moved would build into the one that it was made from
    home=$([[ ! -e $file ]] || sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$file")
    [[ -z $home || $home -ef . ]] || { echo "${file%/*} is a build of another folder, $home: remove build/" >&2; exit 2; }
  done
}

# alone: waits until no other tool is at work in build/, and keeps others waiting until this one and all that it started have
# ended. A tool that it calls goes on.
alone() {
  can_write_build
  [[ ${SQRTDK_ALONE:-} != "$PWD" ]] || return 0
  export SQRTDK_ALONE=$PWD
  command -v flock > /dev/null || return 0
  exec 8>> build/lock
  flock -n 8 || { echo "waiting until $(cat build/lock) and what it started have ended in build/" >&2; flock 8; }
  echo "$0 (process $$)" > build/lock
}

# can_write OPTION FILE [append]: refuses what a regular file cannot replace, or what cannot be appended to.
can_write() {
  [[ ${3:-} == append && ( -f $2 || -c $2 ) && -w $2 ]] ||
    { [[ -f $2 || ! -e $2 && ! -L $2 ]] && mkdir -p -- "${2%/*}/" && [[ -w ${2%/*}/ ]]; } ||
    { echo "${0##*/}: $1 names $2, where no regular file can be written" >&2; exit 2; }
}

# configure PRESET: CMake's own report only if it fails, and how many compilers it chose.
configure() {
  alone
  echo "configuring the preset '$1' (log: build/configure.log)"
  cmake --preset "$1" > build/configure.log 2>&1 || { cat build/configure.log >&2; exit 1; }
  sed -n 's/^-- sqrtdk: //p' build/configure.log
}

# run_tests PRESET JUNIT [CTEST ARGUMENTS…]: a run of no test fails. In the JUnit file, if one is named, what a test that failed
# printed stands in its failure as well, which CTest leaves empty and where GitLab looks.
run_tests() {
  local status=0
  [[ -z $2 ]] || rm -f -- "$2"
  ctest --preset "$1" --no-tests=error "${@:3}" --overwrite BuildName=sqrtdk ${2:+--output-junit "$2"} || status=$?
  [[ -z $2 || -s $2 ]] || { echo "${0##*/}: $2 was lost: it could not be written" >&2; return 1; }
  [[ -z $2 ]] || ! command -v perl > /dev/null ||
    perl -0777 -pi -e 's{<failure message=""/>(\s*(?:<properties.*?)?<system-out>(.*?)</system-out>)}{
      my ($output, $text) = ($1, $2);
      my $line = $text =~ /(?:: Failure\n(?:Failed\n)?|✖)\s*(.+)/ ? $1 : (grep /\S/, split /\n/, $text)[-1] // "";
      "<failure message=\"" . $line =~ s/"/&quot;/gr . "\">$text</failure>$output"}gse' -- "$2" || return 1
  return "$status"
}

# usage FILE: the comment at its head, as far as it is meant for who runs it.
usage() { sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$1"; }
