#pragma once
// SPDX-License-Identifier: Apache-2.0
// The line that tells a model a job's date: before the job's first question, and part of that
// message from then on. The question's own text stays what the user wrote: readers of histories
// see that, models read text_for_model(). Pure functions; any thread.

#include <chrono>
#include <string>
#include <string_view>

#include "pipeline/text/message/message.hpp"

namespace ba {

/// In MessageMeta::additional_kwargs: the line, as it was when the question was asked.
inline constexpr std::string_view kJobTimeKwarg = "job_time";

/// "Today is Friday, 2026-11-27 (Europe/Berlin)."
std::string job_time_line(std::chrono::sys_days day, std::string_view zone);

/// Whether it has such a line.
bool tells_job_time(const HumanMessage& message);

/// What a model reads of the message: its text, behind its line if it has one.
std::string text_for_model(const HumanMessage& message);

}  // namespace ba
