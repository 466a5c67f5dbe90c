#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools of a configuration with those that its servers of tools list, to be looked at: a
// command connects to the servers for as long as their lists take. Used by commands; one thread.

#include <string>

#include "worker/cli/program/command.hpp"
#include "worker/cli/tools/tool_catalogue.hpp"

namespace ba {

/// With the tools of the server that the name may belong to; nobody is asked for the name of a
/// configured built-in tool. Unavailable, naming the server, where only that could tell. Why a
/// server's tool isn't offered is told.
Result<ToolCatalogue> catalogue_with(const std::string& tool, const CliSession& session);

/// With the tools of every server; `all_up` says whether each was reached, which is told.
struct FullCatalogue {
  ToolCatalogue catalogue;
  bool all_up = true;
};
Result<FullCatalogue> catalogue_with_all(const CliSession& session);

}  // namespace ba
