# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The demo's jobs: sent, followed, compared with the database.
# Needs: OPS, HOME_DIR, AGENT, DEMO, PROVIDER, RUNNING, BA_* of the stack, console.sh.

readonly kJobSeconds=600 # the local model is slow, a busy machine slower

run_jobs() {
  local began mode=exact
  began=$(now_ms)
  RUN=demo-$(printf '%(%m%d-%H%M%S)T' -1)
  [[ -z $PROVIDER ]] || mode=completed
  write_jobs
  ask_database >"$HOME_DIR/truths.tsv"
  send_broken_record
  say ''
  say "Sending $(wc -l <"$HOME_DIR/jobs.jsonl") jobs and one record that is none; they take turns with the models."
  # In the background, so that a signal ends the demo at once; a demo that is killed takes it along.
  setpriv --pdeathsig TERM -- "$AGENT" submit --file "$HOME_DIR/jobs.jsonl" --wait \
    --timeout "$kJobSeconds" >"$HOME_DIR/answers.txt" &
  RUNNING=$!
  wait "$RUNNING" || say 'not every job was completed'
  RUNNING=''
  read_results
  say ''
  /usr/bin/python3 -I "$DEMO/report.py" "$HOME_DIR" "$mode" || return
  say "jobs      $(since "$began") s"
}

# The ledger has a result a moment before its topic has; one that never comes is the report's to tell.
read_results() {
  local try
  for ((try = 0; try < 50; ++try)); do
    "$AGENT" results --json >"$HOME_DIR/all-results.jsonl"
    grep -F "\"$RUN-" "$HOME_DIR/all-results.jsonl" >"$HOME_DIR/results.jsonl" || true
    [[ $(wc -l <"$HOME_DIR/results.jsonl") -lt $(wc -l <"$HOME_DIR/jobs.jsonl") ]] || return 0
    sleep 0.2
  done
}

# One line for each job, with this run's id.
write_jobs() {
  local job
  for job in "$DEMO"/jobs/*.json; do
    sed "s/@RUN@/$RUN/g" "$job" | tr -d '\n'
    printf '\n'
  done >"$HOME_DIR/jobs.jsonl"
}

# What the answers must contain: job id, round, text.
ask_database() {
  local query name
  for query in "$DEMO"/jobs/*.sql; do
    name=${query##*/}
    name=${name#*-}
    psql -X -q -A -t -F $'\t' -d service=analytics -v ON_ERROR_STOP=1 -f "$query" |
      sed "s/^/$RUN-${name%.sql}\t/"
  done
}

# With Kafka's own tool, since `ba-agent submit` would not send it.
send_broken_record() {
  sed "s/@RUN@/$RUN/g" "$DEMO/jobs/9-broken.txt" |
    "$OPS/kafka/run" produce --bootstrap-server "$BA_KAFKA_BROKERS" --topic ba.jobs \
      >"$HOME_DIR/produce.log" 2>&1 || die "sending failed: $(cat "$HOME_DIR/produce.log")"
}

show_dead_letter() {
  local tries found=''
  for ((tries = 0; tries < 300 && ${#found} == 0; tries++)); do
    [[ $tries -eq 0 ]] || sleep 0.2
    found=$(dead_letter)
  done
  say ''
  if [[ -z $found ]]; then
    warn 'the broken record has not become a dead letter'
    return 1
  fi
  say "The record that is no job became a dead letter (topic ba.dead-letters, table ba.dead_letters):"
  say "$found"
}

dead_letter() {
  psql -X -q -A -t -d service=ba_agent -v ON_ERROR_STOP=1 -v run="$RUN" <<'SQL'
SELECT format(E'  from    %s, partition %s, offset %s\n  value   %s\n  reason  %s, field %s: %s',
              source_topic, source_partition, source_offset, convert_from(record_value, 'UTF8'),
              reason, field, message)
FROM ba.dead_letters
WHERE position(convert_to(:'run' || '-broken', 'UTF8') IN record_value) > 0;
SQL
}
