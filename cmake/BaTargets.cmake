# SPDX-License-Identifier: Apache-2.0
include_guard()
include(BaBatches)

# ba_library(<name> SOURCES a.cpp b.cpp [ALONE c.cpp] DEPENDS other_lib ...): a static library whose headers
# are included by their path from the root. Its SOURCES may be compiled in batches (see BaBatches.cmake),
# those that have properties of their own are ALONE. A library without sources is an interface library.
function(ba_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_ALONE})
    ba_batches(${name} ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

# ba_tool_family(<name> SOURCES a.cpp DEPENDS other_lib ...): the library of a folder of worker/tools
# that makes tools; ba_tool_families has it.
function(ba_tool_family name)
  ba_library(${name} ${ARGN})
  target_link_libraries(ba_tool_families PUBLIC ${name})
endfunction()

# ba_test(<name> [SERVERS kafka postgres ...] SOURCES a_test.cpp [ALONE b_test.cpp] DEPENDS lib ...):
# a GoogleTest program, one ctest entry. A test that names SERVERS needs a running stack, has the label "server" and
# fails (never skips) without one; the others have the label "quick". Two tests of one of the stack's
# servers never run at once: some end sessions or count what is there. `SERVERS own`: the test starts its own.
function(ba_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;ALONE;DEPENDS;SERVERS" ${ARGN})
  add_executable(${name} ${ARG_ALONE})
  ba_batches(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900) # for what hangs; no busy machine takes as long
  endif()
  if(ARG_SERVERS)
    list(REMOVE_ITEM ARG_SERVERS own)
    set_tests_properties(${name} PROPERTIES LABELS server TIMEOUT ${ARG_TIMEOUT} RESOURCE_LOCK "${ARG_SERVERS}")
  else()
    set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
