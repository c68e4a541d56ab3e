# cmake --install: the headers, the libraries, and a package with the components of cmake/sqrtdkConfig.cmake.in.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/sqrtdk")
install(TARGETS sqrtdk EXPORT sqrtdk FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT sqrtdk NAMESPACE sqrtdk:: FILE sqrtdkTargets.cmake DESTINATION "${package}")
foreach(component laws statistics testing testing_main c)
  if(TARGET sqrtdk_${component})
    install(TARGETS sqrtdk_${component} EXPORT sqrtdk_${component}
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component}
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component}
      FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT ${component})
    install(EXPORT sqrtdk_${component} NAMESPACE sqrtdk:: FILE sqrtdk-${component}.cmake DESTINATION "${package}"
      COMPONENT ${component})
  endif()
endforeach()
# `cmake --install … --component c` installs sqrtdk::c alone, with what find_package and pkg-config look for.
if(TARGET sqrtdk_c)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}" OUTPUT_VARIABLE include)
  file(CONFIGURE OUTPUT sqrtdk_c.pc @ONLY CONTENT [[
libdir=${pcfiledir}/..
Name: sqrtdk_c
Description: Softmax and attention held to proved error bounds, for any language that can call C
Version: @PROJECT_VERSION@
Cflags: -I${libdir}/@include@
Libs: -L${libdir} -lsqrtdk_c
]])
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/sqrtdk_c.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT c)
endif()
if(TARGET sqrtdk_testing_main)
  install(FILES "${PROJECT_SOURCE_DIR}/src/sqrtdk/testing/main.cpp" DESTINATION "${package}")
  set(installed_main "${package}/main.cpp")
  if(NOT IS_ABSOLUTE "${installed_main}")
    set(installed_main "$<INSTALL_PREFIX>/${installed_main}")
  endif()
  target_sources(sqrtdk_testing_main INTERFACE "$<INSTALL_INTERFACE:${installed_main}>")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/sqrtdkConfig.cmake.in" sqrtdkConfig.cmake
  INSTALL_DESTINATION "${package}")
write_basic_package_version_file(sqrtdkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/sqrtdkConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/sqrtdkConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/SqrtdkDependencies.cmake"
  DESTINATION "${package}" COMPONENT c)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/docs/notices.txt"
  DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/sqrtdk")
