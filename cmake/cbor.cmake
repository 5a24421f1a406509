# SPDX-License-Identifier: MIT
# Gives the target sunstar::cbor, libcbor, from Debian's pkg-config file. This file is also installed, beside
# SunstarConfig.cmake.
if(TARGET sunstar::cbor)
  return()
endif()
add_library(sunstar::cbor INTERFACE IMPORTED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CBOR REQUIRED IMPORTED_TARGET libcbor)
target_link_libraries(sunstar::cbor INTERFACE PkgConfig::CBOR)
