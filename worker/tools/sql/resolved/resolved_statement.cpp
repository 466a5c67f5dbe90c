// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/resolved_statement.hpp"

#include <algorithm>
#include <sstream>

namespace ba::sql {
namespace {

using Kind = DumpValue::Kind;

constexpr unsigned kSelect = 1;  ///< CmdType of PostgreSQL
constexpr unsigned kInsert = 3;
constexpr unsigned kRelationEntry = 0;  ///< RTEKind of PostgreSQL
constexpr unsigned kSubqueryEntry = 1;

/// Types whose reading of a text may give the time: date, time, timestamp, timestamptz and timetz,
/// arrays, ranges and multiranges of them.
const std::set<unsigned> kTimeTypes{1082, 1083, 1114, 1184, 1266, 1182, 1183, 1115,
                                    1185, 1270, 3908, 3909, 3910, 3911, 3912, 3913,
                                    4533, 4534, 4535, 6152, 6153, 6155};
bool is_true(const DumpValue* value) { return value && value->text == "true"; }

/// The number of a list "(o 1 2)" or "(i 1 2)", or of its one atom.
template <class Take>
void each_oid(const DumpValue& value, const Take& take) {
  if (value.number() > 0) take(value.number());
  for (const DumpValue& item : value.items)
    if (item.number() > 0) take(item.number());
}

/// An oid as the bytes of a constant: "4 [ 57 64 0 0 0 0 0 0 ]", the lowest first, each signed.
unsigned oid_in(std::string_view constant) {
  std::istringstream text{std::string(constant)};
  std::string length, open;
  text >> length >> open;
  unsigned oid = 0;
  int byte = 0;
  for (int i = 0; i < 4; ++i) {
    if (!(text >> byte)) return 0;
    oid |= (static_cast<unsigned>(byte) & 0xffU) << (8 * i);
  }
  return oid;
}

class Walk {
 public:
  Walk(ResolvedStatement& found, bool stored) : found_(found), stored_(stored) {}

  void value(const DumpValue& value, WrittenBy by) {
    if (value.kind == Kind::Node) return node(value, by);
    for (const DumpValue& item : value.items) this->value(item, by);
  }

 private:
  void node(const DumpValue& node, WrittenBy by) {
    if (!is_known_node(node.text)) return unknown(node.text);
    if (node.text == "QUERY") return query(node, by);
    if (is_range_entry(node.text)) return range_entry(node, by);
    special(node, by);
    for (const auto& [key, value] : node.fields) field(key, value, by);
  }

  void unknown(std::string_view name) {
    if (!found_.unknown) found_.unknown = std::string(name);
  }

  void changes(std::string why) {
    if (!found_.changes) found_.changes = std::move(why);
  }

  /// What is called by an oid, and what lies below.
  void field(std::string_view key, const DumpValue& value, WrittenBy by) {
    if (is_function_key(key)) {
      if (value.number() > 0) note(found_.functions, value.number(), by);
    } else if (is_operator_key(key)) {
      each_oid(value, [this](unsigned oid) { note_operator(oid); });
    } else if (is_type_key(key)) {
      each_oid(value, [this](unsigned oid) { note_type(oid); });
    }
    if (key == "joinaliasvars") return merged_columns(value, by);
    this->value(value, is_owners_key(key) ? WrittenBy::Owner : by);
  }

  /// All columns of a join stand here, asked for or not; what is asked for stands elsewhere, too.
  /// Of a merged column the expression is here alone.
  void merged_columns(const DumpValue& columns, WrittenBy by) {
    for (const DumpValue& column : columns.items)
      if (!column.is_node("VAR")) value(column, by);
  }

  static void note(Uses& uses, unsigned oid, WrittenBy by) {
    WrittenBy& known = uses.emplace(oid, by).first->second;
    if (by == WrittenBy::Author) known = by;
  }

  void note_operator(unsigned oid) {
    (oid >= kFirstUserOid ? found_.operators : found_.system_operators).insert(oid);
  }

