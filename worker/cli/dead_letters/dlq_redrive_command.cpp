// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/text/contract/decode_job.hpp"
#include "worker/cli/dead_letters/dlq_view.hpp"
#include "worker/cli/jobs/job_copy.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/config/contract_limits.hpp"
#include "worker/kafka/job_producer.hpp"
#include "worker/settings/small_file.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Redrives one thing after the other and says what came of each.
class Redriver {
 public:
  Redriver(const DlqRedriveArguments& arguments, const CliSession& session,
           storage::PgAccess access)
      : arguments_(arguments),
        session_(session),
        terminal_(session.terminal),
        access_(std::move(access)),
        by_(acting_person(arguments.by)) {}

  Result<void> read_edit() {
    if (arguments_.edit.empty()) return {};
    auto text = settings::read_small_file(arguments_.edit);
    if (!text) return text.error();
    edited_ = std::move(*text);
    return {};
  }

  Result<void> redrive(const storage::DeadThing& thing) {
    if (!thing.redrives.empty() && !arguments_.again) {
      ++kept_;
      say(thing, "kept: " + last_redrive_text(thing) + "; --again does it once more", "kept", "");
      return {};
    }
    return thing.job ? redrive_job(thing) : redrive_record(thing);
  }

  int kept() const { return kept_; }

 private:
  Result<void> redrive_job(const storage::DeadThing& thing) {
    CopyWish wish;
    wish.source = *thing.job;
    wish.new_id = arguments_.new_id;
    wish.suffix = "redrive";
    wish.from_round = arguments_.from_round;
    wish.edited = edited_;
    wish.by = by_;
    wish.now = std::chrono::time_point_cast<Microseconds>(std::chrono::system_clock::now());
    wish.limits = config::contract_limits_of(session_.config());
    const auto copy = plan_copy(access_, wish);
    if (!copy) return copy.error();
    const std::string made = copy->job.job.tenant.value + "/" + copy->job.job.job_id.value;
    const std::string from =
        copy->from_round ? "round " + std::to_string(*copy->from_round) : "where it had stopped";
    if (arguments_.dry_run) {
      say(thing, "would run on as " + made + " from " + from, "would_run", made);
      return {};
    }
    const auto rows = storage::copy_job(access_, *copy);
    if (!rows) return rows.error();
    say(thing, "runs on as " + made + " from " + from, "runs", made);
    return {};
  }

  Result<void> redrive_record(const storage::DeadThing& thing) {
    if (arguments_.from_round || !arguments_.new_id.empty())
      return invalid_argument("dead letter " + thing.id() +
                              " is a record and no job: --from-round and --as don't apply to it");
    auto record = storage::find_dead_record(access_, thing.letter);
    if (!record) return record.error();
    kafka::OutgoingRecord outgoing{thing.source.topic, record->key, edited_.value_or(record->value),
                                   record->headers};
    warn_if_refused(thing, outgoing);
    const std::string what = counted(static_cast<std::int64_t>(outgoing.value.size()), "byte") +
                             (edited_ ? " of " + arguments_.edit : "") + " to " + outgoing.topic;
    if (arguments_.dry_run) {
      say(thing, "would send " + what, "would_send", "");
      return {};
    }
    if (auto made = make_producer(); !made) return made;
    const auto note = storage::begin_redrive(access_, thing.letter, edited_.has_value(), by_);
    if (!note) return note.error();
    if (auto sent = producer_->send(std::move(outgoing)); !sent) return sent.error();
    if (auto noted = storage::end_redrive(access_, *note); !noted) return noted;
    say(thing, "sent " + what, "sent", "");
    return {};
  }

  /// By the limits of this configuration; a worker's may be others, so it is sent all the same.
  void warn_if_refused(const storage::DeadThing& thing, const kafka::OutgoingRecord& record) {
    const RecordView view{record.key, record.value, record.headers, thing.source};
    const DecodedRecord decoded = decode_job(view, config::contract_limits_of(session_.config()));
    const auto* why = std::get_if<DeadLetterReason>(&decoded);
    if (why == nullptr) return;
    terminal_.message(printable(
        thing.id() + ": a worker of this configuration will refuse it again: " +
        (why->field.empty() ? "" : why->field + ": ") + why->message + " (" + why->reason.text() +
        "); mend that in a file, and give it with --edit FILE (`ba-agent dlq show " + thing.id() +
        " --full` shows the record)"));
  }

