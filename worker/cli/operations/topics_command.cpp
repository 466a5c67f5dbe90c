// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/topics.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

struct StatusText {
  const char* word;
  Style style;
};

StatusText text_of(kafka::TopicStatus status) {
  switch (status) {
    case kafka::TopicStatus::Ok:
      return {"ok", Style::Green};
    case kafka::TopicStatus::Created:
      return {"created", Style::Green};
    case kafka::TopicStatus::Warning:
      return {"warning", Style::Yellow};
    case kafka::TopicStatus::Wrong:
      return {"wrong", Style::Red};
  }
  return {"unknown", Style::Plain};
}

/// With the command that gives a right, where one is missing.
std::string whole_message(const kafka::TopicFinding& finding) {
  return finding.message + (finding.remedy.empty() ? "" : ": " + finding.remedy);
}

void show_json(const std::vector<kafka::TopicFinding>& findings, Terminal& terminal) {
  auto json = nlohmann::ordered_json::array();
  for (const kafka::TopicFinding& finding : findings)
    json.push_back({{"topic", finding.topic},
                    {"status", text_of(finding.status).word},
                    {"message", whole_message(finding)}});
  terminal.out() << json.dump(2) << "\n";
}

void show_text(const std::vector<kafka::TopicFinding>& findings, Terminal& terminal) {
  for (const kafka::TopicFinding& finding : findings) {
    const StatusText status = text_of(finding.status);
    std::string word = status.word;
    word.resize(9, ' ');
    terminal.out() << terminal.styled(status.style, word) << finding.topic;
    if (!finding.message.empty()) terminal.out() << ": " << printable(whole_message(finding));
    terminal.out() << "\n";
  }
}

int show(const Result<std::vector<kafka::TopicFinding>>& findings, const OnlyJson& arguments,
         const CliSession& session) {
  if (!findings) return session.terminal.fail(findings.error());
  if (arguments.json)
    show_json(*findings, session.terminal);
  else
    show_text(*findings, session.terminal);
  return kafka::usable(*findings) ? kExitOk : kExitFailed;
}

int create(const OnlyJson& arguments, const CliSession& session) {
  return show(kafka::create_topics(*session.broker), arguments, session);
}

int verify(const OnlyJson& arguments, const CliSession& session) {
  return show(kafka::verify_topics(*session.broker), arguments, session);
}

}  // namespace

Command topics_create_command() {
  return command<OnlyJson>(
      {.name = "topics create",
       .summary = "Create the topics that are missing",
       .examples = "  ba-agent topics create\n"
                   "  ba-agent topics create --set kafka.topic_settings.job_partitions=24",
       .needs = kNeedsBroker},
      declare_json<JsonForm::Array>, create);
}

Command topics_verify_command() {
  return command<OnlyJson>({.name = "topics verify",
                            .summary = "Check that the topics are as needed",
                            .examples = "  ba-agent topics verify --json",
                            .needs = kNeedsBroker},
                           declare_json<JsonForm::Array>, verify);
}

}  // namespace ba::cli
