# SPDX-License-Identifier: MIT
# cmake --install: libraries, headers, drive catalogue and presets for programs of others; see docs/library.md.
include(CMakePackageConfigHelpers)
set(package lib/cmake/Sunstar)

foreach(floor core models sw kit machine)
  set_target_properties(sunstar_${floor} PROPERTIES EXPORT_NAME ${floor})
  install(TARGETS sunstar_${floor} EXPORT SunstarTargets ARCHIVE DESTINATION lib)
endforeach()
install(EXPORT SunstarTargets NAMESPACE sunstar:: DESTINATION ${package})
install(DIRECTORY models sw DESTINATION include/sunstar FILES_MATCHING PATTERN *.h)
install(DIRECTORY platforms/kit platforms/machine DESTINATION include/sunstar/platforms FILES_MATCHING PATTERN *.h)
install(DIRECTORY models/disk/drives platforms/presets DESTINATION share/sunstar)

configure_package_config_file(cmake/SunstarConfig.cmake.in ${CMAKE_BINARY_DIR}/SunstarConfig.cmake
                              INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SunstarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SunstarConfig.cmake ${CMAKE_BINARY_DIR}/SunstarConfigVersion.cmake cmake/systemc.cmake
        cmake/boost.cmake cmake/re2.cmake cmake/isal.cmake DESTINATION ${package})
