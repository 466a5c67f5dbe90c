#pragma once
// SPDX-License-Identifier: Apache-2.0
// The file in which the counted tools have their effects (effect_tools.hpp), shared by processes:
// one line of JSON each, whole and in one order for all of them.
//
// It is also the receiver that a reconcilable tool's status function asks. A question about a key
// is a line like an effect, and an effect says of how many questions about its key it knew when
// its run began. It counts if there are no more before it: what a question did not find does not
// happen afterwards, however late its request comes.

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/base/error.hpp"

namespace ba {

class EffectJournal {
 public:
  static Result<std::shared_ptr<const EffectJournal>> open(std::string path);
  ~EffectJournal();
  EffectJournal(const EffectJournal&) = delete;
  EffectJournal& operator=(const EffectJournal&) = delete;

  void append(const nlohmann::json& line) const;

  struct Standing {
    int questions = 0;
    int happened = 0;
  };
  Standing standing(const std::string& key) const;

 private:
  EffectJournal(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
};

}  // namespace ba
