// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"
#include "worker/config/descriptors.hpp"

namespace ba {

Checks check_descriptors(const Config& config, std::optional<std::uint64_t> limit) {
  const char* name = "file descriptors";
  if (!limit) return {};
  const std::uint64_t wanted = descriptors_wanted(config);
  const std::string message = "a process started here may open " + std::to_string(*limit) +
                              ", a worker with these settings may take " + std::to_string(wanted);
  if (*limit >= wanted) return {passed(name, message)};
  if (*limit >= kDescriptorsMin) return {warned(name, message, kDescriptorsRemedy)};
  return {failed(name, message + " and doesn't start below " + std::to_string(kDescriptorsMin),
                 kDescriptorsRemedy)};
}

}  // namespace ba
