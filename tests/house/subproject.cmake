# Configures subproject/, a project that contains Chasles, in both ways, and asks ninja for the commands that it
# would run: the consumer is linked with the library and what that needs; there are no tests. Building them takes minutes.
file(REMOVE_RECURSE ${work})
foreach(way IN ITEMS add_subdirectory FetchContent)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -B ${work}/${way} -G ${generator}
                          -D CMAKE_CXX_COMPILER=${compiler} -D source=${source} -D way=${way}
                          -D CHASLES_ALL_KERNELS=OFF
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${work}/${way} -N
                  OUTPUT_VARIABLE tests COMMAND_ERROR_IS_FATAL ANY)
  if(NOT tests MATCHES "Total Tests: 0")
    message(FATAL_ERROR "${way}: brings tests\n${tests}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/${way} -- -t commands consumer
                  OUTPUT_VARIABLE steps COMMAND_ERROR_IS_FATAL ANY)
  if(NOT steps MATCHES "-o consumer [^\n]*libchasles[^\n]*fmt[^\n]*tinyxml2[^\n]*yaml-cpp")
    message(FATAL_ERROR "${way}: would not link the consumer\n${steps}")
  endif()
endforeach()
