#pragma once
// SPDX-License-Identifier: Apache-2.0
// The command line of bubblewrap for one run, and the sealed files in memory that go with it. Owned
// by one run; one thread.

#include <string>
#include <string_view>
#include <vector>

#include "worker/tools/command/sandbox.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba {

inline constexpr int kSandboxUser = 65534;  ///< nobody, inside; and outside when the worker is root
inline constexpr const char* kTemporaryDirectory = "/tmp";
inline constexpr const char* kWorkDirectory = "/box";
inline constexpr const char* kScriptsDirectory = "/skills";
inline constexpr int kInfoDescriptor = 3;  ///< where bubblewrap tells of its first process

struct SandboxArguments {
  std::vector<std::string> words;
  Descriptor input;
  std::vector<Descriptor> passed;  ///< to be descriptors 4, 5, … of bubblewrap
};

/// Readable from its begin, unchangeable. Invalid where memory or descriptors are short.
Descriptor sealed_file(std::string_view content);

Result<SandboxArguments> sandbox_arguments(const CommandConfig& config, const SandboxOrder& order,
                                           std::string_view filter);

}  // namespace ba
