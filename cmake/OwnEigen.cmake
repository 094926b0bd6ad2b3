# Rebuilds the archive from the objects listed in the file `objects`, with private copies of Eigen's functions:
# cmake -D archive=.. -D objects=.. -D ar=.. -D ld=.. -D nm=.. -D objcopy=.. -P OwnEigen.cmake
# Why: docs/adr/0009-the-interface-owns-its-memory.md.
#
# Template functions are weak symbols: the linker keeps one of several copies, and a copy from a program compiled
# with other flags aligns and frees memory differently. In each object with weak functions of Eigen, COMDAT groups
# are dissolved, so that the linker does not exchange them, and the functions are made local.
set(work ${archive}.objects)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
file(STRINGS ${objects} list REGEX "\\.o$")  # not the precompiled header
set(members)
set(number 0)
foreach(object IN LISTS list)
  execute_process(COMMAND ${nm} --format=posix --defined-only ${object} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  # Weak symbols with Eigen in their names, except those of our own interface, such as Batch.
  string(REGEX MATCHALL "[^\n ]*5Eigen[^\n ]* [WV]" weak "${symbols}")
  list(FILTER weak EXCLUDE REGEX "^_ZNK?7chasles")
  if(NOT weak)
    list(APPEND members ${object})
    continue()
  endif()
  list(TRANSFORM weak REPLACE " [WV]$" "")
  list(JOIN weak "\n" weak)
  file(WRITE ${work}/symbols "${weak}\n")
  math(EXPR number "${number} + 1")
  cmake_path(GET object FILENAME name)
  set(own ${work}/${number}_${name})
  execute_process(COMMAND ${ld} -r --force-group-allocation ${object} -o ${own}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${objcopy} --localize-symbols=${work}/symbols ${own}
                  COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND members ${own})
endforeach()
file(REMOVE ${archive})
execute_process(COMMAND ${ar} qcs ${archive} ${members} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${work})
