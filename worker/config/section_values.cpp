// SPDX-License-Identifier: Apache-2.0
// The part of SectionReader that reads values; lists and maps of texts are in section_lists.cpp,
// structure is in section_reader.cpp.
#include <algorithm>
#include <array>
#include <charconv>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/lower_case.hpp"
#include "storage/libpq/conninfo.hpp"
#include "worker/config/left_masks.hpp"
#include "worker/config/micro_usd.hpp"
#include "worker/config/nearest_word.hpp"
#include "worker/config/safe_text.hpp"
#include "worker/config/secret_files.hpp"
#include "worker/config/section_reader.hpp"
#include "worker/config/small_file.hpp"
#include "worker/config/text_check.hpp"

namespace ba::settings {
namespace {

std::string real_text(double number) {
  std::array<char, 32> digits{};
  const auto [end, failure] = std::to_chars(digits.begin(), digits.end(), number);
  return {digits.begin(), failure == std::errc() ? end : digits.begin()};
}

using Kind = SettingShape::Kind;

SettingProblem too_small(Bounds bounds, const std::string& value) {
  return {.kind = SettingProblem::Kind::TooSmall,
          .value = value,
          .allowed = bounds.least == 1 ? "positive" : "non-negative"};
}

SettingShape whole_shape(Bounds bounds) { return {.kind = Kind::Whole, .bounds = bounds}; }

SettingShape real_shape(double least, double most) {
  return {.kind = Kind::Real, .least = least, .most = most};
}

}  // namespace

void SectionReader::text(const char* key, std::string& value) {
  if (const std::string* scalar = take_scalar(key, "a text")) {
    if (holds_mask(*scalar))
      error(key, mask_left(""));
    else
      value = *scalar;
  }
  record_text(key, value);
}

void SectionReader::number(const char* key, std::int64_t& value, Bounds bounds) {
  if (auto number = whole_number(key, bounds)) value = *number;
  record(key, std::to_string(value), whole_shape(bounds));
}

void SectionReader::number(const char* key, int& value, Bounds bounds) {
  if (auto number = whole_number(key, bounds)) value = static_cast<int>(*number);
  record(key, std::to_string(value), whole_shape(bounds));
}

void SectionReader::milliseconds(const char* key, Milliseconds& value, Bounds bounds) {
  if (auto number = whole_number(key, bounds)) value = Milliseconds(*number);
  record(key, std::to_string(value.count()), whole_shape(bounds));
}

void SectionReader::real(const char* key, double& value, double min, double max) {
  value = real_number(key, min, max).value_or(value);
  record(key, real_text(value), real_shape(min, max));
}

void SectionReader::optional_real(const char* key, std::optional<double>& value, double min,
                                  double max) {
  if (auto number = real_number(key, min, max)) value = number;
  record(key, value ? real_text(*value) : "null", real_shape(min, max));
}

void SectionReader::boolean(const char* key, bool& value) {
  if (const std::string* scalar = take_scalar(key, "true or false")) {
    const std::string word = lower_case(*scalar);
    const bool yes = word == "true" || word == "yes" || word == "on" || word == "1";
    const bool no = word == "false" || word == "no" || word == "off" || word == "0";
    if (yes || no)
      value = yes;
    else
      wrong(key, *scalar, "true or false");
  }
  record(key, value ? "true" : "false", {.kind = Kind::Boolean});
}

void SectionReader::dollars(const char* key, std::int64_t& micro_usd, Bounds bounds) {
  const std::string allowed = "an amount of dollars with at most 6 decimal places, like 0.25";
  if (const std::string* scalar = take_scalar(key, allowed)) {
    const auto amount = parse_micro_usd(*scalar);
    if (!amount)
      wrong(key, *scalar, allowed);
    else if (*amount < bounds.least && bounds.least == 0)
      problem(key, too_small(bounds, findings_.shortened(*scalar)));
    else if (*amount < bounds.least || *amount > bounds.most)
      wrong(key, *scalar,
            micro_usd_text(bounds.least) + " to " + micro_usd_text(bounds.most) + " dollars");
    else
      micro_usd = *amount;
  }
  record(key, micro_usd_text(micro_usd), {.kind = Kind::Dollars, .bounds = bounds});
}

void SectionReader::secret(const char* key, std::string& value) {
  const bool in_file = from_file(key, value, false);
  if (const std::string* scalar = take_secret(key)) {
    if (is_mask(*scalar))
      error(key, mask_left(std::string(key) + "_file"));
    else
      value = *scalar;
  }
  if (!value.empty()) findings_.secrets.push_back(value);
  if (!in_file) record(key, value.empty() ? "\"\"" : quoted(kMaskedSecret));
}

void SectionReader::text_or_file(const char* key, std::string& value) {
  const bool in_file = from_file(key, value, true);
  if (const std::string* scalar = take_scalar(key, "a text")) value = *scalar;
  if (!in_file) record(key, quoted(value));
}

void SectionReader::connection(const char* key, std::string& value) {
  const bool in_file = from_file(key, value, false);
  if (const std::string* scalar = take_secret(key)) {
    if (is_mask(*scalar) || holds_mask(*scalar))
      error(key, mask_left(std::string(key) + "_file"));
    else
      value = *scalar;
  }
  note_secrets(value);
  std::string password = conninfo_value(value, "password");
  if (!password.empty()) findings_.secrets.push_back(std::move(password));
  if (!in_file) record(key, quoted(shown_conninfo(value, kMaskedSecret)));
}

void SectionReader::note_secrets(const std::string& value) {
  for (std::string& secret : hidden_parts(value)) findings_.secrets.push_back(std::move(secret));
}

void SectionReader::record_text(const char* key, const std::string& value) {
  note_secrets(value);
  record(key, quoted(safe_text(value)));
}

std::optional<std::int64_t> SectionReader::whole_number(const char* key, Bounds bounds) {
  const std::string span =
      "a whole number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most);
  const std::string* scalar = take_scalar(key, span);
  if (scalar == nullptr) return std::nullopt;
  std::string digits;
  for (const char letter : *scalar)
    if (letter != '_') digits += letter;
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure != std::errc() || end != digits.data() + digits.size()) {
    wrong(key, *scalar, span);
  } else if (number < bounds.least && (bounds.least == 1 || bounds.least == 0)) {
    problem(key, too_small(bounds, std::to_string(number)));
  } else if (number < bounds.least || number > bounds.most) {
    wrong(key, *scalar, span);
  } else {
    return number;
  }
  return std::nullopt;
}

