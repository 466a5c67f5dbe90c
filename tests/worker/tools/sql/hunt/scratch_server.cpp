// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/scratch_server.hpp"

#include <fcntl.h>
#include <libpq-fe.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ba::hunt {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartTimeout = 60s;

/// Of the server: everything that a statement can leave behind is counted, and there is something
/// to learn in its settings and files.
constexpr const char* kSettings = R"(
listen_addresses = ''
fsync = off
autovacuum = off
max_connections = 30
track_functions = all
wal_level = logical
max_prepared_transactions = 4
shared_preload_libraries = 'pg_stat_statements'
timezone = 'UTC'
lc_messages = 'C'
log_min_messages = fatal
log_min_error_statement = panic
jit = off
hunt.secret = 'canary-of-a-setting'
)";

/// PostgreSQL refuses to run as root: it runs as the account that Debian has for it, and ends with
/// the thread that started it.
std::vector<std::string> as_server(std::vector<std::string> command) {
  std::vector<std::string> words{"setpriv", "--pdeathsig", "QUIT"};
  if (geteuid() == 0)
    words.insert(words.end(),
                 {"--reuid=postgres", "--regid=postgres", "--init-groups", "--inh-caps=-all"});
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

pid_t spawn(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || chdir("/") != 0) _exit(126);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

void run(const std::vector<std::string>& words, const std::string& log) {
  const pid_t child = spawn(words, log);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error(words.back() + ": no server came about; see " + log);
}

std::string log_of(const std::string& folder) { return folder + ".log"; }

}  // namespace

ScratchServer::ScratchServer(const std::string& bin) {
  std::string name = std::filesystem::temp_directory_path() / "ba-hunt-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder for a server");
  folder_ = name;
  create(bin);
  start(bin);
  wait_until_it_answers();
}

ScratchServer::~ScratchServer() {
  if (process_ > 0) {
    kill(process_, SIGQUIT);
    waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  std::filesystem::remove(log_of(folder_), ignored);
}

std::string ScratchServer::url(const std::string& role, const std::string& database) const {
  return "host=" + folder_ + " port=5432 user=" + role + " dbname=" + database;
}

void ScratchServer::create(const std::string& bin) const {
  if (geteuid() == 0) run({"chown", "postgres:postgres", folder_}, log_of(folder_));
  const std::string data = folder_ + "/data";
  run(as_server({bin + "/initdb", "-U", kAdmin, "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8",
                 "--no-sync", "--no-instructions", "-D", data}),
      log_of(folder_));
  std::ofstream(data + "/postgresql.conf", std::ios::app)
      << kSettings << "unix_socket_directories = '" << folder_ << "'\n";
  std::ofstream(data + "/canary.txt") << "canary-of-a-file\n";
  if (geteuid() == 0) run({"chown", "postgres:postgres", data + "/canary.txt"}, log_of(folder_));
}

void ScratchServer::start(const std::string& bin) {
  process_ =
      spawn(as_server({bin + "/postgres", "-p", "5432", "-D", folder_ + "/data"}), log_of(folder_));
}

void ScratchServer::wait_until_it_answers() const {
  const auto deadline = std::chrono::steady_clock::now() + kStartTimeout;
  while (PQping(url(kAdmin, "postgres").c_str()) != PQPING_OK) {
    const bool ended = waitpid(process_, nullptr, WNOHANG) != 0;
    if (ended || std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("the test's server doesn't start; see " + log_of(folder_));
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace ba::hunt
