#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools this process has, by name. Filled once at start, then only read. Owned by the process;
// it owns the tools and their compiled schemas. Control thread only.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/schema_check.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// Names of the tools a conversation may use. None: every tool there is.
using AllowedTools = std::optional<std::set<std::string>>;

bool allows(const AllowedTools& allowed, const std::string& name);

class ToolRegistry {
 public:
  struct Entry {
    std::unique_ptr<Tool> tool;
    SchemaCheck schema;
    ToolSpec spec;
    std::vector<std::string> artifact_parameters;  ///< those that name an artifact
  };

  ToolRegistry() = default;
  ToolRegistry(const ToolRegistry&) = delete;
  ToolRegistry& operator=(const ToolRegistry&) = delete;

  /// Between calls, too: who asks for the tools after it sees it. Refuses with Conflict a name that
  /// is taken, and with InvalidArgument an ill-formed one, a schema that is not that of an object,
  /// declares the reserved `output_level`, an unknown `x-semantic` or a wrong `x-artifact`, a
  /// reconcilable tool without a status function, and a cache policy where nothing may be cached.
  Result<void> add(std::unique_ptr<Tool> tool);

  /// Takes one away that nobody has called, if it is there.
  void remove(std::string_view name);

  using Around = std::function<std::unique_ptr<Tool>(std::unique_ptr<Tool>)>;

  /// Puts something of the same descriptor, with a status function where the tool has one, around
  /// every tool, those that come later too. Once, before the first call.
  void wrap(Around around);

  /// Null when there is no such tool.
  const Entry* find(std::string_view name) const;

  /// Sorted by name, the same bytes for the same set: prompts begin with them.
  std::vector<ToolSpec> specs(const AllowedTools& allowed) const;
  std::vector<std::string> names(const AllowedTools& allowed) const;

 private:
  std::unique_ptr<Tool> wrapped(std::unique_ptr<Tool> tool) const;

  std::map<std::string, Entry, std::less<>> entries_;
  Around around_;  ///< empty: nothing stands around them
};

}  // namespace ba
