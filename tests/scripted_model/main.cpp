// SPDX-License-Identifier: Apache-2.0
// ba-scripted-model: plays scripted conversations over the wire protocols of real providers. See
// the README of this folder.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/scripted_model/model_server.hpp"

namespace {

using ba::scripted::Script;
using ba::scripted::Server;
using ba::scripted::Service;
using ba::scripted::ServiceOptions;

struct Options {
  ServiceOptions service;
  std::uint16_t port = 0;
  std::vector<std::string> scripts;
  std::string journal;
  bool exit_with_stdin = false;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--port", options.port, "Port on 127.0.0.1; 0 takes a free one")
      ->capture_default_str();
  app.add_option("--script", options.scripts, "Script file (YAML or JSON); may be repeated")
      ->check(CLI::ExistingFile);
  app.add_option("--journal", options.journal, "Append a line to this file for each paid call");
  app.add_option("--api-key", options.service.api_key, "The key each request must carry");
  app.add_option("--delay-ms", options.service.delay, "Wait before each reply");
  app.add_option("--event-delay-ms", options.service.event_delay,
                 "Wait between the events of a stream");
  app.add_option("--bench-tool", options.service.bench.tool, "Tool that bench questions call")
      ->capture_default_str();
  app.add_option("--bench-args", options.service.bench.arguments, "Its arguments, a JSON object")
      ->capture_default_str();
  app.add_option("--bench-steps", options.service.bench.steps, "Tool calls before the answer")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--exit-with-stdin", options.exit_with_stdin, "End when standard input closes");
}

int fail(const ba::Error& error) {
  std::fprintf(stderr, "ba-scripted-model: %s\n", error.message.c_str());
  return 1;
}

int serve(const Options& options, Script script) {
  Service service(options.service, std::move(script));
  if (!options.journal.empty()) {
    if (const auto opened = service.counts().open_journal(options.journal); opened.has_error()) {
      return fail(opened.error());
    }
  }
  Server server(service);
  const ba::Result<std::uint16_t> port = server.listen(options.port);
  if (port.has_error()) return fail(port.error());
  server.stop_on_signals();
  if (options.exit_with_stdin) server.stop_when_stdin_closes();
  std::printf("http://127.0.0.1:%u\n", static_cast<unsigned>(*port));
  std::fflush(stdout);
  server.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A model that plays scripted conversations");
  Options options;
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  Script script;
  for (const std::string& path : options.scripts) {
    if (const auto added = script.add_file(path); added.has_error()) return fail(added.error());
  }
  ba::scripted::JsonDocument arguments;
  if (!arguments.parse(options.service.bench.arguments) ||
      !arguments.root().is(ba::scripted::JsonKind::Object)) {
    return fail(ba::invalid_argument("--bench-args must be a JSON object"));
  }
  return serve(options, std::move(script));
}
