#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a role may do that a reader need not, each with the statements that end it: they name who
// was granted the right (a role, or PUBLIC), or who owns the thing. Pure; any thread.

#include <string>

namespace ba {

/// In SQL, without parameters, of the role that asks; search_path is pg_catalog. One column, a line
/// in each row: "may write public.sales and 1 more: REVOKE …".
const std::string& excess_rights_question();

}  // namespace ba
