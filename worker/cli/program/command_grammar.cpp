// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/command_grammar.hpp"

#include <charconv>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ba {

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

}  // namespace ba
