#pragma once
// SPDX-License-Identifier: Apache-2.0
// The parts of the question that excess_rights_question() asks: each SELECTs lines, from the roles
// "me" whose rights the current role has (oid, rolname; oid 0 is PUBLIC). Constants.

namespace ba {

extern const char* const kRightsOnTables;  ///< and what new tables bring, and what may be passed on
extern const char* const kRightsOnFunctions;
extern const char* const kRightsInDatabase;  ///< its schemas, temporary tables, ownership
extern const char* const kRoleItself;        ///< attributes, memberships, settings

}  // namespace ba
