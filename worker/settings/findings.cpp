// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/findings.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "pipeline/text/message/utf8.hpp"
#include "pipeline/text/secret/redaction.hpp"

namespace ba::settings {
namespace {

constexpr std::size_t kExcerptBytes = 80;  // of a value
constexpr std::size_t kLineBytesMax = 4'000;
constexpr std::size_t kLineHead = 1'500;  // what is left of a longer line
constexpr std::size_t kLineTail = 1'000;

/// The key and those of the maps around it, from the outside: "a", "a.b".
bool any_around(const std::string& key, const std::set<std::string>& keys) {
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
    if (keys.contains(key.substr(0, dot))) return true;
  return keys.contains(key);
}

/// Of a secret that the cut goes through nobody could tell the rest, so it is masked before.
std::string bounded(std::string line, const std::vector<std::string>& secrets) {
  if (line.size() <= kLineBytesMax) return line;
  std::string clean = Redaction(secrets).clean(line);
  if (clean.size() <= kLineBytesMax) return clean;
  const std::string_view head = utf8_prefix(clean, kLineHead);
  const std::size_t tail = utf8_prefix(clean, clean.size() - kLineTail).size();
  return std::string(head) + " … (" + std::to_string(tail - head.size()) + " bytes) … " +
         clean.substr(tail);
}

std::string beginning(const std::string& text, const std::vector<std::string>& secrets) {
  const std::string clean = Redaction(secrets).clean(text);
  if (clean.size() <= kExcerptBytes) return clean;
  return std::string(utf8_prefix(clean, kExcerptBytes)) + "…";
}

std::string size_of(const std::string& text) {
  return " (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

std::string Setting::key() const {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + part;
  return out;
}

std::string Finding::text() const {
  const bool nowhere = place.kind == settings::Origin::Kind::Default && problem.key.empty();
  return (nowhere ? "" : place.text() + ": ") + text_of(problem);
}

void Findings::add(const settings::Origin& place, SettingProblem problem) {
  wrong_keys.insert(problem.key);
  problems.push_back({place, std::move(problem)});
}

void Findings::error(const settings::Origin& place, const std::string& key,
                     SettingProblem::Kind kind, const std::string& words) {
  add(place, {.kind = kind, .key = key, .words = words});
}

void Findings::warning(const settings::Origin& place, const std::string& key,
                       const std::string& words) {
  doubts.push_back({place, {.key = key, .words = words}});
}

void Findings::add_all(const std::vector<SettingProblem>& found) {
  const auto follows = [this](const SettingProblem& problem) {
    return is_wrong(problem.key) ||
           std::ranges::any_of(problem.follows_from,
                               [this](const std::string& key) { return is_wrong(key); });
  };
  std::vector<SettingProblem> fresh;
  std::ranges::remove_copy_if(found, std::back_inserter(fresh), follows);
  for (SettingProblem& problem : fresh) {
    const settings::Origin place = place_of(problem.key);
    add(place, std::move(problem));
  }
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

settings::Origin Findings::place_of(const std::string& key) const {
  const settings::Origin origin = origin_of(key);
  if (origin.kind != settings::Origin::Kind::Default) return origin;
  for (std::string around = key; !around.empty();
       around.resize(around.rfind('.') == std::string::npos ? 0 : around.rfind('.')))
    if (const auto place = places.find(around); place != places.end()) return place->second;
  return origin;
}

bool Findings::is_wrong(const std::string& key) const {
  return wrong_keys.contains(key) || any_around(key, unread_keys);
}

std::string Findings::line_of(const Finding& finding) const {
  return bounded(finding.text(), secrets);
}

std::vector<std::string> Findings::lines_of(const std::vector<Finding>& findings) const {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) lines.push_back(line_of(finding));
  return lines;
}

std::string Findings::shortened(const std::string& value) const {
  const std::string safe = settings::safe_text(value);
  if (value.size() <= kExcerptBytes) return safe;
  return beginning(safe, secrets) + size_of(value);
}

std::string Findings::excerpt(const std::string& value) const {
  const std::string safe = settings::safe_text(value);
  if (value.size() <= kExcerptBytes) return quoted(safe);
  return quoted(beginning(safe, secrets)) + size_of(value);
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

}  // namespace ba::settings
