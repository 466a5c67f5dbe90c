// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/registry.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/tool/artifact_arguments.hpp"
#include "pipeline/core/tool/data_sources.hpp"
#include "pipeline/text/semantic/semantic_parameters.hpp"

namespace ba {
namespace {

constexpr std::size_t kNameMax = 64;

bool name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool well_named(std::string_view name) {
  return !name.empty() && name.size() <= kNameMax && std::ranges::all_of(name, name_character);
}

}  // namespace

bool allows(const AllowedTools& allowed, const std::string& name) {
  return !allowed || allowed->contains(name);
}

Result<void> ToolRegistry::add(std::unique_ptr<Tool> tool) {
  const ToolDescriptor& descriptor = tool->descriptor();
  const std::string name = descriptor.name;
  if (!well_named(name))
    return invalid_argument("tool '" + name +
                            "': a name is 1 to 64 letters, digits, underscores and hyphens");
  if (entries_.contains(name)) {
    Error error = invalid_argument("tool '" + name + "': there is one of this name already");
    error.code = ErrorCode::Conflict;
    return error;
  }
  if (descriptor.timeout.count() <= 0)
    return invalid_argument("tool '" + name + "': timeout " +
                            std::to_string(descriptor.timeout.count()) + "ms is not positive");
  const bool has_status = tool->status_source() != nullptr;
  if (has_status != (descriptor.effect == EffectClass::Reconcilable))
    return invalid_argument("tool '" + name + "': declares " +
                            std::string(to_string(descriptor.effect)) +
                            (has_status ? ", so nobody would ask its status function"
                                        : ", but has no status function to ask"));
  if (descriptor.may_be_cached && descriptor.effect != EffectClass::Pure)
    return invalid_argument("tool '" + name + "': its results may be cached, but it declares " +
                            std::string(to_string(descriptor.effect)) + ", not pure");
  if (descriptor.cache_policy != CachePolicy::NoCache && !descriptor.may_be_cached)
    return invalid_argument("tool '" + name + "': cache policy " +
                            std::string(to_string(descriptor.cache_policy)) +
                            ", but its results are never cached (allowed: no_cache)");
  const std::vector<std::string> wrong = wrong_semantics(descriptor.parameters_schema);
  if (!wrong.empty()) return invalid_argument("tool '" + name + "': " + wrong.front());
  Result<std::vector<std::string>> artifacts = artifact_parameters(descriptor.parameters_schema);
  if (!artifacts) return invalid_argument("tool '" + name + "': " + artifacts.error().message);
  Result<SchemaCheck> schema =
      SchemaCheck::compile(descriptor.parameters_schema, descriptor.schema_for_models);
  if (!schema) {
    Error error = schema.error();
    error.message = "tool '" + name + "': " + error.message;
    return error;
  }
  ToolSpec spec{.name = name,
                .description = description_for(descriptor, std::nullopt),
                .parameters_schema = schema->schema_for_models()};
  entries_.emplace(name, Entry{wrapped(std::move(tool)), std::move(*schema), std::move(spec),
                               std::move(*artifacts)});
  return {};
}

void ToolRegistry::remove(std::string_view name) {
  if (const auto entry = entries_.find(name); entry != entries_.end()) entries_.erase(entry);
}

void ToolRegistry::wrap(Around around) {
  BA_ASSERT(!around_);
  around_ = std::move(around);
  for (auto& [name, entry] : entries_) entry.tool = wrapped(std::move(entry.tool));
}

std::unique_ptr<Tool> ToolRegistry::wrapped(std::unique_ptr<Tool> tool) const {
  if (!around_) return tool;
  const bool has_status = tool->status_source() != nullptr;
  tool = around_(std::move(tool));
  BA_ASSERT(has_status == (tool->status_source() != nullptr));
  return tool;
}

const ToolRegistry::Entry* ToolRegistry::find(std::string_view name) const {
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? nullptr : &entry->second;
}

std::vector<ToolSpec> ToolRegistry::specs(const AllowedTools& allowed) const {
  std::vector<ToolSpec> specs;
  for (const auto& [name, entry] : entries_)
    if (allows(allowed, name)) specs.push_back(entry.spec);
  return specs;
}

std::vector<std::string> ToolRegistry::names(const AllowedTools& allowed) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_)
    if (allows(allowed, name)) names.push_back(name);
  return names;
}

}  // namespace ba
