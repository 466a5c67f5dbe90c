// SPDX-License-Identifier: Apache-2.0
#include "tests/support/effect_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/assert.hpp"

namespace ba {

Result<std::shared_ptr<const EffectJournal>> EffectJournal::open(std::string path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return invalid_argument("BA_EFFECTS_JOURNAL=" + path + ": " + std::strerror(errno));
  return std::shared_ptr<const EffectJournal>(new EffectJournal(std::move(path), file));
}

EffectJournal::~EffectJournal() { ::close(file_); }

/// In one write, which O_APPEND keeps whole among several processes.
void EffectJournal::append(const nlohmann::json& line) const {
  const std::string text = line.dump() + "\n";
  BA_ASSERT(::write(file_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

EffectJournal::Standing EffectJournal::standing(const std::string& key) const {
  Standing standing;
  std::ifstream file(path_);
  for (std::string text; std::getline(file, text);) {
    if (text.find(key) == std::string::npos) continue;
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (line.is_discarded()) break;  // another process is writing it: it comes after all of ours
    if (line.at("class") == "question")
      ++standing.questions;
    else if (line.at("questions") == standing.questions)
      ++standing.happened;
  }
  return standing;
}

}  // namespace ba
