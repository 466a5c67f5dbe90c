#pragma once
// SPDX-License-Identifier: Apache-2.0
// The arguments of a command that is about one call of a tool. For `tool explain` and `tool run`;
// nobody else includes it.

#include "worker/cli/program/command_options.hpp"
#include "worker/cli/tools/tool_calls.hpp"

namespace ba {

inline constexpr const char* kNoCallArguments =
    "args (the arguments as JSON, or -), or --args-file";

/// What the tool is given; one of the two holds that.
struct GivenArguments {
  CLI::Option* text = nullptr;
  CLI::Option* file = nullptr;

  bool any() const { return text->count() > 0 || file->count() > 0; }
};

GivenArguments declare_call(CLI::App& app, ToolCallArguments& call, const char* about_args);

}  // namespace ba
