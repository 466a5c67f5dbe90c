// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/schema_index.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/core/tool/schema_form.hpp"
#include "pipeline/text/answer/answer.hpp"
#include "pipeline/text/answer/schema_keywords.hpp"
#include "pipeline/text/message/json_proof.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kPatternsMax = 64;
constexpr std::int64_t kPatternBytesMax = 256 * 1024;  ///< of one, compiled
constexpr std::size_t kShown = 80;

std::string quoted(const std::string& text) { return "\"" + cut_code_points(text, kShown) + "\""; }

std::string at(const std::string& place) {
  return place.empty() ? std::string() : cut_code_points(place, 200) + ": ";
}

std::optional<std::string> flaw_of_text(std::string_view text) {
  if (text.size() > kAnswerSchemaBytesMax)
    return "has " + std::to_string(text.size()) + " bytes, the limit is " +
           std::to_string(kAnswerSchemaBytesMax);
  if (const auto problem = json_problem(text, kAnswerSchemaDepthMax))
    return "is not JSON of at most " + std::to_string(kAnswerSchemaDepthMax) +
           " levels: " + *problem;
  if (!json_shape(text).within_limits()) return "is not JSON of " + json_shape_limits();
  const auto schema = parse_exact<nlohmann::ordered_json>(text);
  if (!schema.is_object()) return "must be a JSON Schema object";
  return schema_flaw(schema);
}

}  // namespace

/// Goes through all schemas of a schema, then checks what they refer to.
class SchemaReader {
 public:
  explicit SchemaReader(SchemaIndex& index) : index_(index) {}

  std::optional<std::string> read() {
    if (auto flaw = visit("", index_.root_)) return flaw;
    for (const Reference& reference : references_)
      if (auto flaw = resolve(reference)) return flaw;
    return circle();
  }

 private:
  struct Reference {
    std::string place;
    const Json* schema;
    std::string text;
  };
  enum class Mark { New, Open, Done };

  std::optional<std::string> visit(const std::string& place, const Json& schema) {
    places_.emplace(&schema, place);
    order_.push_back(&schema);
    if (!schema.is_object()) return std::nullopt;
    for (const auto& [name, value] : schema.items())
      if (auto flaw = keyword(place, name, value)) return flaw;
    if (const auto reference = schema.find("$ref"); reference != schema.end())
      references_.push_back({place, &schema, reference->get<std::string>()});
    std::optional<std::string> flaw;
    for_each_schema_in(schema, [&](const std::string& inner, const Json& value, SchemaReach) {
      if (!flaw) flaw = visit(place.empty() ? inner : place + "." + inner, value);
    });
    return flaw;
  }

  std::optional<std::string> keyword(const std::string& place, const std::string& name,
                                     const Json& value) {
    if (is_later_keyword(name))
      return at(place) + name + " is a keyword of a later draft; the schema is read as draft 7";
    if (name == "$id" && !place.empty())
      return at(place) + "$id is allowed at the top of the schema only";
    if (name == "pattern") return pattern(at(place) + name, value.get<std::string>());
    if (name != "patternProperties") return std::nullopt;
    for (const auto& [text, unused] : value.items())
      if (auto flaw = pattern(at(place) + name, text)) return flaw;
    return std::nullopt;
  }

  std::optional<std::string> pattern(const std::string& where, const std::string& text) {
    if (index_.patterns_.contains(text)) return std::nullopt;
    if (index_.patterns_.size() == kPatternsMax)
      return "has more than " + std::to_string(kPatternsMax) + " patterns";
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kPatternBytesMax);
    auto compiled = std::make_unique<RE2>(text, options);
    if (!compiled->ok())
      return where + ": " + quoted(text) + " can't be used: " + compiled->error() +
             " (patterns are those of RE2, without looking ahead or back)";
    index_.patterns_.emplace(text, std::move(compiled));
    return std::nullopt;
  }

  std::optional<std::string> resolve(const Reference& reference) {
    const std::string& text = reference.text;
    if (!text.starts_with("#/") && text != "#")
      return at(reference.place) + "$ref " + quoted(text) +
             " leads out of the schema; only \"#\" and \"#/…\" are followed";
    const Json* target = target_of(text.substr(1));
    if (target == nullptr || !places_.contains(target))
      return at(reference.place) + "$ref " + quoted(text) + " leads to no schema";
    index_.targets_.emplace(text, target);
    return std::nullopt;
  }

  /// The part of the document that a JSON pointer, as of a URI's fragment, names.
  const Json* target_of(const std::string& pointer) const {
    std::string plain;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
      int code = 0;
      const bool escaped = pointer[i] == '%' && i + 2 < pointer.size() &&
                           std::isxdigit(static_cast<unsigned char>(pointer[i + 1])) != 0 &&
                           std::isxdigit(static_cast<unsigned char>(pointer[i + 2])) != 0;
      if (escaped) code = std::stoi(pointer.substr(i + 1, 2), nullptr, 16);
      plain += escaped ? static_cast<char>(code) : pointer[i];
      if (escaped) i += 2;
    }
    try {
      const Json::json_pointer where(plain);
      return index_.root_.contains(where) ? &index_.root_.at(where) : nullptr;
    } catch (const Json::exception&) {
      return nullptr;
    }
  }

  // ---- circles: a schema that asks for itself about the same value never comes to an end --------

  std::optional<std::string> circle() {
    for (const Json* schema : order_)
      if (const Json* in_circle = circle_from(schema))
        return at(places_.at(in_circle)) +
               "the schema refers to itself without going deeper into the answer";
    return std::nullopt;
  }

  /// Without recursion: a chain of references may be as long as the schema.
  const Json* circle_from(const Json* start) {
    std::vector<const Json*> to_do{start};
    while (!to_do.empty()) {
      const Json* schema = to_do.back();
      Mark& mark = marks_[schema];
      if (mark != Mark::New) {
        mark = Mark::Done;
        to_do.pop_back();
        continue;
      }
      mark = Mark::Open;
      for (const Json* next : asked_here(*schema)) {
        const Mark known = marks_[next];
        if (known == Mark::Open) return schema;
        if (known == Mark::New) to_do.push_back(next);
      }
    }
    return nullptr;
  }

  std::vector<const Json*> asked_here(const Json& schema) const {
    std::vector<const Json*> asked;
    for_each_schema_in(schema, [&](const std::string&, const Json& inner, SchemaReach reach) {
      if (reach == SchemaReach::Here) asked.push_back(&inner);
    });
    if (schema.is_object() && schema.contains("$ref"))
      asked.push_back(&index_.target(schema["$ref"].get_ref<const std::string&>()));
    return asked;
  }

  SchemaIndex& index_;
  std::unordered_map<const Json*, std::string> places_;
  std::vector<Reference> references_;
  std::vector<const Json*> order_;
  std::unordered_map<const Json*, Mark> marks_;
};

Result<std::unique_ptr<const SchemaIndex>> SchemaIndex::read(std::string_view schema) {
  if (const auto flaw = flaw_of_text(schema)) return invalid_argument(*flaw);
  std::unique_ptr<SchemaIndex> index(new SchemaIndex);
  index->root_ = parse_exact<Json>(schema);
  if (const auto flaw = SchemaReader(*index).read()) return invalid_argument(*flaw);
  return std::unique_ptr<const SchemaIndex>(std::move(index));
}

}  // namespace ba
