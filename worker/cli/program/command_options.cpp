// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/command_options.hpp"

#include <charconv>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "worker/cli/program/age_text.hpp"

namespace ba {
namespace {

const char* about_json(JsonForm form) {
  if (form == JsonForm::Lines) return "Answer in JSON, an object a line";
  return form == JsonForm::Array ? "Answer as a JSON array" : "Answer as a JSON document";
}

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
  app.add_option("--by", by, "Who does it (default: the account, at this host)");
}

void max_option(CLI::App& app, int& rows_max) {
  app.add_option("--max", rows_max, "List at most this many")
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

}  // namespace ba
