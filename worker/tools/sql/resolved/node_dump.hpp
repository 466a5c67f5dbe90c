// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the text form of PostgreSQL's node trees, as debug_print_rewritten and columns of type
// pg_node_tree have it (src/backend/nodes/outfuncs.c of PostgreSQL 13 to 18):
//
//   {FUNCEXPR :funcid 2022 :args ({CONST :consttype 23 :constvalue 4 [ 1 0 0 0 ]}) :location 22}
//
// What foreign names hold is escaped there, so that no name can look like a node; a name that looks
// like a key is read as the value that it is. The views point into the text. Values; any thread.

#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba::sql {

struct DumpField;

struct DumpValue {
  enum class Kind { Nothing, Atom, List, Node };

  Kind kind = Kind::Nothing;
  std::string_view text;          ///< of an atom as it is written, or the name of a node
  std::vector<DumpField> fields;  ///< of a node, in their order; a key may come twice
  std::vector<DumpValue> items;   ///< of a list

  /// The first field of this key; null: there is none.
  const DumpValue* field(std::string_view key) const;

  /// Of an atom: a number without sign; 0 for anything else.
  unsigned number() const;
  /// Of a field; 0 where it is none.
  unsigned number_of(std::string_view key) const;

  bool is_node(std::string_view name) const { return kind == Kind::Node && text == name; }
};

struct DumpField {
  std::string_view key;
  DumpValue value;
};

inline constexpr int kDumpDepthMax = 5000;

/// One value and nothing behind it. InvalidArgument says where it can't be read.
Result<DumpValue> read_node_dump(std::string_view text);

// Names in these trees: which nodes an analysed statement may hold, and which of their keys hold
// the oid of what is called.

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

}  // namespace ba::sql
