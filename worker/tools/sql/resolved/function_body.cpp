// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/function_body.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

/// Where an argument is named: the place in the text, and the argument's number from 1.
using Places = std::map<std::size_t, std::size_t>;

std::string text_of(const Json& field) {
  const auto string = field.find("String");
  return string == field.end() ? "" : string->value("sval", "");
}

class Arguments {
 public:
  Arguments(const std::string& function, const std::vector<std::string>& names)
      : function_(function), names_(names) {}

  void walk(const Json& value) {
    if (value.is_object())
      for (auto item = value.begin(); item != value.end(); ++item) {
        if (item.key() == "ColumnRef") note(*item);
        walk(*item);
      }
    else if (value.is_array())
      for (const Json& item : value) walk(item);
  }

  const Places& places() const { return places_; }
  const std::set<std::string>& replaced() const { return replaced_; }

 private:
  /// `name`, or `function.name`.
  void note(const Json& column) {
    const Json fields = column.value("fields", Json::array());
    if (fields.empty() || fields.size() > 2) return;
    if (fields.size() == 2 && text_of(fields[0]) != function_) return;
    const std::string name = text_of(fields.back());
    const auto found = std::ranges::find(names_, name);
    if (name.empty() || found == names_.end()) return;
    places_[column.value("location", std::size_t{0})] =
        static_cast<std::size_t>(found - names_.begin()) + 1;
    replaced_.insert(fields.size() == 2 ? function_ : name);
  }

  const std::string& function_;
  const std::vector<std::string>& names_;
  Places places_;
  std::set<std::string> replaced_;
};

/// The end of the name, with its dots, that begins at a place.
std::size_t end_of_name(const std::string& text, std::size_t at) {
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '"') quoted = !quoted;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' || c == '"' ||
                        c >= 0x80;
    if (!quoted && !letter) break;
  }
  return at;
}

}  // namespace

std::optional<std::string> body_as_statement(const std::string& body, const std::string& function,
                                             const std::vector<std::string>& names,
                                             std::set<std::string>* replaced) {
  const Result<SqlStatement> statement = parse_statement(body, {});
  if (!statement || statement->node != "SelectStmt") return std::nullopt;
  Arguments arguments(function, names);
  arguments.walk(statement->body);
  if (replaced) *replaced = arguments.replaced();
  std::string text;
  std::size_t from = 0;
  for (const auto& [place, number] : arguments.places()) {
    if (place < from || place >= body.size()) return std::nullopt;
    text += body.substr(from, place - from) + "$" + std::to_string(number);
    from = end_of_name(body, place);
  }
  return text + body.substr(from);
}

bool may_mean_columns(const std::set<std::string>& names, std::string_view tree) {
  // The server breaks lines anywhere between words.
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::string words;
  for (const char c : tree)
    if (!blank(c))
      words += c;
    else if (words.empty() || words.back() != ' ')
      words += ' ';
  words += ' ';
  return std::ranges::any_of(names, [&words](const std::string& name) {
    const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
    return !plain || words.find("\"" + name + "\"") != words.npos ||
           words.find(":aliasname " + name + " ") != words.npos;
  });
}

}  // namespace ba
