// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/topics.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"

namespace ba {
namespace {

struct StatusText {
  const char* word;
  Style style;
};

StatusText text_of(TopicStatus status) {
  switch (status) {
    case TopicStatus::Ok:
      return {"ok", Style::Green};
    case TopicStatus::Created:
      return {"created", Style::Green};
    case TopicStatus::Warning:
      return {"warning", Style::Yellow};
    case TopicStatus::Wrong:
      return {"wrong", Style::Red};
  }
  return {"unknown", Style::Plain};
}

/// With the command that gives a right, where one is missing.
std::string whole_message(const TopicFinding& finding) {
  return finding.message + (finding.remedy.empty() ? "" : ": " + finding.remedy);
}

void show_json(const std::vector<TopicFinding>& findings, Terminal& terminal) {
  auto json = nlohmann::ordered_json::array();
  for (const TopicFinding& finding : findings)
    json.push_back({{"topic", finding.topic},
                    {"status", text_of(finding.status).word},
                    {"message", whole_message(finding)}});
  terminal.out() << json.dump(2) << "\n";
}

void show_text(const std::vector<TopicFinding>& findings, Terminal& terminal) {
  for (const TopicFinding& finding : findings) {
    const StatusText status = text_of(finding.status);
    std::string word = status.word;
    word.resize(9, ' ');
    terminal.out() << terminal.styled(status.style, word) << finding.topic;
    if (!finding.message.empty()) terminal.out() << ": " << printable(whole_message(finding));
    terminal.out() << "\n";
  }
}

}  // namespace

int topics_command(const TopicsArguments& arguments, const CliSession& session) {
  const auto options = kafka_of(session.config());
  if (!options) return session.terminal.fail(options.error());
  const auto findings = arguments.create ? create_topics(*options) : verify_topics(*options);
  if (!findings) return session.terminal.fail(findings.error());
  if (arguments.json)
    show_json(*findings, session.terminal);
  else
    show_text(*findings, session.terminal);
  return usable(*findings) ? kExitOk : kExitFailed;
}

}  // namespace ba
