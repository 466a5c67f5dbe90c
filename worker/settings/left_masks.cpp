// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/left_masks.hpp"

#include <algorithm>

#include "worker/settings/findings.hpp"

namespace ba::settings {

bool is_mask(const std::string& text) { return text == kMaskedSecret || text == "***"; }

bool holds_mask(const std::string& text) {
  if (text.find(kMaskedSecret) == std::string::npos) return false;
  return text.find("://") != std::string::npos ||
         std::ranges::count(secrets_in(text), kMaskedSecret) > 0;
}

std::string mask_left(const std::string& file_key) {
  return std::string(kMaskedSecret) +
         " stands for a secret that `config print` left out: write the secret itself" +
         (file_key.empty() ? "" : ", or the name of its file as " + file_key);
}

}  // namespace ba::settings
