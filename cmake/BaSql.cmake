# SPDX-License-Identifier: Apache-2.0
include_guard()

# ba_sql_headers(<file.sql> ...): for each, by its path from the folder that calls, a header of the
# same place, <file>.sql.hpp, with the statement `sql::k<File>`. A statement is named after its file,
# so that no two may have one name. And all_statements.hpp of that folder, for tests, has them all.
# Comments at a file's top are for people, and don't reach the server.
function(ba_sql_headers)
  set(includes "")
  set(rows "")
  set(names "")
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  foreach(BA_SQL_FILE IN LISTS ARGN)
    get_filename_component(BA_SQL_NAME ${BA_SQL_FILE} NAME_WE)
    if(BA_SQL_NAME IN_LIST names)
      message(FATAL_ERROR "${folder}/${BA_SQL_FILE}: another statement has the name ${BA_SQL_NAME}")
    endif()
    list(APPEND names ${BA_SQL_NAME})
    set(BA_SQL_CONSTANT "k")
    string(REPLACE "_" ";" words ${BA_SQL_NAME})
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 others)
      string(TOUPPER ${first} first)
      string(APPEND BA_SQL_CONSTANT ${first}${others})
    endforeach()
    file(READ ${BA_SQL_FILE} text)
    string(REGEX REPLACE "^(--[^\n]*\n)+" "" BA_SQL_TEXT "${text}")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/statement.hpp.in
      ${CMAKE_CURRENT_BINARY_DIR}/${BA_SQL_FILE}.hpp @ONLY)
    string(APPEND includes "#include \"${folder}/${BA_SQL_FILE}.hpp\"\n")
    string(APPEND rows "    {\"${folder}/${BA_SQL_FILE}\", &${BA_SQL_CONSTANT}},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/statement.hpp.in)
  file(CONFIGURE OUTPUT all_statements.hpp @ONLY CONTENT "// Generated from the .sql files of ${folder}.
#pragma once
${includes}
namespace ba::storage::sql {

struct StatementFile {
  const char* path;
  const Statement* statement;
};

inline constexpr StatementFile kAll[] = {
${rows}};

}  // namespace ba::storage::sql
")
endfunction()
