// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/job_time.hpp"

#include <array>
#include <cstdio>

#include "pipeline/text/message/json_view.hpp"

namespace ba {
namespace {

constexpr std::array kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                               "Thursday", "Friday", "Saturday"};
constexpr std::string_view kBeginning = "Today is ";

/// Empty: there is none. A member of that name may have come with a conversation from elsewhere.
std::string line_of(const MessageMeta& meta) {
  const auto found = meta.additional_kwargs.find(std::string(kJobTimeKwarg));
  if (found == meta.additional_kwargs.end()) return {};
  const auto json = JsonView::parse(found->second);
  if (!json || !json->is(JsonKind::String)) return {};
  std::string line = json->text();
  const bool ours = line.starts_with(kBeginning) && line.find('\n') == std::string::npos;
  return ours ? line : std::string();
}

}  // namespace

std::string job_time_line(std::chrono::sys_days day, std::string_view zone) {
  const std::chrono::year_month_day date{day};
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%04d-%02u-%02u", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()});
  std::string line(kBeginning);
  line += kWeekdays[std::chrono::weekday(day).c_encoding()];
  line += ", ";
  line += digits.data();
  line += " (";
  line += zone;
  return line + ").";
}

bool tells_job_time(const HumanMessage& message) { return !line_of(message.meta).empty(); }

std::string text_for_model(const HumanMessage& message) {
  const std::string line = line_of(message.meta);
  return line.empty() ? message.text : line + "\n\n" + message.text;
}

}  // namespace ba
