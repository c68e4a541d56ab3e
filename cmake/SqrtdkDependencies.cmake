# The components' libraries, found alike by the build and by an installed package. Each function sets a variable of its caller to
# what is missing, or to nothing.

# sqrtdk_find_boost(MISSING): Boost::headers, of the parent project, in the folder BOOST_ROOT (headers suffice), or by Boost's own
# package.
function(sqrtdk_find_boost missing)
  set(${missing} "" PARENT_SCOPE)
  if(TARGET Boost::headers)
    return()
  endif()
  set(root "${BOOST_ROOT}")
  if(root STREQUAL "")
    set(root "$ENV{BOOST_ROOT}")
  endif()
  if(root STREQUAL "")
    find_package(Boost 1.81 QUIET CONFIG)
    if(NOT TARGET Boost::headers)
      set(${missing} "Boost 1.81 or newer was not found; set BOOST_ROOT to an unpacked one, or CMAKE_PREFIX_PATH" PARENT_SCOPE)
    endif()
    return()
  endif()
  unset(sqrtdk_boost_folder)
  unset(sqrtdk_boost_folder CACHE)
  find_path(sqrtdk_boost_folder boost/version.hpp PATHS "${root}" PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
  set(version 0)
  if(sqrtdk_boost_folder)
    file(STRINGS "${sqrtdk_boost_folder}/boost/version.hpp" version REGEX "define BOOST_VERSION ")
    string(REGEX REPLACE ".*BOOST_VERSION ([0-9]+).*" "\\1" version "${version}")
  endif()
  if(version LESS 108100)
    set(${missing} "BOOST_ROOT is '${root}', which has no Boost 1.81 or newer" PARENT_SCOPE)
    return()
  endif()
  add_library(Boost::headers INTERFACE IMPORTED)
  target_include_directories(Boost::headers INTERFACE "${sqrtdk_boost_folder}")
endfunction()

# sqrtdk_find_random123(MISSING): sqrtdk::random123. Of the mathematics only training/ includes
# it, so that those who do not train need not have it: without it the target is there and leads nowhere.
function(sqrtdk_find_random123 missing)
  set(${missing} "" PARENT_SCOPE)
  if(NOT CMAKE_DISABLE_FIND_PACKAGE_Random123)
    find_path(SQRTDK_RANDOM123 Random123/philox.h)
    mark_as_advanced(SQRTDK_RANDOM123)
  endif()
  if(NOT TARGET sqrtdk::random123)
    add_library(sqrtdk::random123 INTERFACE IMPORTED)
    if(SQRTDK_RANDOM123)
      target_include_directories(sqrtdk::random123 INTERFACE "${SQRTDK_RANDOM123}")
    endif()
  endif()
  if(NOT SQRTDK_RANDOM123)
    set(${missing} " Random123" PARENT_SCOPE)
  endif()
endfunction()

# sqrtdk_ask_rapidcheck(MISSING): whether the RapidCheck that was found has what testing/generators/rapidcheck_internals.hpp takes
# from it. It has no versions, so that only a compiler can tell. That of a parent project has no place yet: its compiler will tell.
function(sqrtdk_ask_rapidcheck missing)
  set(${missing} "" PARENT_SCOPE)
  get_target_property(found rapidcheck IMPORTED)
  if(NOT found OR NOT CMAKE_CXX_COMPILER_LOADED)
    return()
  endif()
  include(CheckCXXSourceCompiles)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # it need not be linked
  set(CMAKE_REQUIRED_LIBRARIES rapidcheck)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("
    #include <rapidcheck.h>
    #include <iostream>
    template <> struct rc::detail::ShowDefault<float, false, true> { static void show(const float&, std::ostream&) {} };
    struct Listener : rc::detail::TestListener {
      void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
      void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
      void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
    };
    void run() {
      rc::detail::TestParams params;
      params.disableShrinking = true;
      params.maxDiscardRatio = 1000;
      Listener listener;
      const rc::detail::TestResult result = rc::detail::checkTestable([] {}, rc::detail::TestMetadata{}, params, listener,
        std::unordered_map<std::string, rc::detail::Reproduce>());
      rc::detail::printResultMessage(result, std::cout);
    }" sqrtdk_knows_rapidcheck)
  if(NOT sqrtdk_knows_rapidcheck)
    unset(sqrtdk_knows_rapidcheck CACHE)  # another one is asked again
    set(${missing} " a RapidCheck like that of December 2021 or later (commit 08b5058, Debian's 0~1033): the one that was found (rapidcheck_DIR is '${rapidcheck_DIR}') lacks what sqrtdk/testing/generators/rapidcheck_internals.hpp uses" PARENT_SCOPE)
  endif()
endfunction()

# sqrtdk_find_frameworks(MISSING VERSION): GTest::gtest and rapidcheck, unless a parent project has its own, and GoogleTest's
# version, if it can be told.
function(sqrtdk_find_frameworks missing version)
  set(lacks "")
  if(NOT TARGET GTest::gtest)
    find_package(GTest 1.12 QUIET)
  endif()
  if(NOT TARGET rapidcheck)
    find_package(rapidcheck QUIET)
  endif()
  if(NOT TARGET GTest::gtest)
    string(APPEND lacks " GoogleTest 1.12")
  elseif(NOT GTest_VERSION)
    # Built from its sources, it has its version as a property.
    get_target_property(GTest_VERSION GTest::gtest VERSION)
    if(NOT GTest_VERSION)
      set(GTest_VERSION "")
    endif()
  endif()
  if(NOT TARGET rapidcheck)
    string(APPEND lacks " RapidCheck")
  else()
    sqrtdk_ask_rapidcheck(unknown)
    string(APPEND lacks "${unknown}")
  endif()
  set(${missing} "${lacks}" PARENT_SCOPE)
  set(${version} "${GTest_VERSION}" PARENT_SCOPE)
endfunction()
