# cmake --install: the headers, and a package with the components of cmake/sqrtdkConfig.cmake.in. Headers for all
# architectures, so everything lies in share/ and include/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_DATADIR}/cmake/sqrtdk")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/sqrtdk" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(TARGETS sqrtdk EXPORT sqrtdk INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT sqrtdk NAMESPACE sqrtdk:: FILE sqrtdkTargets.cmake DESTINATION "${package}")
if(TARGET sqrtdk_testing)
  install(TARGETS sqrtdk_testing EXPORT sqrtdk_testing)
  install(EXPORT sqrtdk_testing NAMESPACE sqrtdk:: FILE sqrtdkTestingTargets.cmake DESTINATION "${package}")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/sqrtdkConfig.cmake.in" sqrtdkConfig.cmake
  INSTALL_DESTINATION "${package}")
write_basic_package_version_file(sqrtdkConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/sqrtdkConfig.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/sqrtdkConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/SqrtdkDependencies.cmake"
  DESTINATION "${package}")
