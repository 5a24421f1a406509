# SPDX-License-Identifier: MIT
# Gives the target sunstar::boost. Boost.JSON is a package of its own in Debian 12 (libboost-json1.81-dev). Installed
# beside SunstarConfig.cmake, too.
if(TARGET sunstar::boost)
  return()
endif()
find_package(Boost 1.81 REQUIRED COMPONENTS json program_options iostreams)
add_library(sunstar::boost INTERFACE IMPORTED)
target_link_libraries(sunstar::boost INTERFACE Boost::headers Boost::json Boost::program_options Boost::iostreams)
