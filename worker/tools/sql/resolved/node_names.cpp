// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/node_names.hpp"

#include <set>

namespace ba {
namespace {

using Names = std::set<std::string_view>;

/// Some were renamed: ARRAY is ARRAYEXPR since 16, and so are others. Not here, so unknown:
/// MERGEACTION, what plans have, and raw parse nodes. PARAM is an argument of a function's body.
const Names kNodes{"AGGREF",
                   "ALIAS",
                   "ARRAY",
                   "ARRAYCOERCEEXPR",
                   "ARRAYEXPR",
                   "BOOLEANTEST",
                   "BOOLEXPR",
                   "CASE",
                   "CASEEXPR",
                   "CASETESTEXPR",
                   "CASEWHEN",
                   "COALESCE",
                   "COALESCEEXPR",
                   "COERCETODOMAIN",
                   "COERCETODOMAINVALUE",
                   "COERCEVIAIO",
                   "COLLATE",
                   "COLLATEEXPR",
                   "COMMONTABLEEXPR",
                   "CONST",
                   "CONVERTROWTYPEEXPR",
                   "CTECYCLECLAUSE",
                   "CTESEARCHCLAUSE",
                   "CURRENTOFEXPR",
                   "DISTINCTEXPR",
                   "FIELDSELECT",
                   "FIELDSTORE",
                   "FROMEXPR",
                   "FUNCEXPR",
                   "GROUPINGFUNC",
                   "GROUPINGSET",
                   "INFERENCEELEM",
                   "JOINEXPR",
                   "JSONBEHAVIOR",
                   "JSONCONSTRUCTOREXPR",
                   "JSONEXPR",
                   "JSONFORMAT",
                   "JSONISPREDICATE",
                   "JSONRETURNING",
                   "JSONTABLEPATH",
                   "JSONTABLEPATHSCAN",
                   "JSONTABLESIBLINGJOIN",
                   "JSONVALUEEXPR",
                   "MINMAX",
                   "MINMAXEXPR",
                   "NAMEDARGEXPR",
                   "NEXTVALUEEXPR",
                   "NULLIFEXPR",
                   "NULLTEST",
                   "ONCONFLICTEXPR",
                   "OPEXPR",
                   "PARAM",
                   "QUERY",
                   "RANGETBLENTRY",
                   "RANGETBLFUNCTION",
                   "RANGETBLREF",
                   "RELABELTYPE",
                   "RETURNINGEXPR",
                   "ROW",
                   "ROWCOMPARE",
                   "ROWCOMPAREEXPR",
                   "ROWEXPR",
                   "ROWMARKCLAUSE",
                   "RTE",
                   "RTEPERMISSIONINFO",
                   "SCALARARRAYOPEXPR",
                   "SETOPERATIONSTMT",
                   "SETTODEFAULT",
                   "SORTGROUPCLAUSE",
                   "SQLVALUEFUNCTION",
                   "SUBLINK",
                   "SUBSCRIPTINGREF",
                   "TABLEFUNC",
                   "TABLESAMPLECLAUSE",
                   "TARGETENTRY",
                   "VAR",
                   "WHEN",
                   "WINDOWCLAUSE",
                   "WINDOWFUNC",
                   "WITHCHECKOPTION",
                   "XMLEXPR"};

const Names kFunctionKeys{"aggfnoid", "endInRangeFunc",   "funcid",     "opfuncid",
                          "winfnoid", "startInRangeFunc", "hashfuncid", "negfuncid"};

const Names kOperatorKeys{"cycle_mark_neop", "eqop", "opno", "opnos", "sortop"};

const Names kOwnersKeys{"securityQuals", "withCheckOptions"};

/// regrole, aclitem, cstring and internal, and the arrays of them; anyarray.
const std::set<unsigned> kRefusedTypes{4096, 4097, 1033, 1034, 2275, 1263, 2281, 2277};

}  // namespace

bool is_known_node(std::string_view node) { return kNodes.contains(node); }
bool is_range_entry(std::string_view node) { return node == "RTE" || node == "RANGETBLENTRY"; }
bool is_function_key(std::string_view key) { return kFunctionKeys.contains(key); }
bool is_operator_key(std::string_view key) { return kOperatorKeys.contains(key); }
bool is_owners_key(std::string_view key) { return kOwnersKeys.contains(key); }

bool is_type_key(std::string_view key) {
  return key.find("type") != std::string_view::npos || key.find("Type") != std::string_view::npos ||
         key == "typid";
}

bool is_refused_type(unsigned oid) { return kRefusedTypes.contains(oid); }

}  // namespace ba
