# SPDX-License-Identifier: MIT
# Gives the target sunstar::boost. Boost.JSON is a package of its own in Debian 12 (libboost-json1.81-dev).
find_package(Boost 1.81 REQUIRED COMPONENTS json program_options iostreams)
add_library(sunstar_boost INTERFACE)
add_library(sunstar::boost ALIAS sunstar_boost)
target_link_libraries(sunstar_boost INTERFACE Boost::headers Boost::json Boost::program_options Boost::iostreams)
