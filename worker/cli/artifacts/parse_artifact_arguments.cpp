// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent artifact`.
#include <charconv>

#include "pipeline/core/tool/artifact.hpp"
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "FIRST-LAST" or "FIRST-".
std::optional<ByteRange> range_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number_of(text.substr(0, dash));
  const std::string_view rest = text.substr(dash + 1);
  if (!first) return std::nullopt;
  if (rest.empty()) return ByteRange{*first, std::nullopt};
  const auto last = number_of(rest);
  if (!last || *last < *first) return std::nullopt;
  return ByteRange{*first, *last};
}

CLI::Validator an_artifact_id() {
  return {[](const std::string& text) {
            return well_formed_artifact_id(text)
                       ? std::string()
                       : "\"" + text +
                             "\" can't be an artifact's id: that is \"artifact_\" and 32 digits "
                             "0-9a-f, as `ba-agent artifact list` shows it";
          },
          ""};
}

CLI::Validator a_range() {
  return {[](const std::string& text) {
            return range_of(text) ? std::string()
                                  : "\"" + text +
                                        "\" is no range of bytes: FIRST-LAST, both included and "
                                        "counted from 0, or FIRST-";
          },
          ""};
}

void add_list(CLI::App& artifact, const Chosen& chosen) {
  CLI::App* app = command(artifact, "list", "Artifacts that are kept, the last made first",
                          "  ba-agent artifact list --tenant acme\n"
                          "  ba-agent artifact list --job acme/report-7 --json\n"
                          "  ba-agent artifact list --limit 10000 --jsonl | jq .bytes");
  auto arguments = std::make_shared<ArtifactListArguments>();
  app->add_option("--tenant", arguments->tenant, "Only this tenant's")->check(not_empty());
  app->add_option("--conversation", arguments->conversation, "Only those of this conversation")
      ->check(not_empty());
  app->add_option("--job", arguments->job,
                  "Only those that calls of this job gave: its id" + std::string(kOrWithTenant))
      ->check(not_empty());
  app->add_option("--limit,--max", arguments->rows_max, "At most this many")
      ->capture_default_str()
      ->check(number_from(1, 10'000));
  CLI::Option* lines = app->add_flag("--jsonl", arguments->jsonl, "Answer as a line of JSON each");
  app->add_flag("--json", arguments->json, "Answer as one JSON document")->excludes(lines);
  app->callback([=] { chosen(*arguments); });
}

void add_show(CLI::App& artifact, const Chosen& chosen) {
  CLI::App* app =
      command(artifact, "show",
              "What is known about one artifact, and which calls refer to it; or its data",
              "  ba-agent artifact show artifact_1f0c9f4b6d6a4a1b8e0d5c3b2a190807\n"
              "  ba-agent artifact show ID --tenant acme --data --range 0-999\n"
              "  ba-agent artifact show ID --tenant acme --data --output rows.json");
  auto arguments = std::make_shared<ArtifactShowArguments>();
  app->add_option("id", arguments->id, "Its id")->required()->check(an_artifact_id());
  CLI::Option* tenant =
      app->add_option("--tenant", arguments->tenant, "Only if it is this tenant's")
          ->check(not_empty());
  CLI::Option* data = app->add_flag("--data", arguments->data,
                                    "Its data, compact JSON, as it is; up to 1 MiB of it goes to "
                                    "standard output")
                          ->needs(tenant);
  app->add_option_function<std::string>(
         "--range", [=](const std::string& text) { arguments->range = range_of(text); },
         "Only these bytes of the data: FIRST-LAST, from 0, or FIRST-")
      ->check(a_range())
      ->needs(data);
  app->add_option("--output", arguments->output, "A new file for the data")
      ->check(not_empty())
      ->needs(data);
  app->add_flag("--json", arguments->json, "Answer as JSON")->excludes(data);
  app->callback([=] { chosen(*arguments); });
}

}  // namespace

void add_artifact(CLI::App& parent, const Chosen& chosen) {
  CLI::App* artifact =
      command(parent, "artifact", "Look into results that were too large for a conversation",
              "  ba-agent artifact list --tenant acme\n"
              "  ba-agent artifact show ID --tenant acme --data --output rows.json");
  artifact->require_subcommand(1);
  add_list(*artifact, chosen);
  add_show(*artifact, chosen);
}

}  // namespace ba
