# SPDX-License-Identifier: MIT
# Gives the target sunstar::lz4, LZ4, from Debian's pkg-config file. This file is also installed, beside
# SunstarConfig.cmake.
if(TARGET sunstar::lz4)
  return()
endif()
add_library(sunstar::lz4 INTERFACE IMPORTED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
target_link_libraries(sunstar::lz4 INTERFACE PkgConfig::LZ4)
