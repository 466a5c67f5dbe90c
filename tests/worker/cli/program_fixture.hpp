#pragma once
// SPDX-License-Identifier: Apache-2.0
// The built program as a user runs it, in a folder of its own, for tests.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ba::cli {

struct ProgramRun {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("ba-program-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  /// Runs it in the test's folder with nothing but `variables` in its environment.
  ProgramRun run(const std::string& arguments, const std::string& variables = "",
                 const std::string& input = "", const std::string& out = "out") {
    const std::string base = folder_.string() + "/";
    std::ofstream(base + "in") << input;
    const std::string line = "cd '" + folder_.string() + "' && env -i " + variables + " '" +
                             BA_AGENT_PROGRAM + "' " + arguments + " <in >" + out + " 2>err";
    ProgramRun run;
    const int status = std::system(line.c_str());
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.out = content(base + "out");
    run.err = content(base + "err");
    return run;
  }

  static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  const std::filesystem::path folder_;
};

}  // namespace ba::cli
