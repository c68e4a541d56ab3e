# These sources' revision: writes OUT/revision.json and OUT/version.cpp, and touches neither unless it changes. VERSION is a
# development version unless the commit has its tag and the tree no changes. An archive knows its commit from archived.txt.
# rev and dir are identifiers of Software Heritage, https://swhid.org, whose hashes are git's: the commit and its tree.
cmake_minimum_required(VERSION 3.25)
set(format "%H %T %cs %(describe:tags=true,match=v*.*.*,exclude=*-*)")
set(before "$Format:${format}$\n")  # git archive fills it in
file(READ "${SOURCE}/cmake/archived.txt" found)
set(modified 0)
set(files "")  # the hash of the files as they are, if git has not compared them itself
if(EXISTS "${SOURCE}/.git" AND found STREQUAL before)
  set(git ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE  # as a hook of git has them
    git -C "${SOURCE}")
  execute_process(COMMAND ${git} log -1 "--format=${format}"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} status --porcelain --untracked-files=normal  # a new page is a change
    OUTPUT_VARIABLE changes ERROR_QUIET)
  string(COMPARE NOTEQUAL "${changes}" "" modified)
else()
  # A repository beside the files tells, without anybody's settings. What .gitignore names does not count, and archived.txt
  # counts as it was before.
  set(beside "${OUT}/hashed")
  file(WRITE "${beside}/cmake/archived.txt" "${before}")
  execute_process(
    COMMAND env -i "PATH=$ENV{PATH}" "HOME=${beside}" GIT_CONFIG_NOSYSTEM=1 "GIT_DIR=${beside}/.git" sh -c "
      git init -q --object-format=sha1 && git --work-tree=\"$0\" add -A &&
      git --work-tree=. add cmake/archived.txt && git write-tree" "${SOURCE}"
    WORKING_DIRECTORY "${beside}" OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

set(commit "")
set(date "")
set(rev "")
set(dir "")
set(version "${VERSION}-dev+unknown-commit")
if(found MATCHES "^([0-9a-f]+) ([0-9a-f]+) ([0-9-]+) ?([^\n]*)")
  set(commit "${CMAKE_MATCH_1}")
  set(tree "${CMAKE_MATCH_2}")
  set(date "${CMAKE_MATCH_3}")
  set(tag "${CMAKE_MATCH_4}")
  if(files AND NOT files STREQUAL tree)
    set(modified 1)
  endif()
  if(tag STREQUAL "v${VERSION}" AND NOT modified)
    set(version "${VERSION}")
  else()
    string(SUBSTRING "${commit}" 0 10 short)
    set(version "${VERSION}-dev+g${short}")
  endif()
  if(modified)
    string(APPEND version ".modified")
  else()
    set(rev "swh:1:rev:${commit}")
    set(dir "swh:1:dir:${tree}")
  endif()
elseif(files)
  set(dir "swh:1:dir:${files}")
endif()

file(CONFIGURE OUTPUT "${OUT}/revision.json" @ONLY CONTENT
  [[{"version": "@version@", "commit": "@commit@", "date": "@date@", "modified": "@modified@", "address": "@ADDRESS@",
 "rev": "@rev@", "dir": "@dir@"}
]])
set(lines ${version} ${rev} ${dir})
list(JOIN lines "\\n" lines)
file(CONFIGURE OUTPUT "${OUT}/version.cpp" @ONLY CONTENT
  [[#include "version.hpp"

const char* const sqrtdk::command::version = "@lines@";
]])
