#pragma once
// SPDX-License-Identifier: Apache-2.0
// Exit codes of every command, by cause. Part of the contract with scripts; see README.

#include "pipeline/base/error.hpp"

namespace ba {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,          ///< the thing asked for failed, or does not exist
  kExitUsage = 2,           ///< the command line is wrong
  kExitJobNotDone = 3,      ///< the job ended otherwise than completed
  kExitUnavailable = 69,    ///< Kafka, PostgreSQL or another dependency can't be reached
  kExitTemporary = 75,      ///< try again later: a time-out, an overload
  kExitConfiguration = 78,  ///< the configuration is wrong or lacks something
  kExitInterrupted = 130,   ///< SIGINT
};

int exit_code_of(const Error& error);

/// Of a worker that can't start: what is invalid or missing then is so by the configuration.
int exit_code_of_start(const Error& error);

/// The detail of an error that means: a setting is missing or wrong.
inline constexpr const char* kConfigurationDetail = "configuration";

/// The detail of an error that means: what the command was given can't be read.
inline constexpr const char* kUsageDetail = "usage";

}  // namespace ba
