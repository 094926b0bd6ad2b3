# cmake -D nm=.. -D objects=LIST -P weak_symbols.cmake: in any configuration, no unit of an instruction set defines
# a weak symbol. An inline function or template that several units define is kept once by the linker, and the one it
# keeps may have instructions that the machine lacks.
file(STRINGS ${objects} units REGEX "kernels/isa/x86_64[^/]*\\.o(bj)?$")
if(NOT units)
  message(FATAL_ERROR "no unit of an instruction set among the objects in ${objects}")
endif()
set(found)
foreach(unit IN LISTS units)
  execute_process(COMMAND ${nm} --format=posix --defined-only ${unit} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n ]+ [WVu] " weak "${symbols}")
  list(FILTER weak EXCLUDE REGEX "^DW\\.ref\\.")  # where the handler of exceptions is: data
  cmake_path(GET unit FILENAME name)
  foreach(symbol IN LISTS weak)
    string(APPEND found "\n  ${name}: ${symbol}")
  endforeach()
endforeach()
if(found)
  message(FATAL_ERROR "weak symbols leave units of instruction sets (CONTRIBUTING.md, Kernels):${found}")
endif()
