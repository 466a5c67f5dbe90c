// SPDX-License-Identifier: Apache-2.0
// A configuration is usable or says what is wrong, and says the same of the same text.
#include "tests/fuzz/targets.hpp"
#include "tests/support/temporary_directory.hpp"
#include "worker/config/load_config.hpp"

void ba::fuzz::configuration(std::string_view input) {
  static const TemporaryDirectory folder;
  folder.write("c.yaml", input);
  const std::string file = folder.path() / "c.yaml";
  const auto loaded = config::load_config({file, {}, {}});
  const auto again = config::load_config({file, {}, {}});
  BA_ASSERT(loaded.findings.errors() == again.findings.errors());
  for (const std::string& error : loaded.findings.errors()) BA_ASSERT(!error.empty());
}