  void note_type(unsigned oid) {
    const bool systems = oid < kFirstUserOid && !is_refused_type(oid);
    (systems ? found_.system_types : found_.types).insert(oid);
  }

  void query(const DumpValue& query, WrittenBy by) {
    const DumpValue* utility = query.field("utilityStmt");
    if (utility && utility->kind != Kind::Nothing) return unknown("a utility statement");
    if (is_true(query.field("hasForUpdate"))) found_.locks_rows = true;
    if (const DumpValue* marks = query.field("rowMarks"); marks && !marks->items.empty())
      found_.locks_rows = true;
    if (is_true(query.field("hasRowSecurity"))) found_.row_security = found_.holds_back = true;
    target(query);
    system_rows(query, by);
    for (const auto& [key, value] : query.fields) field(key, value, by);
  }

  void target(const DumpValue& query) {
    const unsigned command = query.number_of("commandType");
    if (command == kSelect) return;
    const DumpValue* entries = query.field("rtable");
    const unsigned index = query.number_of("resultRelation");
    if (!entries || index == 0 || index > entries->items.size()) return unknown("its target");
    const unsigned relation = entries->items[index - 1].number_of("relid");
    if (relation == 0) return unknown("its target");
    found_.targets[relation].insert(command);
    const DumpValue* heirs = entries->items[index - 1].field("inh");
    if (heirs && heirs->text == "false" && command != kInsert) found_.only.insert(relation);
    note_columns(query.field("targetList"), relation);
    const DumpValue* conflict = query.field("onConflict");
    if (!conflict || conflict->kind != Kind::Node) return;
    const DumpValue* set = conflict->field("onConflictSet");
    if (!set || set->items.empty()) return;
    found_.targets[relation].insert(2);
    note_columns(set, relation);
  }

  void note_columns(const DumpValue* targets, unsigned relation) {
    if (!targets) return;
    for (const DumpValue& target : targets->items)
      found_.written_columns[relation].insert(target.number_of("resno"));
  }

  /// `SELECT c FROM pg_class c` holds columns that may not be asked for.
  void system_rows(const DumpValue& query, WrittenBy by) {
    const DumpValue* entries = query.field("rtable");
    if (!entries || by == WrittenBy::Owner) return;
    const bool system = std::ranges::any_of(entries->items, [](const DumpValue& entry) {
      const unsigned relation = entry.number_of("relid");
      return relation > 0 && relation < kFirstUserOid;
    });
    system_table_named_ = system_table_named_ || system;
    found_.whole_system_row = system_table_named_ && whole_row_;
  }

  void range_entry(const DumpValue& entry, WrittenBy by) {
    const unsigned kind = entry.number_of("rtekind");
    const unsigned relation = entry.number_of("relid");
    const DumpValue* subquery = entry.field("subquery");
    if (kind == kRelationEntry && relation > 0 && !is_placeholder(entry)) {
      note(found_.relations, relation, by);
      if (stored_) found_.stored.insert(relation);
      if (entry.field("relkind") && entry.field("relkind")->text == "f")
        changes("a foreign table's rows come from elsewhere");
    }
    if (is_true(entry.field("security_barrier"))) found_.holds_back = true;
    const unsigned view = kind == kSubqueryEntry && subquery ? view_of(entry, *subquery) : 0;
    if (view > 0) {
      note(found_.relations, view, by);
      // The system's own views are judged by their names alone.
      if (view < kFirstUserOid) return;
      by = WrittenBy::Owner;
    }
    for (const auto& [key, value] : entry.fields) field(key, value, by);
  }

  /// The rows OLD and NEW in a view's rule: what stands there is never read.
  static bool is_placeholder(const DumpValue& entry) {
    const DumpValue* kind = entry.field("relkind");
    return kind && kind->text == "v" && entry.field("inFromCl") &&
           !is_true(entry.field("inFromCl"));
  }

