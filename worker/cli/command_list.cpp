// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/run_program.hpp"

namespace ba::cli {

// Each is defined in a *_command.cpp of a folder beside this file.
Command artifact_list_command(), artifact_show_command();
Command cache_purge_command(), cache_show_command(), cache_stats_command();
Command config_check_command(), config_print_command(), config_schema_command();
Command convert_command(), export_command(), import_command();
Command dlq_list_command(), dlq_redrive_command(), dlq_show_command();
Command doctor_command(), encode_command(), migrate_command(), version_command(), worker_command();
Command history_compress_command();
Command job_cancel_command(), job_fork_command(), job_list_command(), job_pause_command(),
    job_resolve_command(), job_resume_command();
Command mcp_list_command();
Command outbox_verify_command();
Command report_command(), results_command(), show_command(), submit_command();
Command skill_check_command(), skill_list_command(), skill_show_command();
Command tokens_count_command(), tokens_info_command();
Command tool_describe_command(), tool_explain_command(), tool_list_command(), tool_run_command();
Command topics_create_command(), topics_verify_command();

namespace {

Command group(const char* name, const char* summary, const char* examples) {
  return {{.name = name, .summary = summary, .examples = examples}, {}, {}};
}

}  // namespace

std::vector<Command> command_list() {
  return {
      worker_command(),
      submit_command(),
      show_command(),
      group("job", "List and steer jobs that are on their way",
            "  ba-agent job list\n  ba-agent job cancel job-42"),
      job_list_command(),
      job_fork_command(),
      job_resolve_command(),
      job_cancel_command(),
      job_pause_command(),
      job_resume_command(),
      group("dlq", "List, show and redrive records and jobs that could not be run",
            "  ba-agent dlq list\n  ba-agent dlq redrive 17"),
      dlq_list_command(),
      dlq_show_command(),
      dlq_redrive_command(),
      report_command(),
      results_command(),
      doctor_command(),
      migrate_command(),
      group("topics", "Create or verify the Kafka topics",
            "  ba-agent topics create\n  ba-agent topics verify --json"),
      topics_create_command(),
      topics_verify_command(),
      group("outbox", "Look into publishing that has stopped", "  ba-agent outbox verify"),
      outbox_verify_command(),
      group("tool", "Look at the tools and the meaning of their calls",
            "  ba-agent tool list\n"
            "  ba-agent tool explain query_database '{\"sql\": \"SELECT 1\"}'"),
      tool_list_command(),
      tool_describe_command(),
      tool_explain_command(),
      tool_run_command(),
      group("skill", "Look at the skills of agents",
            "  ba-agent skill list\n  ba-agent skill check skills/delay-analysis"),
      skill_list_command(),
      skill_show_command(),
      skill_check_command(),
      group("cache", "Look into the results of tools that are kept",
            "  ba-agent cache stats\n  ba-agent cache purge --tool query_database"),
      cache_stats_command(),
      cache_show_command(),
      cache_purge_command(),
      group("artifact", "Look into results that were too large for a conversation",
            "  ba-agent artifact list --tenant acme\n"
            "  ba-agent artifact show ID --tenant acme --data --output rows.json"),
      artifact_list_command(),
      artifact_show_command(),
      group("mcp", "Look at the configured servers of tools (MCP)",
            "  ba-agent mcp list\n  ba-agent mcp list --json"),
      mcp_list_command(),
      group("config", "Check, print or describe the configuration",
            "  ba-agent config check --config new.yaml\n  ba-agent config print"),
      config_check_command(),
      config_print_command(),
      config_schema_command(),
      encode_command(),
      group("history", "Look at conversations", "  ba-agent history compress conversation.json"),
      history_compress_command(),
      convert_command(),
      export_command(),
      import_command(),
      group("tokens", "Count tokens, exactly",
            "  ba-agent tokens count --encoding o200k_base prompt.txt\n"
            "  ba-agent tokens info --model gpt-4o"),
      tokens_count_command(),
      tokens_info_command(),
      version_command(),
  };
}

}  // namespace ba::cli
