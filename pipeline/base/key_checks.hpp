#pragma once
// SPDX-License-Identifier: Apache-2.0
// Collects what is wrong with the values below one key of the configuration, each as "<key>:
// <value> is not <allowed>". Values.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/bounds.hpp"

namespace ba {

class KeyChecks {
 public:
  /// `problems` outlives the checks. `key`: "tools.web_search".
  KeyChecks(std::vector<std::string>& problems, std::string key)
      : problems_(problems), key_(std::move(key)) {}

  /// `name` follows the key; empty: it is about the key itself. `value` as it may be shown.
  void expect(bool good, const std::string& name, const std::string& value,
              const std::string& allowed) {
    if (good) return;
    problems_.push_back(key_ + (name.empty() ? "" : "." + name) + ": " + value + " is not " +
                        allowed);
  }

  /// Of the key itself; `problem` as it is to be read behind it.
  void require(bool good, const std::string& problem) {
    if (!good) problems_.push_back(key_ + ": " + problem);
  }

  /// Of what has no value yet.
  void given(bool there, const std::string& name, const std::string& allowed) {
    if (!there) problems_.push_back(key_ + "." + name + " is missing: must be " + allowed);
  }

  void within(const char* name, std::int64_t value, Bounds bounds) {
    expect(bounds.hold(value), name, std::to_string(value), bounds.text());
  }

 private:
  std::vector<std::string>& problems_;
  std::string key_;
};

}  // namespace ba
