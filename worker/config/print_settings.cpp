// SPDX-License-Identifier: Apache-2.0
#include "worker/config/print_settings.hpp"

#include <algorithm>
#include <cctype>

namespace ba::config {
namespace {

constexpr std::size_t kCommentColumn = 44;

/// A key of YAML; what isn't a plain word is quoted.
std::string key_text(const std::string& key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char letter) {
    return letter < 128 &&
           (std::isalnum(letter) || letter == '_' || letter == '-' || letter == '.');
  });
  const bool word = plain && std::isalpha(static_cast<unsigned char>(key[0]));
  return word ? key : settings::quoted(key);
}

/// Of what is read as a variable, or as a $ that is none, the text that is read as it.
std::string unsubstituted(const std::string& json) {
  std::string out;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char next = at + 1 < json.size() ? json[at + 1] : '\0';
    if (json[at] == '$' && (next == '$' || next == '{')) out += '$';
    out += json[at];
  }
  return out;
}

/// "roots[2]" is item 2 of the list "roots".
std::string list_name(const std::string& part) {
  const std::size_t bracket = part.find('[');
  const bool item = bracket != std::string::npos && part.back() == ']';
  return item ? part.substr(0, bracket) : std::string();
}

/// Writes the maps above a setting, as far as they differ from those of the one before.
class Outline {
 public:
  explicit Outline(std::string& out) : out_(out) {}

  /// The indent of the setting's own line; a list item's first line begins with "- ".
  std::string enter(const std::vector<std::string>& path) {
    std::size_t same = 0;
    while (same + 1 < path.size() && same < open_.size() && open_[same] == path[same]) ++same;
    std::size_t depth = depth_of(path, same);
    for (std::size_t i = same; i + 1 < path.size(); ++i) depth = open(path, i, depth);
    open_.assign(path.begin(), path.end() - 1);
    std::string indent(depth * 2, ' ');
    if (dash_ && depth > 0) indent[depth * 2 - 2] = '-';
    dash_ = false;
    return indent;
  }

 private:
  static std::size_t depth_of(const std::vector<std::string>& path, std::size_t parts) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < parts; ++i) depth += list_name(path[i]).empty() ? 1 : 2;
    return depth;
  }

  std::size_t open(const std::vector<std::string>& path, std::size_t i, std::size_t depth) {
    const std::string list = list_name(path[i]);
    const std::string indent(depth * 2, ' ');
    if (list.empty()) {
      std::string line = indent;
      if (dash_) line[depth * 2 - 2] = '-';
      dash_ = false;
      out_ += line + key_text(path[i]) + ":\n";
      return depth + 1;
    }
    const bool first = path[i].substr(list.size()) == "[0]";
    if (first) out_ += indent + key_text(list) + ":\n";
    dash_ = true;
    return depth + 2;
  }

  std::string& out_;
  std::vector<std::string> open_;
  bool dash_ = false;
};

}  // namespace

std::string settings_as_yaml(const std::vector<settings::Setting>& settings, bool origins,
                             Variables variables) {
  std::string out;
  Outline outline(out);
  for (const settings::Setting& setting : settings) {
    std::string line = outline.enter(setting.path);
    line +=
        key_text(setting.path.back()) + ": " +
        (variables == Variables::FilledIn ? unsubstituted(setting.value_json) : setting.value_json);
    if (origins) {
      line.resize(std::max(line.size() + 2, kCommentColumn), ' ');
      line += "# " + setting.origin.text();
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace ba::config
