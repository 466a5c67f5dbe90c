# SPDX-License-Identifier: Apache-2.0
include_guard()

# Sources that are compiled together read their headers once, which is much of a build's work. The presets
# give a size (batches.py says of what); 0, the default, compiles each file by itself.
set(BA_BATCH_SIZE 0 CACHE STRING "How much of a target is compiled as one; 0: each file by itself")

# What the compiler is told for each file; a batch is one file to it.
set(BA_FILE_PROPERTIES COMPILE_DEFINITIONS COMPILE_FLAGS COMPILE_OPTIONS INCLUDE_DIRECTORIES OBJECT_DEPENDS)

# ba_batches(<target> a.cpp b.cpp ...): gives the target its sources. batches.py says at the end of the
# configuration which may stand together; what ba-simulate exchanges (BA_PROTECTED) stands with its like
# alone. The sources themselves are in <target>_files then, a target that nothing builds: it gives each file
# its line in compile_commands.json, for clangd and the like, and compiles them one by one for who asks.
function(ba_batches target)
  set(others)
  set(protected)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${source}" is_generated)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE from_root)
    if(BA_BATCH_SIZE LESS 2 OR is_generated OR NOT source MATCHES "\\.cpp$")
      target_sources(${target} PRIVATE ${source})
    elseif(from_root IN_LIST BA_PROTECTED)
      list(APPEND protected ${source})
    else()
      list(APPEND others ${source})
    endif()
  endforeach()
  foreach(kind others protected)
    if(${kind})
      set_property(GLOBAL APPEND_STRING PROPERTY BA_TOGETHER
        "${target};${CMAKE_CURRENT_BINARY_DIR}/batches/${target}/${kind};${${kind}}\n")
    endif()
  endforeach()
  if(NOT others AND NOT protected)
    return()
  endif()
  add_library(${target}_files OBJECT EXCLUDE_FROM_ALL ${others} ${protected})
  foreach(property INCLUDE_DIRECTORIES LINK_LIBRARIES COMPILE_OPTIONS COMPILE_DEFINITIONS)
    set_property(TARGET ${target}_files PROPERTY ${property} $<TARGET_PROPERTY:${target},${property}>)
  endforeach()
endfunction()

# The plan is a file that CMake reads and ninja makes: an edit after which sources go together in another
# way configures anew by itself, every other one costs the look of batches.py at them.
function(ba_plan_batches)
  get_property(together GLOBAL PROPERTY BA_TOGETHER)
  if(NOT together)
    return()
  endif()
  set(targets ${CMAKE_BINARY_DIR}/batches/targets.txt)
  set(plan ${CMAKE_BINARY_DIR}/batches/plan.cmake)
  set(command /usr/bin/python3 -IS ${CMAKE_SOURCE_DIR}/cmake/batches.py ${targets} ${plan})
  file(CONFIGURE OUTPUT ${targets} @ONLY CONTENT "${CMAKE_SOURCE_DIR};${BA_BATCH_SIZE}\n${together}")
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_command(OUTPUT ${plan} COMMAND ${command}
    DEPENDS ${targets} ${CMAKE_SOURCE_DIR}/cmake/batches.py DEPFILE ${plan}.d
    COMMENT "Looking which sources go together" VERBATIM)
  add_custom_target(ba_batches_plan DEPENDS ${plan})
  include(${plan})
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL ba_plan_batches)

# ba_batched(<target> <file> ...): a line of the plan.
function(ba_batched target)
  target_sources(${target} PRIVATE ${ARGN})
  get_target_property(sources ${target}_files SOURCES)
  foreach(source IN LISTS sources)
    foreach(property IN LISTS BA_FILE_PROPERTIES)
      get_source_file_property(value ${source} TARGET_DIRECTORY ${target} ${property})
      if(value)
        message(FATAL_ERROR "${source} has ${property} of its own, which a batch would lose: "
          "list it after ALONE in the ba_library or ba_test of ${target}")
      endif()
    endforeach()
  endforeach()
  # To the compiler a batch is one file and its parts are headers, whose types mustn't have private parts.
  # restrict: g++ 12 is wrong about strings that are appended inline (its bug 105651); how much is inline
  # depends on the batch.
  set(batches ${ARGN})
  list(FILTER batches INCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  set_source_files_properties(${batches} TARGET_DIRECTORY ${target} PROPERTIES
    COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;-Wno-restrict>")
endfunction()
