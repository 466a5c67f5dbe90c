// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/semantic_parameters.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/canonical_json.hpp"
#include "pipeline/text/semantic/normal_text.hpp"
#include "pipeline/text/semantic/normal_url.hpp"
#include "pipeline/text/semantic/schema_walk.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDeclaration = "x-semantic";

std::string kind_of(const Json* schema) {
  if (schema == nullptr || !schema->is_object()) return "";
  const auto kind = schema->find(kDeclaration);
  return kind == schema->end() || !kind->is_string() ? "" : kind->get<std::string>();
}

/// Reads a value as its schema says; null: it says nothing. Recurses as deep as the arguments are,
/// which was bounded when they were checked.
class Reader {
 public:
  Reader(const Json& root, const SqlReader& sql) : schemas_(root), sql_(sql) {}

  Json read(const Json& value, const Json* schema) {
    const Json* resolved = schemas_.resolve(schema);
    return read_as(kind_of(resolved), value, resolved);
  }

  std::optional<std::string> not_cacheable;

 private:
  Json read_as(const std::string& kind, const Json& value, const Json* schema) {
    if (value.is_string()) {
      const std::string& text = value.get_ref<const std::string&>();
      return kind == "sql" ? read_sql(text) : Json(read_text(kind, text));
    }
    if (value.is_object()) return read_object(value, schema);
    if (!value.is_array()) return value;
    Json items = read_array(kind == "set" ? "" : kind, value, schema);
    return kind == "set" ? as_set(items) : items;
  }

  static std::string read_text(const std::string& kind, const std::string& text) {
    if (kind == "path") return normal_path(text);
    if (kind == "url") return normal_url(text);
    return kind == "text" ? folded_text(text) : nfc(text);
  }

  /// The tree, or the text where there is none. Not in NFC: to a database two ways of writing a
  /// constant are two constants.
  Json read_sql(const std::string& text) {
    Result<SqlReading> reading = sql_.read(text);
    if (!reading) {
      not_cacheable = "its SQL can't be read: " + reading.error().message;
      return text;
    }
    if (reading->not_cacheable) not_cacheable = std::move(reading->not_cacheable);
    return parse_exact_known<Json>(reading->canonical);
  }

  Json read_object(const Json& object, const Json* schema) {
    Json read_members = Json::object();
    for (auto item = object.begin(); item != object.end(); ++item) {
      const Json* member = schemas_.resolve(schemas_.property(schema, item.key()));
      if (kind_of(member) == "ignore") continue;
      std::string name = nfc(item.key());
      if (name != item.key() && object.contains(name)) name = item.key();
      read_members[name] = read(*item, member);
    }
    return read_members;
  }

  /// A kind that is declared of a list of texts is that of each of them.
  Json read_array(const std::string& kind, const Json& array, const Json* schema) {
    Json items = Json::array();
    for (std::size_t i = 0; i < array.size(); ++i) {
      const Json* item = schemas_.resolve(schemas_.item(schema, i));
      const std::string own = kind_of(item);
      items.push_back(read_as(own.empty() ? kind : own, array[i], item));
    }
    return items;
  }

  /// In one order, each member once.
  static Json as_set(const Json& items) {
    std::vector<std::pair<std::string, const Json*>> members;
    for (const Json& item : items)
      members.emplace_back(canonical_json(item, WideIntegers::Exact), &item);
    std::ranges::sort(members);
    Json set = Json::array();
    for (std::size_t i = 0; i < members.size(); ++i)
      if (i == 0 || members[i].first != members[i - 1].first) set.push_back(*members[i].second);
    return set;
  }

  const SchemaWalk schemas_;
  const SqlReader& sql_;
};

void find_wrong(const Json& value, const std::string& place, std::vector<std::string>& wrong) {
  if (!value.is_structured()) return;
  for (auto item = value.begin(); item != value.end(); ++item) {
    const std::string name = value.is_object() ? item.key() : std::to_string(item - value.begin());
    const std::string inner = place.empty() ? name : place + "." + name;
    const bool declared = value.is_object() && name == kDeclaration;
    if (!declared) {
      find_wrong(*item, inner, wrong);
    } else if (!item->is_string() || std::ranges::find(kSemanticKinds, item->get<std::string>()) ==
                                         std::end(kSemanticKinds)) {
      wrong.push_back(inner + ": " + item->dump() +
                      " is not one of sql, path, url, text, set, ignore");
    }
  }
}

}  // namespace

Result<SemanticParameters> semantic_parameters(std::string_view parameters, std::string_view schema,
                                               const SqlReader& sql) {
  return semantics_of(parse_exact<Json>(parameters), schema, sql);
}

Result<SemanticParameters> semantics_of(const Json& values, std::string_view schema,
                                        const SqlReader& sql) {
  const Json declared = parse_exact<Json>(schema);
  if (!values.is_object() || !declared.is_object())
    return invalid_argument("the arguments or their schema are not a JSON object");
  Reader reader(declared, sql);
  SemanticParameters meaning;
  meaning.canonical = canonical_json(reader.read(values, &declared), WideIntegers::Exact);
  meaning.not_cacheable = std::move(reader.not_cacheable);
  return meaning;
}

std::vector<std::string> wrong_semantics(std::string_view schema) {
  std::vector<std::string> wrong;
  const Json declared = parse_exact<Json>(schema);
  if (declared.is_object()) find_wrong(declared, "", wrong);
  return wrong;
}

}  // namespace ba
