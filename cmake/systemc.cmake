# SPDX-License-Identifier: MIT
# Gives the target sunstar::systemc, from an upstream CMake package or from Debian's pkg-config files. This file is also
# installed, beside SunstarConfig.cmake: whoever uses the libraries must find the same SystemC.
if(TARGET sunstar::systemc)
  return()
endif()
add_library(sunstar::systemc INTERFACE IMPORTED)
find_package(SystemCLanguage CONFIG QUIET)
if(SystemCLanguage_FOUND)
  set(systemc_library SystemC::systemc)
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc tlm)
  set(systemc_library PkgConfig::SYSTEMC)
endif()
target_link_libraries(sunstar::systemc INTERFACE ${systemc_library})
target_compile_definitions(sunstar::systemc INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)

# A SystemC library built for C++17 does not link with programs compiled for C++20, because the name of its API version
# symbol contains the standard. SC_CPLUSPLUS sets the standard that the headers put into that name, and they use it for
# nothing else. Find out which standard links. The standard of the project that finds Sunstar would follow the flag, so
# it is set, too.
include(CheckCXXSourceCompiles)
set(standard_of_project ${CMAKE_CXX_STANDARD})
set(CMAKE_CXX_STANDARD 20)
foreach(standard "" 201703L 201402L)
  set(CMAKE_REQUIRED_LIBRARIES ${systemc_library})
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  set(CMAKE_REQUIRED_DEFINITIONS)
  if(standard)
    set(CMAKE_REQUIRED_DEFINITIONS -DSC_CPLUSPLUS=${standard})
  endif()
  string(MAKE_C_IDENTIFIER "SUNSTAR_SYSTEMC_LINKS_${standard}" result)
  check_cxx_source_compiles("#include <systemc>
    int sc_main(int, char**) { return sc_core::sc_time_stamp() != sc_core::SC_ZERO_TIME; }" ${result})
  if(${result})
    if(standard)
      message(STATUS "SystemC: library built for another C++ standard; using SC_CPLUSPLUS=${standard}")
      target_compile_definitions(sunstar::systemc INTERFACE SC_CPLUSPLUS=${standard})
    endif()
    set(SUNSTAR_SYSTEMC_USABLE TRUE)
    break()
  endif()
endforeach()
set(CMAKE_CXX_STANDARD ${standard_of_project})
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_DEFINITIONS)
if(NOT SUNSTAR_SYSTEMC_USABLE)
  message(FATAL_ERROR "SystemC was found but a C++20 program does not link against it, neither as it is nor with "
    "SC_CPLUSPLUS set to C++17 or C++14. Install libsystemc-dev (Debian 12) or build SystemC 2.3.4 or later for C++17 "
    "or C++20.")
endif()