  /// The view that a subquery came from: named by the entry since PostgreSQL 16, before that by the
  /// placeholders of its rule. 0: it is none.
  static unsigned view_of(const DumpValue& entry, const DumpValue& subquery) {
    const DumpValue* kind = entry.field("relkind");
    if (entry.number_of("relid") > 0 && kind && kind->text == "v") return entry.number_of("relid");
    const DumpValue* entries = subquery.field("rtable");
    if (!entries || entries->items.empty() || !is_placeholder(entries->items[0])) return 0;
    return entries->items[0].number_of("relid");
  }

  void special(const DumpValue& node, WrittenBy by) {
    const std::string_view name = node.text;
    if (name == "VAR") return variable(node, by);
    if (name == "SQLVALUEFUNCTION") return session_value(node, by);
    if (name == "NEXTVALUEEXPR") found_.sequences.insert(node.number_of("seqid"));
    if (name == "CURRENTOFEXPR") return unknown("CURRENT OF");
    if (name == "TABLESAMPLECLAUSE") {
      found_.samplers.insert(node.number_of("tsmhandler"));
      changes("TABLESAMPLE picks other rows each time");
    }
    if (name == "FUNCEXPR" && node.number_of("funcid") == kNextvalOid) sequence_of(node);
    if (name == "COERCEVIAIO") coercion(node.number_of("resulttype"));
    if (name == "JSONRETURNING") coercion(node.number_of("typid"));
    if (name == "TABLEFUNC")
      if (const DumpValue* types = node.field("coltypes"))
        each_oid(*types, [this](unsigned type) { coercion(type); });
  }

  void variable(const DumpValue& node, WrittenBy by) {
    const DumpValue* number = node.field("varattno");
    if (!number || number->text.empty()) return unknown("VAR");
    if (number->text == "0" && by == WrittenBy::Author) whole_row_ = true;
    if (number->text[0] == '-') changes("a system column says where a row is stored");
    found_.whole_system_row = system_table_named_ && whole_row_;
  }

  /// SQLValueFunctionOp of PostgreSQL: from CURRENT_ROLE on it is about who and where one is.
  void session_value(const DumpValue& node, WrittenBy by) {
    constexpr unsigned kCurrentRole = 9;
    constexpr unsigned kCurrentCatalog = 13;
    const unsigned op = node.number_of("op");
    changes("it asks for the time or the session");
    if (op >= kCurrentRole && op < kCurrentCatalog && by == WrittenBy::Author)
      found_.asks_for_session = true;
  }

  void sequence_of(const DumpValue& call) {
    const DumpValue* arguments = call.field("args");
    const bool constant =
        arguments && arguments->items.size() == 1 && arguments->items[0].is_node("CONST");
    const DumpValue* bytes = constant ? arguments->items[0].field("constvalue") : nullptr;
    const unsigned sequence = bytes ? oid_in(bytes->text) : 0;
    if (sequence == 0) return unknown("nextval() of what is no constant");
    found_.sequences.insert(sequence);
  }

  /// PostgreSQL reads 'now' and 'today' when a text becomes a date.
  void coercion(unsigned type) {
    if (kTimeTypes.contains(type) || type >= kFirstUserOid)
      changes("a text becomes a date or time, which may spell the present");
  }

  ResolvedStatement& found_;
  const bool stored_;
  bool system_table_named_ = false;
  bool whole_row_ = false;
};

Result<void> add(ResolvedStatement& found, std::string_view dump, bool stored, WrittenBy by) {
  const Result<DumpValue> tree = read_node_dump(dump);
  if (!tree) return tree.error();
  Walk(found, stored).value(*tree, by);
  return {};
}

}  // namespace

Result<void> ResolvedStatement::add_rewritten(std::string_view dump) {
  return add(*this, dump, false, WrittenBy::Author);
}

Result<void> ResolvedStatement::add_body(std::string_view dump) {
  return add(*this, dump, false, WrittenBy::Owner);
}

Result<void> ResolvedStatement::add_stored(std::string_view dump) {
  return add(*this, dump, true, WrittenBy::Owner);
}

}  // namespace ba::sql
