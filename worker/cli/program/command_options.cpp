// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/command_options.hpp"

#include <pwd.h>
#include <unistd.h>
#include <array>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ba::cli {
namespace {

const char* about_json(JsonForm form) {
  if (form == JsonForm::Lines) return "Answer in JSON, an object a line";
  return form == JsonForm::Array ? "Answer as a JSON array" : "Answer as a JSON document";
}

std::optional<std::int64_t> seconds_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return std::nullopt;
  }
}

constexpr std::int64_t kSecondsMax = 36525LL * 86400;  // a hundred years

}  // namespace

CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("must not be empty: is a variable empty?") : "";
          },
          ""};
}

CLI::Validator seconds_from(double least, double most) {
  std::ostringstream range;
  range << least << " to " << std::fixed << std::setprecision(0) << most;
  const auto problem = [=, range = range.str()](const std::string& text) -> std::string {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool read = error == std::errc() && end == text.data() + text.size();
    if (!read || !std::isfinite(number))
      return "\"" + text + "\" is no number of seconds (" + range + ")";
    return number >= least && number <= most ? std::string()
                                             : text + " is not in the range " + range;
  };
  return {problem, range.str()};
}

CLI::Validator number_from(int least, int most) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  const auto problem = [=](const std::string& text) -> std::string {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error != std::errc::invalid_argument && end == text.data() + text.size();
    if (!whole) return "\"" + text + "\" is no whole number (" + range + ")";
    const bool within = error == std::errc() && number >= least && number <= most;
    return within ? std::string() : text + " is not in the range " + range;
  };
  return {problem, range};
}

CLI::Option* json_flag(CLI::App& app, bool& json, JsonForm form) {
  return app.add_flag("--json", json, about_json(form));
}

void tenant_of_id(CLI::App& app, std::string& tenant) {
  app.add_option("--tenant", tenant,
                 "Tenant; the id is then taken as it is (default: \"default\", or the TENANT of "
                 "TENANT/JOB)")
      ->check(not_empty());
}

CLI::Option* filter_option(CLI::App& app, const char* name, std::string& value, const char* about) {
  return app.add_option(name, value, about)->check(not_empty());
}

void by_option(CLI::App& app, std::string& by) {
  app.add_option("--by", by, "Name of the person who acts (default: the account, at this host)");
}

void max_option(CLI::App& app, int& rows_max) {
  app.add_option("--max", rows_max, "At most this many")
      ->capture_default_str()
      ->check(number_from(1, 100'000));
}

void age_option(CLI::App& app, const char* name, std::optional<Milliseconds>& age,
                const char* about) {
  const auto read = [&age, name](const std::string& text) {
    age = parse_age(text);
    if (!age)
      throw CLI::ValidationError(name, "\"" + text +
                                           "\" is no span of time; write a number with s, m, h "
                                           "or d: 90s, 30m, 12h, 7d");
  };
  app.add_option_function<std::string>(name, read, std::string(about) + " (90s, 30m, 12h, 7d)")
      ->type_name("AGE");
}

std::string acting_person(const std::string& by) {
  if (!by.empty()) return by;
  const passwd* account = getpwuid(geteuid());
  const std::string name = account ? account->pw_name : std::to_string(geteuid());
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return name;
  return name + "@" + host.data();
}

std::optional<Milliseconds> parse_age(std::string_view text) {
  if (text.size() < 2 || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto unit = seconds_of(text.back());
  const char* const end = text.data() + text.size() - 1;
  std::int64_t number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (!unit || error != std::errc() || stopped != end || number > kSecondsMax / *unit)
    return std::nullopt;
  return Milliseconds(number * *unit * 1000);
}

}  // namespace ba::cli
