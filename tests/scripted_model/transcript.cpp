// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/transcript.hpp"

namespace ba::scripted {

std::vector<TranscriptRound> read_transcript(const Request& request) {
  std::vector<TranscriptRound> rounds;
  for (const Turn& turn : request.turns) {
    if (turn.kind == Turn::Kind::Human) {
      rounds.push_back({turn.text(), {}, {}, turn.date_line()});
    } else if (!rounds.empty() && turn.kind == Turn::Kind::Observation) {
      rounds.back().observations.push_back(turn.text());
    } else if (!rounds.empty()) {
      rounds.back().answer = turn.text();
    }
  }
  return rounds;
}

}  // namespace ba::scripted
