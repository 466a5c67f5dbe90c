// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/acting_person.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>

namespace ba {

std::string acting_person(const std::string& by) {
  if (!by.empty()) return by;
  const passwd* account = getpwuid(geteuid());
  const std::string name = account ? account->pw_name : std::to_string(geteuid());
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return name;
  return name + "@" + host.data();
}

}  // namespace ba
