#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the tools over SQL have in common: a call names a statement and a data source, a guard may
// refuse it, and a source has a session for each of its threads. Values and pure functions.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/error.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba::sql {

/// The JSON Schema of a call. `about`: for the model, what statement it takes. No `sources`: any
/// name. `row_limit`: a call may ask for so many rows; none: it doesn't say.
std::string sql_call_schema(const std::vector<std::string>& sources, std::string_view about,
                            std::optional<int> row_limit = std::nullopt);

/// What a guard found wrong, for the model.
ToolError sql_refusal(const Error& error);

template <typename Config>
std::vector<std::string> names_of(const std::vector<Config>& sources) {
  std::vector<std::string> names;
  for (const Config& source : sources) names.push_back(source.name);
  return names;
}

/// One that the schema let through.
template <typename Source>
Source& source_named(const std::vector<std::unique_ptr<Source>>& sources, const std::string& name) {
  const auto found = std::ranges::find(sources, name, [](const auto& one) { return one->name(); });
  BA_ASSERT(found != sources.end());
  return **found;
}

/// A session for each thread of a source: as many as its pool has.
template <typename Session, typename Config>
std::vector<std::unique_ptr<Session>> sessions_of(const Config& source) {
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < source.pool_size; ++i) sessions.push_back(std::make_unique<Session>(source));
  return sessions;
}

}  // namespace ba::sql
