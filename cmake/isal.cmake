# SPDX-License-Identifier: MIT
# Gives the target sunstar::isal, ISA-L, from Debian's pkg-config file. This file is also installed, beside
# SunstarConfig.cmake.
if(TARGET sunstar::isal)
  return()
endif()
add_library(sunstar::isal INTERFACE IMPORTED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
target_link_libraries(sunstar::isal INTERFACE PkgConfig::ISAL)
