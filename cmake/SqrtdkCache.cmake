# SQRTDK_CACHE is the folder of tools/setup's downloads.
set(cache "$ENV{SQRTDK_CACHE}")
if(cache STREQUAL "")
  set(cache "$ENV{XDG_CACHE_HOME}")
  if(cache STREQUAL "")
    set(cache "$ENV{HOME}/.cache")
  endif()
  string(APPEND cache "/sqrtdk")
endif()
set(SQRTDK_CACHE "${cache}")  # not cached: another environment is another folder

# sqrtdk_npm_folder(VARIABLE FOLDER): where the packages of FOLDER/package-lock.json are.
function(sqrtdk_npm_folder variable folder)
  file(SHA256 "${folder}/package-lock.json" lock)
  string(SUBSTRING "${lock}" 0 16 lock)
  set(${variable} "${SQRTDK_CACHE}/npm/${lock}/node_modules" PARENT_SCOPE)
endfunction()
sqrtdk_npm_folder(SQRTDK_NPM "${PROJECT_SOURCE_DIR}/tools/npm")
