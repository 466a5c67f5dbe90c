# SPDX-License-Identifier: Apache-2.0
include_guard()

# <nlohmann/json.hpp> has the literal ""_json as an inline function. g++ instantiates what such a function
# calls in every file that includes it, used or not: here the whole parser, more than a quarter of
# what the header costs. So the build includes a copy that only declares the literal; whoever uses it isn't linked. Where
# the header reads otherwise it is used as it is, which costs time and nothing else.
find_package(nlohmann_json 3.11 REQUIRED)

function(ba_json_without_literal)
  get_target_property(folders nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
  find_file(BA_JSON_HEADER nlohmann/json.hpp HINTS ${folders} REQUIRED)
  file(READ ${BA_JSON_HEADER} text)
  set(literal "inline nlohmann::json operator \"\" _json(const char* s, std::size_t n)")
  set(body "\n{\n    return nlohmann::json::parse(s, s + n);\n}\n")
  string(REPLACE "${literal}${body}" "nlohmann::json operator \"\" _json(const char* s, std::size_t n);\n"
    copy "${text}")
  if(copy STREQUAL text)
    message(STATUS "${BA_JSON_HEADER} has another literal \"\"_json than expected: it is used as it is")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${BA_JSON_HEADER})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/json/nlohmann/json.hpp CONTENT "${copy}" @ONLY)
  include_directories(SYSTEM ${CMAKE_BINARY_DIR}/json)
endfunction()
ba_json_without_literal()
