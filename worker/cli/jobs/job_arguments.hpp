#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the commands that look for jobs and steer them are given. Values. Of an id whose tenant is
// empty, the tenant is "default" or stands before it: TENANT/JOB.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/time.hpp"
#include "pipeline/core/job/job_control.hpp"
#include "pipeline/core/tool/resolution.hpp"

namespace ba::cli {

struct ShowArguments {
  std::string job;
  std::string tenant;
  bool full = false;
  bool json = false;
};

struct ResultsArguments {
  bool follow = false;
  bool from_beginning = false;
  std::optional<std::size_t> results_max;
  std::string tenant;  ///< empty: any
  bool json = false;
};

struct JobListArguments {
  std::string state;  ///< empty: any; so are the next two
  std::string outcome;
  std::string tenant;
  std::optional<Milliseconds> older_than;
  std::optional<Milliseconds> newer_than;
  int rows_max = 100;
  bool json = false;
};

struct JobControlArguments {
  JobAction action = JobAction::Cancel;
  std::vector<std::string> jobs;
  std::string tenant;
  std::string by;  ///< empty: the account of this process
  bool json = false;
};

struct JobResolveArguments {
  std::string job;
  std::string tenant;
  std::string call;  ///< empty: the only one
  CallVerdict verdict = CallVerdict::GiveUp;
  std::optional<std::string> result;  ///< of a call that happened; or in a file
  std::string result_file;
  std::string by;
  bool json = false;
};

/// What `ba-agent submit` is given. A value.
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

}  // namespace ba::cli
