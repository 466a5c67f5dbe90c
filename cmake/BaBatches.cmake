# SPDX-License-Identifier: Apache-2.0
include_guard()

# Sources that are compiled together read their headers once, which is most of a build's work. The presets
# give a size; 0, the default, compiles each file by itself.
set(BA_BATCH_SIZE 0 CACHE STRING "How many sources of a target are compiled as one, at the most")
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/cmake/batches.py)

# ba_batches(<target> <variable> a.cpp b.cpp ...): what to compile for these sources. batches.py says which
# may stand together; what ba-simulate exchanges (BA_PROTECTED) stands alone. The sources themselves are in
# <target>_files then, a target that nothing builds: it gives each file its line in compile_commands.json,
# for clangd and the like, and compiles them one by one for who asks for it.
function(ba_batches target variable)
  if(BA_BATCH_SIZE LESS 2)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(written)
  set(alone)
  foreach(source IN LISTS ARGN)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${source}" is_generated)
    if(source MATCHES "\\.cpp$" AND NOT is_generated)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE from_root)
      if(from_root IN_LIST BA_PROTECTED)
        list(APPEND alone ${source})
      else()
        list(APPEND written ${source})
      endif()
    else()
      list(APPEND alone ${source})
    endif()
  endforeach()
  if(NOT written)
    set(${variable} ${alone} PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/batches/${target})
  execute_process(
    COMMAND /usr/bin/python3 -IS ${CMAKE_SOURCE_DIR}/cmake/batches.py ${CMAKE_SOURCE_DIR} ${folder}
      ${BA_BATCH_SIZE} ${written}
    OUTPUT_VARIABLE batched COMMAND_ERROR_IS_FATAL ANY)
  set(batches ${batched})
  list(FILTER batches INCLUDE REGEX "^${folder}/")
  # To the compiler a batch is one file and its parts are headers, whose types mustn't have private parts.
  # restrict: g++ 12 is wrong about strings that are appended inline (its bug 105651); how much is inline
  # depends on the batch.
  set_source_files_properties(${batches} PROPERTIES
    COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;-Wno-restrict>")
  add_library(${target}_files OBJECT EXCLUDE_FROM_ALL ${written})
  foreach(property INCLUDE_DIRECTORIES LINK_LIBRARIES COMPILE_OPTIONS COMPILE_DEFINITIONS)
    set_property(TARGET ${target}_files PROPERTY ${property} $<TARGET_PROPERTY:${target},${property}>)
  endforeach()
  set(${variable} ${batched} ${alone} PARENT_SCOPE)
endfunction()
