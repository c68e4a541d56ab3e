# The cache of tools/setup: SQRTDK_CACHE is the folder, and libraries that it unpacked there are found like others.
set(cache "$ENV{SQRTDK_CACHE}")
if(cache STREQUAL "")
  set(cache "$ENV{XDG_CACHE_HOME}")
  if(cache STREQUAL "")
    set(cache "$ENV{HOME}/.cache")
  endif()
  string(APPEND cache "/sqrtdk")
endif()
set(SQRTDK_CACHE "${cache}")  # not cached: another environment is another folder

cmake_host_system_information(RESULT release QUERY DISTRIB_INFO)
set(SQRTDK_UNPACKED "${SQRTDK_CACHE}/packages/${release_ID}-${release_VERSION_ID}/usr")
if(IS_DIRECTORY "${SQRTDK_UNPACKED}")
  list(APPEND CMAKE_PREFIX_PATH "${SQRTDK_UNPACKED}")
endif()

# sqrtdk_npm_folder(VARIABLE FOLDER): where the packages of FOLDER/package-lock.json are.
function(sqrtdk_npm_folder variable folder)
  file(SHA256 "${folder}/package-lock.json" lock)
  string(SUBSTRING "${lock}" 0 16 lock)
  set(${variable} "${SQRTDK_CACHE}/npm/${lock}/node_modules" PARENT_SCOPE)
endfunction()
sqrtdk_npm_folder(SQRTDK_NPM "${PROJECT_SOURCE_DIR}/tools/npm")
