#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `ba-agent submit` is given. A value.

#include <map>
#include <string>
#include <vector>

#include "pipeline/base/time.hpp"

namespace ba {

struct SubmitArguments {
  std::vector<std::string> questions;  ///< each a message of one job; "-" reads standard input
  std::string file;                    ///< jobs as JSON; "-": standard input
  std::string tenant;
  std::string job_id;
  std::string conversation;
  std::string agent;
  std::string model;
  std::string lane;
  std::map<std::string, std::string> metadata;
  std::string answer_schema_file;
  std::string answer_schema;  ///< what stands in that
  bool wait = false;
  Milliseconds timeout{600'000};  ///< of --wait
  bool quiet = false;
  bool json = false;
};

}  // namespace ba
