// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/json_path.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <span>
#include <variant>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba::files {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownNames = 20;
constexpr std::size_t kShownCodePoints = 60;

struct Every {};
using Selector = std::variant<std::string, std::int64_t, Every>;

bool name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

/// Takes a path apart.
class PathReader {
 public:
  explicit PathReader(std::string_view path) : path_(path), left_(path) {}

  Result<std::vector<Selector>> read() {
    if (!take('$')) return wrong("begins with $");
    std::vector<Selector> selectors;
    while (!left_.empty()) {
      Result<Selector> selector = take('.') ? member() : bracket();
      if (!selector) return selector.error();
      selectors.push_back(std::move(*selector));
    }
    return selectors;
  }

 private:
  bool take(char wanted) {
    if (left_.empty() || left_.front() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }

  Error wrong(const std::string& expected) const {
    return invalid_argument("json_path '" + cut_code_points(path_, kShownCodePoints) +
                            "': at character " + std::to_string(path_.size() - left_.size() + 1) +
                            " it is not understood: it " + expected +
                            ". Known are $.name, $['name'], $[0], $[-1] and $[*]");
  }

  Result<Selector> member() {
    if (take('*')) return Selector(Every{});
    std::size_t size = 0;
    while (size < left_.size() && name_character(left_[size])) ++size;
    if (size == 0) return wrong("needs a name or * after a dot");
    const std::string name(left_.substr(0, size));
    left_.remove_prefix(size);
    return Selector(name);
  }

  Result<Selector> bracket() {
    if (!take('[')) return wrong("goes on with . or [");
    Result<Selector> selector = within_bracket();
    if (selector && !take(']')) return wrong("needs a ] here");
    return selector;
  }

  Result<Selector> within_bracket() {
    if (take('*')) return Selector(Every{});
    if (!left_.empty() && (left_.front() == '\'' || left_.front() == '"')) return quoted();
    std::int64_t index = 0;
    const auto [end, problem] = std::from_chars(left_.data(), left_.data() + left_.size(), index);
    if (problem != std::errc()) return wrong("needs a number, a quoted name or * in brackets");
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return Selector(index);
  }

  /// A backslash makes the character after it one of the name.
  Result<Selector> quoted() {
    const char quote = left_.front();
    left_.remove_prefix(1);
    std::string name;
    while (!left_.empty() && left_.front() != quote) {
      if (left_.front() == '\\' && left_.size() > 1) left_.remove_prefix(1);
      name += left_.front();
      left_.remove_prefix(1);
    }
    if (!take(quote)) return wrong("ends within a quoted name");
    return Selector(name);
  }

  const std::string_view path_;
  std::string_view left_;
};

std::string what_is_there(const Json& value) {
  if (value.is_array()) return "there is an array of " + std::to_string(value.size()) + " items";
  if (is_any_number(value)) return "there is a number";
  if (!value.is_object()) return std::string("there is a ") + value.type_name();
  std::string names;
  std::size_t count = 0;
  for (auto item = value.begin(); item != value.end() && count < kShownNames; ++item, ++count)
    names += (count > 0 ? ", " : "") + cut_code_points(item.key(), kShownCodePoints);
  if (value.size() > kShownNames) names += ", …";
  return "the members are " + (names.empty() ? "none" : names);
}

/// Null: it isn't there.
const Json* selected(const Json& value, const Selector& selector) {
  if (const auto* name = std::get_if<std::string>(&selector)) {
    if (!value.is_object()) return nullptr;
    const auto found = value.find(*name);
    return found == value.end() ? nullptr : &*found;
  }
  const auto* index = std::get_if<std::int64_t>(&selector);
  if (index == nullptr || !value.is_array()) return nullptr;
  const auto size = static_cast<std::int64_t>(value.size());
  const std::int64_t place = *index < 0 ? size + *index : *index;
  return place < 0 || place >= size ? nullptr : &value[static_cast<std::size_t>(place)];
}

std::string shown(const Selector& selector) {
  if (const auto* name = std::get_if<std::string>(&selector))
    return "member '" + cut_code_points(*name, kShownCodePoints) + "'";
  const auto* index = std::get_if<std::int64_t>(&selector);
  return index ? "item " + std::to_string(*index) : "items";
}

Error leads_nowhere(std::string_view path, const Selector& selector, const Json& value) {
  Error error;
  error.code = ErrorCode::NotFound;
  error.message = "json_path '" + cut_code_points(path, kShownCodePoints) + "' leads nowhere: no " +
                  shown(selector) + "; " + what_is_there(value);
  return error;
}

/// All that one more selector meets. After a wildcard, what lacks the place is passed over.
std::vector<const Json*> step(const std::vector<const Json*>& values, const Selector& selector) {
  std::vector<const Json*> met;
  for (const Json* value : values) {
    if (!std::holds_alternative<Every>(selector)) {
      if (const Json* found = selected(*value, selector)) met.push_back(found);
    } else if (value->is_structured()) {
      for (const Json& inner : *value) met.push_back(&inner);
    }
  }
  return met;
}

using Selectors = std::span<const Selector>;

/// `many`: a wildcard came before.
Result<Json> met_below(const Json& start, Selectors selectors, std::string_view path) {
  std::vector<const Json*> values{&start};
  bool many = false;
  for (const Selector& selector : selectors) {
    const bool every = std::holds_alternative<Every>(selector);
    std::vector<const Json*> met = step(values, selector);
    if (met.empty() && !many && !(every && values.front()->is_structured()))
      return leads_nowhere(path, selector, *values.front());
    many = many || every;
    values = std::move(met);
  }
  if (!many) return {boost::system::in_place_value, *values.front()};
  Json all = Json::array();
  for (const Json* value : values) all.push_back(*value);
  return {boost::system::in_place_value, std::move(all)};
}

/// All that is met in the items, after a wildcard that took them all.
Json met_in_each(const JsonItems& array, Selectors selectors) {
  Json all = Json::array();
  for (std::int64_t index = 0; index < array.total; ++index) {
    const Json item = array.at(index);
    std::vector<const Json*> values{&item};
    for (const Selector& selector : selectors) values = step(values, selector);
    for (const Json* value : values) all.push_back(*value);
  }
  return all;
}

}  // namespace

Result<Json> select_json(const Json& document, std::string_view path) {
  const Result<std::vector<Selector>> selectors = PathReader(path).read();
  if (!selectors) return selectors.error();
  return met_below(document, *selectors, path);
}

Result<Json> select_json(const JsonItems& array, std::string_view path) {
  const Result<std::vector<Selector>> read = PathReader(path).read();
  if (!read) return read.error();
  if (read->empty()) return {boost::system::in_place_value, met_in_each(array, Selectors())};
  const Selectors below = Selectors(*read).subspan(1);
  const Selector& first = read->front();
  if (std::holds_alternative<Every>(first))
    return {boost::system::in_place_value, met_in_each(array, below)};
  const auto* index = std::get_if<std::int64_t>(&first);
  const std::int64_t place = index && *index < 0 ? array.total + *index : index ? *index : -1;
  if (place < 0 || place >= array.total) {
    const Json of_that_size(static_cast<std::size_t>(array.total), nullptr);
    return leads_nowhere(path, first, of_that_size);
  }
  return met_below(array.at(place), below, path);
}

}  // namespace ba::files
