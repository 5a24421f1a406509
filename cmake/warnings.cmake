# SPDX-License-Identifier: MIT
# sunstar_warnings(TARGET): the warnings under which our own sources compile.
function(sunstar_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wnon-virtual-dtor
                         $<$<BOOL:${SUNSTAR_CONVERSION}>:-Wconversion> $<$<BOOL:${SUNSTAR_WERROR}>:-Werror>)
endfunction()
