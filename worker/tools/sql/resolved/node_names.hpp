#pragma once
// SPDX-License-Identifier: Apache-2.0
// Names in PostgreSQL's node trees, of versions 13 to 18 (src/backend/nodes, outfuncs.c): which
// nodes an analysed statement may hold, and which of their keys hold the oid of what is called.
// Data only. Any thread.

#include <string_view>

namespace ba {

/// Versions of servers whose trees are known. Of others nothing can be said.
inline constexpr int kServerMajorMin = 13;
inline constexpr int kServerMajorMax = 18;

bool is_known_node(std::string_view node);

/// A range table entry, under either of its names.
bool is_range_entry(std::string_view node);

bool is_function_key(std::string_view key);
bool is_operator_key(std::string_view key);
bool is_type_key(std::string_view key);

/// Whether what stands below was written by the owner of a table: row security, checks of views.
bool is_owners_key(std::string_view key);

/// Types of the system that no statement may use: names of roles and rights, and the forms in which
/// types are read and written (cstring, internal), by which their functions could be called; and
/// anyarray, which a column of the catalog has: only its values say of which type they are.
bool is_refused_type(unsigned oid);

}  // namespace ba
