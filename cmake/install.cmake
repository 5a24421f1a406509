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
install(DIRECTORY models/disk/drives DESTINATION share/sunstar/models/disk)
install(DIRECTORY platforms/presets DESTINATION share/sunstar)

configure_package_config_file(cmake/SunstarConfig.cmake.in ${CMAKE_BINARY_DIR}/SunstarConfig.cmake
                              INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SunstarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SunstarConfig.cmake ${CMAKE_BINARY_DIR}/SunstarConfigVersion.cmake cmake/systemc.cmake
        cmake/boost.cmake cmake/re2.cmake cmake/isal.cmake cmake/cbor.cmake cmake/lz4.cmake DESTINATION ${package})

# The Python wheel: the simulators, and a copy of what they and the package look up in the project's folder.
file(GLOB wheel_programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/platforms/*/main.cpp)
foreach(main ${wheel_programs})
  get_filename_component(folder ${main} DIRECTORY)
  get_filename_component(platform ${folder} NAME)
  install(TARGETS sunstar-${platform} RUNTIME DESTINATION sunstar/bin COMPONENT wheel EXCLUDE_FROM_ALL)
endforeach()
foreach(folder models/disk/drives platforms/presets waveforms)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION sunstar/project/${parent} COMPONENT wheel EXCLUDE_FROM_ALL
          PATTERN pictures EXCLUDE)
endforeach()
