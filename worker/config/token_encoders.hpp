#pragma once
// SPDX-License-Identifier: Apache-2.0
// `token_encoders.yaml`: how tokens are counted of models that the program doesn't know, or counts
// otherwise. One map `encoders` from a name or pattern to its profile. Any thread.

#include <string>

#include "pipeline/text/token/token_profile.hpp"
#include "worker/config/environment.hpp"
#include "worker/settings/findings.hpp"

namespace ba::config {

struct TokenEncoders {
  TokenProfiles profiles;
  settings::Findings findings;  ///< and each value in force of the file's entries
  std::string file;             ///< what was read; empty: none
};

/// The first there is of config/token_encoders.yaml, config/token_encoders.yml and
/// ~/.ba-agent/token_encoders.yaml. Never fails as such: what is wrong stands in the findings.
TokenEncoders load_token_encoders(const Environment& environment);

/// The same from text; `file` stands in messages, and names of tokenizer files are relative to its
/// folder.
TokenEncoders read_token_encoders(std::string_view yaml, const std::string& file);

}  // namespace ba::config
