// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_fits.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "worker/llm/tool_schema_parts.hpp"

namespace ba::llm {
namespace {

using Json = nlohmann::ordered_json;

FittedSchema faulty(std::string fault) {
  return {.schema = "", .note = "", .fault = std::move(fault)};
}

constexpr std::string_view kTooLarge = "too large: ";

FittedSchema too_large(const std::string& fault) { return faulty(std::string(kTooLarge) + fault); }

/// Of the top: what an object's schema may say of its type.
bool may_be_object(const Json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end() || *type == "object") return true;
  if (!type->is_array()) return false;
  for (const Json& one : *type)
    if (one == "object") return true;
  return false;
}

std::string lines_of(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : "\n") + note;
  return text;
}

/// With references that lead to themselves filled in `levels` times.
FittedSchema fitted_to(const Json& whole, int levels, const ToolRules& rules) {
  const std::string parts = std::to_string(kSchemaPartsMax);
  std::optional<Json> filled = without_references(whole, levels);
  if (!filled) return too_large("its schema has more than " + parts + " parts");
  Json& schema = *filled;
  if (!may_be_object(schema))
    return faulty("its schema is of type " + shown_value(schema["type"]) +
                  ", and arguments are an object");
  std::vector<std::string> notes;
  if (rules.plain_top) make_plain_top(schema, notes);
  if (!fit_parts(schema, rules, notes))
    return too_large("its schema has more than " + parts + " parts in the form for " +
                     std::string(rules.who));
  FittedSchema fitted;
  // Without parameters there is no schema that it takes.
  if (!rules.known_required || schema.contains("properties")) fitted.schema = dump_exact(schema);
  fitted.note = lines_of(notes);
  const std::size_t bytes = fitted.schema.size() + fitted.note.size();
  if (bytes > kSentSchemaBytesMax)
    return too_large("its schema has " + std::to_string(bytes) +
                     " bytes when its references are filled in; at most " +
                     std::to_string(kSentSchemaBytesMax) + " are sent");
  return fitted;
}

constexpr std::size_t kToldMax = 20'000;             ///< remembered; then it begins anew
constexpr std::size_t kKnownBytesMax = 64ull << 20;  ///< of schemas remembered, likewise
constexpr std::size_t kEntryBytes = 256;             ///< of one, beside its texts
constexpr std::size_t kMadeMax = 64;                 ///< offers remembered, likewise

std::size_t place_of(const std::string& tool, const std::vector<std::string>& first) {
  return static_cast<std::size_t>(std::ranges::find(first, tool) - first.begin());
}

/// The last ones of the order, as many as there are too many.
std::set<std::string> surplus(const std::vector<ToolSpec>& tools,
                              const std::vector<std::string>& first, std::size_t tools_max) {
  if (tools_max == 0 || tools.size() <= tools_max) return {};
  std::vector<std::pair<std::size_t, std::size_t>> order;  // by its place, then by where it stands
  for (std::size_t i = 0; i < tools.size(); ++i)
    order.emplace_back(place_of(tools[i].name, first), i);
  std::ranges::sort(order);
  std::set<std::string> names;
  for (std::size_t i = tools_max; i < order.size(); ++i) names.insert(tools[order[i].second].name);
  return names;
}

}  // namespace

FittedSchema fitted_schema(std::string_view text, const ToolRules& rules) {
  if (rules.as_is) return {.schema = std::string(text), .note = "", .fault = ""};
  if (text.size() > kReadSchemaBytesMax)
    return too_large("its schema has " + std::to_string(text.size()) + " bytes; at most " +
                     std::to_string(kReadSchemaBytesMax) + " are read");
  if (!json_shape(text).within_limits())
    return faulty("its schema is deeper or wider than JSON of " + json_shape_limits());
  const Json schema = parse_exact<Json>(text);
  if (!schema.is_object()) return faulty("its schema is not JSON of an object");
  constexpr int kLevels = 3;
  FittedSchema fitted;
  for (int levels = kLevels; levels >= -1; --levels) {
    fitted = fitted_to(schema, levels, rules);
    if (!fitted.fault.starts_with(kTooLarge)) break;
  }
  return fitted;
}

ToolOffer ToolFits::offer(const std::string& model, const ToolSpecList& tools,
                          const std::vector<std::string>& first) {
  for (const Made& one : made_)
    if (one.tools.is(tools) && one.model == model && one.first == first) return one.offer;
  if (made_.size() >= kMadeMax) made_.clear();
  made_.push_back({model, tools, first, made(model, tools, first)});
  return made_.back().offer;
}

ToolOffer ToolFits::made(const std::string& model, const ToolSpecList& tools,
                         const std::vector<std::string>& first) {
  const ModelConfig* asked = config_.model(model);
  const ProviderConfig* provider = asked == nullptr ? nullptr : config_.provider(asked->provider);
  if (provider == nullptr) return {.tools = tools, .left_out = {}};
  const ToolRules& rules = tool_rules(*provider, *asked);
  ToolOffer offer;
  std::vector<ToolSpec> all;
  const auto leave_out = [&](const std::string& tool, LeftOutReason reason, std::string why) {
    offer.left_out.push_back({tool, model, reason, std::move(why)});
  };
  for (const ToolSpec& tool : tools) {
    if (std::string fault = name_fault(tool.name, rules); !fault.empty()) {
      leave_out(tool.name, LeftOutReason::Name, std::move(fault));
      continue;
    }
    const FittedSchema& its = fitted(tool.parameters_schema, rules);
    if (!its.fault.empty()) {
      leave_out(tool.name, LeftOutReason::Schema, its.fault);
      continue;
    }
    ToolSpec taken{tool.name, tool.description, its.schema};
    if (!its.note.empty()) taken.description += (taken.description.empty() ? "" : "\n") + its.note;
    all.push_back(std::move(taken));
  }
  const std::set<std::string> late = surplus(all, first, rules.tools_max);
  std::erase_if(all, [&](const ToolSpec& tool) { return late.contains(tool.name); });
  for (const std::string& tool : late)
    leave_out(tool, LeftOutReason::TooMany,
              std::string(rules.who) + " takes at most " + std::to_string(rules.tools_max) +
                  " tools; the order of the agent's list decides which");
  // Mostly nothing is rewritten: then it is the list that is held already.
  offer.tools = all == tools.all() ? tools : ToolSpecList(std::move(all));
  if (tell_) tell_once(offer.left_out);
  return offer;
}

void ToolFits::tell_once(const std::vector<LeftOutTool>& left_out) {
  if (told_.size() >= kToldMax) told_.clear();
  for (const LeftOutTool& tool : left_out)
    if (told_.emplace(tool.tool, tool.model).second) tell_(tool);
}

const FittedSchema& ToolFits::fitted(const std::string& schema, const ToolRules& rules) {
  auto key = std::pair(&rules, schema);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  FittedSchema its = fitted_schema(schema, rules);
  const std::size_t bytes =
      kEntryBytes + schema.size() + its.schema.size() + its.note.size() + its.fault.size();
  if (known_bytes_ + bytes > kKnownBytesMax) {
    known_.clear();
    known_bytes_ = 0;
  }
  known_bytes_ += bytes;
  return known_.emplace(std::move(key), std::move(its)).first->second;
}

}  // namespace ba::llm
