# SPDX-License-Identifier: Apache-2.0
include_guard()

# ba::rdkafka: the static librdkafka that ops/setup has built, or one at -DBA_LIBRDKAFKA_DIR (a folder with
# include/librdkafka/rdkafka.h and lib/librdkafka.a).
# The least version: SCRAM is right since 2.6.1, authorised operations can be asked for since 2.3.0, and
# a coordinator is found again beside an unreachable broker since 2.10.0, which itself could reconnect
# for ever until 2.10.1.
set(BA_LIBRDKAFKA_MIN 2.10.1)

set(ba_rdkafka_dir "${BA_LIBRDKAFKA_DIR}")
if(NOT ba_rdkafka_dir)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/ops/setup --where librdkafka
    OUTPUT_VARIABLE ba_rdkafka_dir OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/ops/librdkafka/source.txt)
endif()
set(ba_rdkafka_header "${ba_rdkafka_dir}/include/librdkafka/rdkafka.h")
if(NOT EXISTS "${ba_rdkafka_header}")
  message(FATAL_ERROR "librdkafka is not at ${ba_rdkafka_dir}: run ops/setup, or give the folder of one "
    "that is ${BA_LIBRDKAFKA_MIN} or later with -DBA_LIBRDKAFKA_DIR")
endif()

file(STRINGS "${ba_rdkafka_header}" ba_rdkafka_line REGEX "^#define RD_KAFKA_VERSION +0x")
string(REGEX REPLACE ".*0x(..)(..)(..)...*" "\\1;\\2;\\3" ba_rdkafka_parts "${ba_rdkafka_line}")
set(ba_rdkafka_numbers)
foreach(part IN LISTS ba_rdkafka_parts)
  math(EXPR number "0x${part}")
  list(APPEND ba_rdkafka_numbers ${number})
endforeach()
list(JOIN ba_rdkafka_numbers . ba_rdkafka_version)
if(ba_rdkafka_version VERSION_LESS BA_LIBRDKAFKA_MIN)
  message(FATAL_ERROR "librdkafka at ${ba_rdkafka_dir} is ${ba_rdkafka_version}; it must be "
    "${BA_LIBRDKAFKA_MIN} or later: run ops/setup and leave BA_LIBRDKAFKA_DIR away")
endif()
message(STATUS "librdkafka ${ba_rdkafka_version}: ${ba_rdkafka_dir}")

find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(BA_ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd)
add_library(ba::rdkafka STATIC IMPORTED GLOBAL)
set_target_properties(ba::rdkafka PROPERTIES
  IMPORTED_LOCATION "${ba_rdkafka_dir}/lib/librdkafka.a"
  INTERFACE_INCLUDE_DIRECTORIES "${ba_rdkafka_dir}/include")
target_link_libraries(ba::rdkafka INTERFACE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB PkgConfig::BA_ZSTD
  Threads::Threads m ${CMAKE_DL_LIBS})
