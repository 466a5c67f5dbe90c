// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/node_dump.hpp"

#include <charconv>
#include <set>
#include <string>

#include "worker/tools/base/name_list.hpp"

namespace ba::sql {
namespace {

using Kind = DumpValue::Kind;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }
bool is_bracket(char c) { return c == '(' || c == ')' || c == '{' || c == '}'; }

/// As pg_strtok() of PostgreSQL splits it: brackets stand alone, a backslash keeps what follows.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { advance(); }

  /// Empty at the end.
  std::string_view token() const { return token_; }
  std::size_t position() const { return next_ - token_.size(); }

  std::string_view take() {
    const std::string_view taken = token_;
    advance();
    return taken;
  }

 private:
  void advance() {
    while (next_ < text_.size() && is_space(text_[next_])) ++next_;
    const std::size_t begin = next_;
    if (next_ < text_.size() && is_bracket(text_[next_])) {
      ++next_;
    } else {
      while (next_ < text_.size() && !is_space(text_[next_]) && !is_bracket(text_[next_]))
        next_ += text_[next_] == '\\' && next_ + 1 < text_.size() ? 2 : 1;
    }
    token_ = text_.substr(begin, next_ - begin);
  }

  std::string_view text_;
  std::string_view token_;
  std::size_t next_ = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(text) {}

  Result<DumpValue> read() {
    DumpValue value;
    if (!read_value(value, 0)) return unreadable();
    if (!tokens_.token().empty()) return unreadable();
    return value;
  }

 private:
  Error unreadable() const {
    return invalid_argument("a node tree can't be read at byte " +
                            std::to_string(tokens_.position()));
  }

  bool read_value(DumpValue& value, int depth) {
    const std::string_view token = tokens_.token();
    if (token.empty() || token == ")" || token == "}" || depth > kDumpDepthMax) return false;
    tokens_.take();
    if (token == "{") return read_node(value, depth);
    if (token == "(") return read_list(value, depth);
    value.kind = token == "<>" ? Kind::Nothing : Kind::Atom;
    value.text = token;
    return true;
  }

  bool read_list(DumpValue& value, int depth) {
    value.kind = Kind::List;
    while (tokens_.token() != ")")
      if (!read_value(value.items.emplace_back(), depth + 1)) return false;
    tokens_.take();
    return true;
  }

  bool read_node(DumpValue& value, int depth) {
    value.kind = Kind::Node;
    value.text = tokens_.take();
    if (value.text.empty() || is_bracket(value.text[0])) return false;
    while (tokens_.token() != "}")
      if (!read_field(value, depth)) return false;
    tokens_.take();
    return true;
  }

  /// A key and its value; the bytes of a constant follow their number.
  bool read_field(DumpValue& node, int depth) {
    const std::string_view key = tokens_.take();
    if (key.size() < 2 || key[0] != ':') return false;
    node.fields.push_back({key.substr(1), {}});
    DumpValue& value = node.fields.back().value;
    if (!read_value(value, depth + 1)) return false;
    while (!tokens_.token().empty() && !is_bracket(tokens_.token()[0]) && tokens_.token()[0] != ':')
      extend(value, tokens_.take());
    return true;
  }

  /// Both are views into one text.
  static void extend(DumpValue& value, std::string_view token) {
    if (value.kind != Kind::Atom) return;
    value.text = {value.text.data(),
                  static_cast<std::size_t>(token.data() + token.size() - value.text.data())};
  }

  Tokens tokens_;
};

/// Some were renamed: ARRAY is ARRAYEXPR since 16, and so are others. Not here, so unknown:
/// MERGEACTION, what plans have, and raw parse nodes. PARAM is an argument of a function's body.
const tools::NameList kNodes = tools::name_list(
    "AGGREF ALIAS ARRAY ARRAYCOERCEEXPR ARRAYEXPR BOOLEANTEST BOOLEXPR CASE CASEEXPR "
    "CASETESTEXPR CASEWHEN COALESCE COALESCEEXPR COERCETODOMAIN COERCETODOMAINVALUE COERCEVIAIO "
    "COLLATE COLLATEEXPR COMMONTABLEEXPR CONST CONVERTROWTYPEEXPR CTECYCLECLAUSE CTESEARCHCLAUSE "
    "CURRENTOFEXPR DISTINCTEXPR FIELDSELECT FIELDSTORE FROMEXPR FUNCEXPR GROUPINGFUNC "
    "GROUPINGSET INFERENCEELEM JOINEXPR JSONBEHAVIOR JSONCONSTRUCTOREXPR JSONEXPR JSONFORMAT "
    "JSONISPREDICATE JSONRETURNING JSONTABLEPATH JSONTABLEPATHSCAN JSONTABLESIBLINGJOIN "
    "JSONVALUEEXPR MINMAX MINMAXEXPR NAMEDARGEXPR NEXTVALUEEXPR NULLIFEXPR NULLTEST "
    "ONCONFLICTEXPR OPEXPR PARAM QUERY RANGETBLENTRY RANGETBLFUNCTION RANGETBLREF RELABELTYPE "
    "RETURNINGEXPR ROW ROWCOMPARE ROWCOMPAREEXPR ROWEXPR ROWMARKCLAUSE RTE RTEPERMISSIONINFO "
    "SCALARARRAYOPEXPR SETOPERATIONSTMT SETTODEFAULT SORTGROUPCLAUSE SQLVALUEFUNCTION SUBLINK "
    "SUBSCRIPTINGREF TABLEFUNC TABLESAMPLECLAUSE TARGETENTRY VAR WHEN WINDOWCLAUSE WINDOWFUNC "
    "WITHCHECKOPTION XMLEXPR");

const tools::NameList kFunctionKeys{"aggfnoid", "endInRangeFunc",   "funcid",     "opfuncid",
                                    "winfnoid", "startInRangeFunc", "hashfuncid", "negfuncid"};

const tools::NameList kOperatorKeys{"cycle_mark_neop", "eqop", "opno", "opnos", "sortop"};

const tools::NameList kOwnersKeys{"securityQuals", "withCheckOptions"};

/// regrole, aclitem, cstring and internal, and the arrays of them; anyarray.
const std::set<unsigned> kRefusedTypes{4096, 4097, 1033, 1034, 2275, 1263, 2281, 2277};

}  // namespace

const DumpValue* DumpValue::field(std::string_view key) const {
  for (const auto& [name, value] : fields)
    if (name == key) return &value;
  return nullptr;
}

unsigned DumpValue::number() const {
  unsigned number = 0;
  if (kind != Kind::Atom) return 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

unsigned DumpValue::number_of(std::string_view key) const {
  const DumpValue* value = field(key);
  return value ? value->number() : 0;
}

Result<DumpValue> read_node_dump(std::string_view text) { return Reader(text).read(); }

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

}  // namespace ba::sql
