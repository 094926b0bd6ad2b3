# Installs `tree` under `work`, then configures, builds and runs consumer/ against it: with the
# library's own flags, and with flags and compilers of its own, which must not matter. What the
# machine cannot run is compiled only. Where the flags give Eigen another alignment than the library's,
# optimized and not, the consumer (OWN_EIGEN) has decompositions of its own.
file(REMOVE_RECURSE ${work})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${tree} --prefix ${work}/prefix
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
# Its own copies of Eigen's functions, and none that others share (ADR 9).
file(GLOB archive ${work}/prefix/lib*/libchasles.a)
if(archive AND NOT flags MATCHES "-fsanitize")
  execute_process(COMMAND nm --format=posix --defined-only ${archive} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n ]*5Eigen[^\n ]* [WVu]" shared "${symbols}")
  list(FILTER shared EXCLUDE REGEX "^_ZNK?7chasles")
  list(LENGTH shared count)
  if(count GREATER 0)
    list(GET shared 0 first)
    message(FATAL_ERROR "${archive}: ${count} functions of Eigen may be exchanged by the linker, such as ${first}")
  endif()
endif()
file(READ /proc/cpuinfo machine)
cmake_host_system_information(RESULT processor QUERY OS_PLATFORM)  # no variable has it in a script

function(consume name with_compiler with_flags instructions)  # OWN_EIGEN
  cmake_parse_arguments(PARSE_ARGV 4 with "OWN_EIGEN" "" "")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/${name}
                          -G ${generator} -D CMAKE_PREFIX_PATH=${work}/prefix
                          -D CMAKE_CXX_COMPILER=${with_compiler} -D CMAKE_CXX_FLAGS=${with_flags}
                          -D expected_version=${version} -D OWN_EIGEN=${with_OWN_EIGEN}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/${name} COMMAND_ERROR_IS_FATAL ANY)
  if(instructions AND NOT machine MATCHES "[ \t]${instructions}[ \n]")
    message(STATUS "${name}: compiled; this machine has no ${instructions}")
    return()
  endif()
  execute_process(COMMAND ${work}/${name}/consumer OUTPUT_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR NOT output STREQUAL "chasles ${version}\n")
    message(FATAL_ERROR "${name}: the consumer ended with ${result} and printed '${output}'")
  endif()
  message(STATUS "${name}: runs")
endfunction()

consume(same ${compiler} "${flags}" "")
# By pkg-config, without CMake.
find_program(pkg_config pkg-config)
file(GLOB description ${work}/prefix/lib*/pkgconfig ${work}/prefix/lib/*/pkgconfig)
if(pkg_config AND description)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${description}
                          ${pkg_config} --cflags --libs chasles
                  OUTPUT_VARIABLE options COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(options UNIX_COMMAND "${options}")
  string(REGEX MATCH "-fsanitize=[^ ]*" sanitizers "${flags}")
  execute_process(COMMAND ${compiler} -O1 ${sanitizers} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp
                          ${options} -o ${work}/by_pkg_config COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${work}/prefix/lib ${work}/by_pkg_config
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "pkg-config: runs")
endif()
if(flags MATCHES "-fsanitize")  # then both sides must have it
  return()
endif()
find_program(clang NAMES clang++ clang++-14)
if(NOT clang OR compiler STREQUAL clang OR NOT processor MATCHES "x86_64|AMD64")
  set(own OWN_EIGEN)  # nothing below has it unoptimized
endif()
consume(O0 ${compiler} "-O0" "" ${own})
if(processor MATCHES "x86_64|AMD64")
  consume(avx2 ${compiler} "-O3 -mavx2" avx2 OWN_EIGEN)
  consume(avx512f ${compiler} "-O3 -mavx512f -mfma" avx512f)  # Eigen asks for both
endif()
if(clang AND NOT compiler STREQUAL clang)
  consume(clang ${clang} "-O2" "")
  if(processor MATCHES "x86_64|AMD64")
    consume(clang_avx2_O0 ${clang} "-O0 -mavx2" avx2 OWN_EIGEN)
  endif()
endif()
