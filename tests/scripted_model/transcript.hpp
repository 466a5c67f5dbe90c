#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a request's messages say, round by round, as the scripts see it: only what was really sent.
// Values.

#include <string>
#include <vector>

#include "tests/scripted_model/request.hpp"

namespace ba::scripted {

struct TranscriptRound {
  std::string question;
  std::vector<std::string> observations;  ///< of all steps, in order
  std::string answer;                     ///< text of the last assistant message so far
  std::string today{};                    ///< the line that tells the job's date; often empty
};

/// One round for each human message; the last one is the one to answer.
std::vector<TranscriptRound> read_transcript(const Request& request);

}  // namespace ba::scripted
