# SPDX-License-Identifier: MIT
# Gives the target sunstar::boost. Debian 12 has Boost.JSON in a package of its own (libboost-json1.81-dev). This file
# is also installed, beside SunstarConfig.cmake.
if(TARGET sunstar::boost)
  return()
endif()
find_package(Boost 1.81 REQUIRED COMPONENTS json program_options iostreams)
add_library(sunstar::boost INTERFACE IMPORTED)
target_link_libraries(sunstar::boost INTERFACE Boost::headers Boost::json Boost::program_options Boost::iostreams)