  Result<void> make_producer() {
    if (producer_) return {};
    const auto options = kafka_of(session_.config());
    if (!options) return options.error();
    auto producer = kafka::JobProducer::create(*options);
    if (!producer) return producer.error();
    producer_ = std::move(*producer);
    return {};
  }

  void say(const storage::DeadThing& thing, const std::string& text, const char* what,
           const std::string& job) {
    if (arguments_.dlq.json)
      terminal_.out() << Json{{"id", thing.id()}, {"redrive", what}, {"new_job", job}}.dump()
                      << "\n";
    else
      terminal_.out() << printable(thing.id() + "  " + text) << "\n";
  }

  const DlqRedriveArguments& arguments_;
  const CliSession& session_;
  Terminal& terminal_;
  storage::PgAccess access_;
  std::string by_;
  std::optional<std::string> edited_;
  std::unique_ptr<kafka::JobProducer> producer_;
  int kept_ = 0;
};

void check_redrive(const DlqRedriveArguments& arguments) {
  const DlqArguments& dlq = arguments.dlq;
  if (dlq.ids.empty() && !filtered(dlq))
    throw CLI::ValidationError("redrive",
                               "no dead letter is chosen: give ids, --tenant, --reason or --since");
  if (!dlq.ids.empty() && filtered(dlq))
    throw CLI::ValidationError("redrive", "give ids, or --tenant, --reason and --since, not both");
  if (dlq.ids.size() == 1) return;
  if (!arguments.edit.empty() || !arguments.new_id.empty())
    throw CLI::ValidationError("redrive",
                               "--edit and --as go with one id: leave them out, or give one id");
}

void declare(CLI::App& app, DlqRedriveArguments& arguments) {
  app.add_option("id", arguments.dlq.ids, "Numbers of records, TENANT/JOB of jobs");
  declare_dlq_filter(app, arguments.dlq);
  app.add_flag("--dry-run", arguments.dry_run, "Only print the plan, change nothing");
  app.add_option("--edit", arguments.edit, "The record's new bytes, or the job's as JSON")
      ->type_name("FILE");
  app.add_option("--from-round", arguments.from_round,
                 "Run the job from this round on (the first is 0)")
      ->check(number_from(0, 1'000'000));
  app.add_option("--as", arguments.new_id, "The new job's id (default: made)");
  app.add_flag("--again", arguments.again, "Also records and jobs that were redriven before");
  by_option(app, arguments.by);
  json_flag(app, arguments.dlq.json, JsonForm::Lines);
  app.callback([&arguments] { check_redrive(arguments); });
}

int redrive(const DlqRedriveArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto things = storage::list_dead(*session.database, filter_of(arguments.dlq));
  if (!things) return terminal.fail(things.error());
  if (things->empty()) terminal.message("no such dead letters");
  Redriver redriver(arguments, session, *session.database);
  if (auto read = redriver.read_edit(); !read) return terminal.fail(read.error());
  int exit_code = kExitOk;
  for (auto thing = things->rbegin(); thing != things->rend(); ++thing) {  // oldest first
    const auto done = redriver.redrive(*thing);
    if (done) continue;
    Error error = done.error();
    error.message = thing->id() + ": " + error.message;
    exit_code = terminal.fail(error);
    if (exit_code != kExitFailed) return exit_code;  // nothing else fares better
  }
  return exit_code == kExitOk && redriver.kept() > 0 ? kExitFailed : exit_code;
}

}  // namespace

Command dlq_redrive_command() {
  return command<DlqRedriveArguments>(
      {.name = "dlq redrive",
       .summary = "Send records again, run jobs on",
       .notes =
           "A record that is sent unchanged is refused again, unless the workers or their "
           "limits have\n"
           "changed. Where that can be seen, a line on standard error says so. Sending records "
           "needs\n"
           "Kafka, too.",
       .examples = "  ba-agent dlq redrive --reason BAD_JSON --since 1d --dry-run\n"
                   "  ba-agent dlq redrive --tenant acme --dry-run\n"
                   "  ba-agent dlq redrive 17 --edit mended.json\n"
                   "  ba-agent dlq redrive acme/job-42                    # from where it had "
                   "stopped\n"
                   "  ba-agent dlq redrive acme/job-42 --from-round 1 --as job-42b",
       .needs = kNeedsLedger},
      declare, redrive);
}

}  // namespace ba::cli
