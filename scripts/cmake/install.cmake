# CMake package files and pkg-config files of the installed libraries.
# SPDX-License-Identifier: Apache-2.0
get_property(basin_installed GLOBAL PROPERTY basin_installed)
if(NOT basin_installed)
  return()
endif()

set(basin_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/basin")
configure_package_config_file(scripts/cmake/basin-config.cmake.in "${PROJECT_BINARY_DIR}/basin-config.cmake"
  INSTALL_DESTINATION "${basin_package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/basin-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/basin-config.cmake" "${PROJECT_BINARY_DIR}/basin-config-version.cmake"
  DESTINATION "${basin_package_folder}")
install(EXPORT basin-targets NAMESPACE basin:: DESTINATION "${basin_package_folder}")

# What each pkg-config file requires of the others. The tree may be moved: paths start at the file itself.
file(RELATIVE_PATH basin_pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" basin_pc_to_prefix "${basin_pc_to_prefix}")
set(basin_requires_basin-runtime "")
set(basin_requires_basin-compiler "basin-runtime = ${PROJECT_VERSION}")
set(basin_requires_basin "basin-compiler = ${PROJECT_VERSION}, basin-runtime = ${PROJECT_VERSION}")
foreach(file IN LISTS basin_installed)
  set(basin_pc_name "${file}")
  set(basin_pc_requires "${basin_requires_${file}}")
  configure_file(scripts/cmake/basin.pc.in "${PROJECT_BINARY_DIR}/${file}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${file}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
