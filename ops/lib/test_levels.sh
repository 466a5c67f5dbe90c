# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs the levels of ops/test and counts. A level counts what its last line "N passed, N failed" or
# ctest's report says; one that executed nothing, or ended badly without saying so, has failed.
# Needs: OPS, ROOT, LOGS, JOBS, console.sh, step.sh, test_stack.sh.

readonly FAILURE_LINES_MAX=60 # of each level that has failed

# Leaves "PASSED FAILED MILLISECONDS" in LOGS/LEVEL.result.
run_level() {
  local level=$1 began code=1 passed=0 failed=0
  began=$(now_ms)
  rm -f "$LOGS/$level".{log,xml,result}
  if ! needs_stack "$level" || test_stack_start; then
    step "$level" "level_$level"
    code=$?
  fi
  read -r passed failed < <(count_level "$level") || true
  passed=${passed:-0} failed=${failed:-0}
  if [[ $((passed + failed)) -eq 0 ]]; then
    warn "level $level executed nothing"
    failed=1
  elif [[ $code -ne 0 && $failed -eq 0 ]]; then
    warn "level $level ended with exit code $code"
    failed=1
  fi
  [[ $STEP_QUIET == no ]] || say "   $level: $passed passed, $failed failed"
  printf '%s %s %s\n' "$passed" "$failed" "$(($(now_ms) - began))" >"$LOGS/$level.result"
}

needs_stack() { [[ $1 == server || $1 == domain || $1 == integration ]]; }

# A level without a result was ended from outside, and has failed.
print_summary() {
  local level passed failed ms sum_passed=0 sum_failed=0 lines=()
  for level in "$@"; do
    passed=0 failed=1 ms=0
    read -r passed failed ms 2>/dev/null <"$LOGS/$level.result" || warn "level $level has no result"
    [[ $failed -eq 0 ]] || print_failures "$level"
    sum_passed=$((sum_passed + passed)) sum_failed=$((sum_failed + failed))
    lines+=("$(printf '%-12s %5d passed %5d failed %6d.%d s' "$level" "$passed" "$failed" $((ms / 1000)) $((ms % 1000 / 100)))")
  done
  say '== summary'
  printf '%s\n' "${lines[@]}"
  say "logs: ${LOGS#"$ROOT/"}"
  say "$sum_passed passed, $sum_failed failed"
  [[ $sum_failed -eq 0 && $sum_passed -gt 0 ]]
}

# What its log says of failures, again: a long run is read from its end.
print_failures() {
  [[ -e $LOGS/$1.log ]] || return 0
  say "== failed in $1"
  grep -aE -A 12 '^ *(FAILED|\[  FAILED  \])|: target [a-z0-9_]+ failed|\*\*\*|: Failure$|assertion failed:' "$LOGS/$1.log" |
    head -n "$FAILURE_LINES_MAX"
}

# "PASSED FAILED" of a level that has run: from ctest's report if there is one, else its last line.
count_level() {
  if [[ -e $LOGS/$1.xml ]]; then
    /usr/bin/python3 -IS "$OPS/lib/count_tests.py" "$LOGS/$1.xml"
  elif [[ -e $LOGS/$1.log ]]; then
    sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$LOGS/$1.log" | tail -n 1
  fi
}

# Tests of one label. A test that was skipped or not even started counts as failed.
run_ctest() {
  local label=$1 jobs=$2
  rm -f "$LOGS/$label.xml"
  ctest --test-dir "$ROOT/build/release" -L "^$label\$" -j "$jobs" --no-tests=error \
    --output-on-failure --output-junit "$LOGS/$label.xml"
}

# A level of its own in tests/NAME: its program `run` ends with "N passed, N failed".
run_program() {
  local program=$ROOT/tests/$1/run
  [[ -x $program ]] || { warn "there is no ${program#"$ROOT/"}" && return 1; }
  "$program" "${@:2}"
}

# The cases that restart servers have a stack of their own and run beside the others. Theirs is told at the
# end, then the sum.
run_integration() {
  local alone=$LOGS/integration-alone.log shared=$LOGS/integration-shared.log other code=0
  rm -f "$alone" "$shared"
  second_stack_start || return
  with_stack "$(second_stack)" run_program integration --alone >"$alone" 2>&1 &
  other=$!
  with_test_stack run_program integration --shared 2>&1 | tee "$shared"
  code=${PIPESTATUS[0]}
  wait "$other" || code=1
  cat "$alone"
  sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$alone" "$shared" |
    awk '{passed += $1; failed += $2} END {printf "%d passed, %d failed\n", passed, failed}'
  return "$code"
}

level_tidy() { "$OPS/tidy"; }
# One more than there are processors for: some wait for a clock or a peer most of their time.
level_quick() { run_ctest quick "$((JOBS + 1))"; }
# The slowest targets take about 1,000 inputs a second. A day's hunt has the volume.
level_fuzz() {
  local runs=3000
  [[ $BA_TEST_SIZE == small ]] || runs=600000
  "$OPS/fuzz" --runs "$runs" --seed 1 --jobs "$JOBS"
}
# Programs that share a server run one by one (RESOURCE_LOCK, cmake/BaTargets.cmake).
level_server() { with_test_stack run_ctest server "$JOBS"; }
level_simulation() { run_program simulation; }
level_mcp() { run_program mcp; }
level_postgres() { run_program postgres; }
level_domain() { with_test_stack run_program domain; }
level_integration() { run_integration; }
level_chaos() {
  local amount=(--kills 150) # the others of a day are the hunt's
  [[ $BA_TEST_SIZE == small ]] || amount=(--kills 2000 --postgres-crashes 200 --broker-crashes 100)
  if [[ $(id -u) -ne 0 ]]; then
    say 'no disk is filled up: that takes the right to mount one, so run this level as root too'
    amount+=(--without-disk)
  fi
  "$OPS/chaos" --seed 1 --scene checks --scene set-back "${amount[@]}"
}
level_stack() { "$OPS/tests/stack_test.sh"; }
level_demo() { "$OPS/tests/demo_test.sh"; }