std::optional<double> SectionReader::real_number(const char* key, double min, double max) {
  const std::string allowed = "a number from " + real_text(min) + " to " + real_text(max);
  const std::string* scalar = take_scalar(key, allowed);
  if (scalar == nullptr) return std::nullopt;
  double number = 0;
  const char* last = scalar->data() + scalar->size();
  const auto [end, failure] = std::from_chars(scalar->data(), last, number);
  const bool valid = failure == std::errc() && end == last && number >= min && number <= max;
  if (valid) return number;
  wrong(key, *scalar, allowed);
  return std::nullopt;
}

std::optional<std::size_t> SectionReader::choose(const char* key, const std::string& current,
                                                 const std::vector<std::string>& allowed) {
  std::optional<std::size_t> chosen;
  std::string shown = current;
  if (const std::string* scalar = take_scalar(key, "one of " + joined(allowed))) {
    const auto found = std::find(allowed.begin(), allowed.end(), lower_case(*scalar));
    if (found != allowed.end()) {
      chosen = static_cast<std::size_t>(found - allowed.begin());
      shown = *found;
    } else {
      const auto nearest = nearest_word(*scalar, allowed);
      problem(key, {.kind = SettingProblem::Kind::NotAChoice,
                    .value = findings_.shortened(*scalar),
                    .allowed = joined(allowed),
                    .nearest = nearest ? quoted(*nearest) : ""});
    }
  }
  record(key, quoted(shown), {.kind = Kind::Choice, .choices = allowed});
  return chosen;
}

bool SectionReader::from_file(const char* key, std::string& value, bool keep_newlines) {
  const std::string file_key = std::string(key) + "_file";
  const std::string* name = take_scalar(file_key, "the name of a file");
  if (findings_.outlining) record(file_key, "\"\"");
  if (name == nullptr) return false;
  if (has(key)) error(key, std::string(key) + " and " + file_key + " are both set: keep one");
  auto content = read_small_file(*name);
  if (!content) {
    error(file_key, content.error().message);
    findings_.wrong_keys.insert(path_text(key));  // nobody is to miss the value as well
    return false;
  }
  value = std::move(*content);
  while (!keep_newlines && !value.empty() && (value.back() == '\n' || value.back() == '\r'))
    value.pop_back();
  if (value.empty()) {
    error(file_key, "the file is empty: " + *name);
    findings_.wrong_keys.insert(path_text(key));
  }
  if (const std::string problem = text_problem(value); !problem.empty())
    error(file_key, "what stands in " + *name + " " + problem);
  if (const std::string exposed = exposure_of(*name); !keep_newlines && !exposed.empty())
    warning(file_key, exposed);
  record(file_key, quoted(*name));
  return true;
}

}  // namespace ba::settings
