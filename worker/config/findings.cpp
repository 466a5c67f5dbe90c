// SPDX-License-Identifier: Apache-2.0
#include "worker/config/findings.hpp"

#include <cstdio>

#include "worker/observe/secret_forms.hpp"

namespace ba {
namespace {

std::string line_of(const settings::Origin& origin, const std::string& key,
                    const std::string& what) {
  std::string line = origin.text() + ": ";
  if (!key.empty()) line += key + ": ";
  return line + what;
}

}  // namespace

std::string Setting::key() const {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + part;
  return out;
}

void Findings::error(const settings::Origin& origin, const std::string& key,
                     const std::string& what) {
  wrong_keys.insert(key);
  errors.push_back(line_of(origin, key, what));
}

void Findings::warning(const settings::Origin& origin, const std::string& key,
                       const std::string& what) {
  warnings.push_back(line_of(origin, key, what));
}

settings::Origin Findings::origin_of(std::string key) const {
  for (; !key.empty(); key.resize(key.rfind('.') == std::string::npos ? 0 : key.rfind('.'))) {
    const Setting* found = nullptr;
    for (const Setting& setting : this->settings) {
      if (setting.key() == key) return setting.origin;
      if (!setting.key().starts_with(key + ".")) continue;
      if (found == nullptr) found = &setting;
      if (setting.origin.kind != settings::Origin::Kind::Default) return setting.origin;
    }
    if (found != nullptr) return found->origin;
  }
  return {};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    switch (letter) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
          char code[8];
          std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
          out += code;
        } else {
          out += letter;
        }
    }
  }
  return out + "\"";
}

std::string mask_secrets(const std::string& text) {
  return masked(text, secret_spans(text), kMaskedSecret);
}

std::vector<std::string> secrets_in(const std::string& text) {
  std::vector<std::string> secrets;
  for (const SecretSpan& span : secret_spans(text))
    secrets.push_back(text.substr(span.begin, span.end - span.begin));
  return secrets;
}

}  // namespace ba
