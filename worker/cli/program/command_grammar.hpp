#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the files of the command line's grammar (parse_*.cpp) share. Nobody else includes it.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "worker/cli/program/arguments.hpp"

namespace ba {

/// What a sub-command's callback leaves behind.
using Chosen = std::function<void(CommandArguments)>;

/// Under the help of each command: what the program itself takes stands in no list of its options.
inline constexpr const char* kEverywhere =
    "Everywhere: --config FILE, --set KEY=VALUE, --log-level LEVEL, --log-format FORMAT;\n"
    "see `ba-agent --help`.";

/// Of commands that take a job's id; see named_job.hpp.
inline constexpr const char* kOrWithTenant = ", or TENANT/JOB";

/// A check of an option that may be left out, but not be empty.
CLI::Validator not_empty();

/// Leaves the tenant empty unless it is given.
inline void tenant_of_id(CLI::App& app, std::string& tenant) {
  tenant.clear();
  app.add_option("--tenant", tenant,
                 "Tenant; the id is then taken as it is (default: \"default\", or the TENANT of "
                 "TENANT/JOB)")
      ->check(not_empty());
}

inline CLI::App* command(CLI::App& parent, const char* name, const char* about,
                         const char* examples) {
  CLI::App* app = parent.add_subcommand(name, about);
  app->footer("Examples:\n" + std::string(examples) + "\n\n" + kEverywhere);
  return app;
}

inline void json_flag(CLI::App& app, bool& json) { app.add_flag("--json", json, "Answer as JSON"); }

/// A check of an option whose value is a whole number, both bounds included.
CLI::Validator number_from(int least, int most);

/// The same of a number of seconds.
CLI::Validator seconds_from(double least, double most);

/// An option whose value is a span of time: "30m".
void age_option(CLI::App& app, const char* name, std::optional<Milliseconds>& age,
                const char* about);

void add_artifact(CLI::App& parent, const Chosen& chosen);  ///< parse_artifact_arguments.cpp
void add_cache(CLI::App& parent, const Chosen& chosen);     ///< parse_cache_arguments.cpp
void add_config(CLI::App& parent, const Chosen& chosen);    ///< parse_config_arguments.cpp
void add_convert(CLI::App& parent, const Chosen& chosen);   ///< parse_carrier_arguments.cpp
void add_export(CLI::App& parent, const Chosen& chosen);    ///< parse_carrier_arguments.cpp
void add_import(CLI::App& parent, const Chosen& chosen);    ///< parse_carrier_arguments.cpp
void add_dlq(CLI::App& parent, const Chosen& chosen);       ///< parse_dlq_arguments.cpp
void add_encode(CLI::App& parent, const Chosen& chosen);    ///< parse_encode_arguments.cpp
void add_history(CLI::App& parent, const Chosen& chosen);   ///< parse_history_arguments.cpp
void add_tokens(CLI::App& parent, const Chosen& chosen);    ///< parse_tokens_arguments.cpp
void add_job(CLI::App& parent, const Chosen& chosen);       ///< parse_job_arguments.cpp
void add_outbox(CLI::App& parent, const Chosen& chosen);    ///< parse_outbox_arguments.cpp
void add_skill(CLI::App& parent, const Chosen& chosen);     ///< parse_skill_arguments.cpp
void add_submit(CLI::App& parent, const Chosen& chosen);    ///< parse_submit_arguments.cpp
void add_tool(CLI::App& parent, const Chosen& chosen);      ///< parse_tool_arguments.cpp

}  // namespace ba
