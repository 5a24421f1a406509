# SPDX-License-Identifier: MIT
# Gives the target sunstar::re2, from RE2's own CMake package or from Debian's pkg-config file. This file is also
# installed, beside SunstarConfig.cmake.
if(TARGET sunstar::re2)
  return()
endif()
add_library(sunstar::re2 INTERFACE IMPORTED)
find_package(re2 CONFIG QUIET)
if(re2_FOUND)
  target_link_libraries(sunstar::re2 INTERFACE re2::re2)
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
  target_link_libraries(sunstar::re2 INTERFACE PkgConfig::RE2)
endif()
