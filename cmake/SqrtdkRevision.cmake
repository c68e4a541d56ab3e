# What these sources are: writes OUT/revision.json and OUT/version.cpp, and touches neither unless it changes. VERSION is a
# development version unless the commit has its tag and the tree no changes. An archive knows its commit from archived.txt,
# whose words are also what git is asked in a checkout.
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${SOURCE}/cmake/archived.txt" found)
set(modified 0)
if(EXISTS "${SOURCE}/.git" AND found MATCHES "^\\$Format:(.*)\\$$")
  set(git ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE  # as a hook of git has them
    git -C "${SOURCE}")
  execute_process(COMMAND ${git} log -1 "--format=${CMAKE_MATCH_1}"
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} status --porcelain --untracked-files=normal  # a new page is a change
    OUTPUT_VARIABLE changes ERROR_QUIET)
  string(COMPARE NOTEQUAL "${changes}" "" modified)
endif()

set(commit "")
set(date "")
set(version "${VERSION}-dev+unknown-commit")
if(found MATCHES "^([0-9a-f]+) ([0-9-]+) ?(.*)$")
  set(commit "${CMAKE_MATCH_1}")
  set(date "${CMAKE_MATCH_2}")
  if(CMAKE_MATCH_3 STREQUAL "v${VERSION}" AND NOT modified)
    set(version "${VERSION}")
  else()
    string(SUBSTRING "${commit}" 0 10 short)
    set(version "${VERSION}-dev+g${short}")
    if(modified)
      string(APPEND version ".modified")
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT "${OUT}/revision.json" @ONLY CONTENT
  [[{"version": "@version@", "commit": "@commit@", "date": "@date@", "modified": "@modified@", "address": "@ADDRESS@"}
]])
file(CONFIGURE OUTPUT "${OUT}/version.cpp" @ONLY CONTENT
  [[#include "version.hpp"

const char* const sqrtdk::command::version = "@version@";
]])
