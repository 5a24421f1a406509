# SPDX-License-Identifier: MIT
# Installs the tree BUILT below WORK, builds the programs of this folder with the COMPILER against that, and runs them.
# They print what docs/library.md shows, and their sources are the page's.
function(call)  # COMMAND...: ends the test if it fails; its output is in `output`
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

set(here ${CMAKE_CURRENT_LIST_DIR})
file(REMOVE_RECURSE ${WORK})
call(${CMAKE_COMMAND} --install ${BUILT} --prefix ${WORK}/prefix)
# Moves the tree from where it was installed: that must be allowed.
file(RENAME ${WORK}/prefix ${WORK}/moved)
# The programs run for a moment and compile for long: without optimisation that takes a fifth less time.
call(${CMAKE_COMMAND} -G Ninja -S ${here} -B ${WORK}/build -D CMAKE_BUILD_TYPE=Release
     -D CMAKE_CXX_STANDARD=17 -D CMAKE_CXX_EXTENSIONS=OFF  # of the project, not of the library
     -D "CMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" -D CMAKE_PREFIX_PATH=${WORK}/moved
     -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
# So the compiler cache serves every clone.
call(${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${WORK} ${CMAKE_COMMAND} --build ${WORK}/build)

file(READ ${here}/../../docs/library.md page)
foreach(file CMakeLists.txt drive.cpp torus.cpp machine.cpp)
  file(READ ${here}/${file} text)
  string(REGEX REPLACE "^(//|#) SPDX[^\n]*\n" "" text "${text}")
  string(FIND "${page}" "${text}```\n" found)
  if(found EQUAL -1)
    message(SEND_ERROR "docs/library.md does not show tests/install/${file} as it is")
  endif()
endforeach()
set(printed)
foreach(program drive torus)
  call(${CMAKE_COMMAND} -E env SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 ${WORK}/build/${program})
  string(APPEND printed "${output}")
endforeach()
call(${WORK}/build/machine --quiet --set file_system.kind=disk-directed --set workload.file_size=160KiB)
call(${WORK}/build/machine --quiet --set machine.network.kind=cube --set workload.file_size=160KiB)
string(FIND "${page}" "```text\n${printed}```\n" found)
if(found EQUAL -1)
  message(SEND_ERROR "docs/library.md does not show what the programs print:\n${printed}")
endif()
