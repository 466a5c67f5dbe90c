#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries ops/fuzz and ops/hunt with stand-ins for what they build and run: what is repeatable, what is kept,
# what is told. Ends with "N passed, N failed".
# shellcheck disable=SC2016 # bodies of stand-ins
set -uo pipefail

OPS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly OPS
# shellcheck source=ops/lib/console.sh
source "$OPS/lib/console.sh"
# shellcheck source=ops/tests/cases.sh
source "$OPS/tests/cases.sh"
readonly TREE=$WORK/tree
readonly SAID=$WORK/said CALLS=$WORK/calls

# stand_in PATH: a program of the tree whose body is on stdin. It first writes down how it was called.
stand_in() {
  mkdir -p "$TREE/$(dirname "$1")"
  {
    printf '#!/bin/bash\necho "%s $*" >>"%s"\n' "${1##*/}" "$CALLS"
    cat
  } >"$TREE/$1"
  chmod +x "$TREE/$1"
}

# A tree with two targets, in which nothing is found.
make_tree() {
  rm -rf "$TREE"
  mkdir -p "$TREE"/tests/fuzz/seeds/{alpha,beta_two} "$TREE/ops"
  cp -r "$OPS/lib" "$OPS/fuzz" "$OPS/hunt" "$TREE/ops"
  printf 'ba_fuzz(alpha a)\nba_fuzz(beta_two b)\n' >"$TREE/tests/fuzz/CMakeLists.txt"
  local seed
  for seed in b a C; do printf '%s' "$seed" | tee "$TREE/tests/fuzz/seeds/alpha/$seed" >"$TREE/tests/fuzz/seeds/beta_two/$seed"; done
  stand_in bin/cmake <<<'exit 0'
  stand_in bin/renice <<<'exit 0' # else a busy machine lets this test wait
  stand_in build/fuzz/fuzz_alpha <<<'echo stat::number_of_executed_units: 7'
  stand_in build/fuzz/fuzz_beta_two <<<'echo stat::number_of_executed_units: 8'
  stand_in build/release/ba-hunt <<<'echo "500 generated, 400 accepted by the server, 0 violations"'
  stand_in ops/simulate <<<'echo "10000 histories, 5 tasks, 1.0 s; 0 broke an invariant"'
  stand_in ops/chaos <<<'echo "ok     seed 1: 40 kills, 9 jobs;  (3 s; 340 kills in all)"; echo "1 passed, 0 failed"'
}

# try SCRIPT ARGUMENT...: sets CODE, leaves what was said in SAID and what was called in CALLS.
try() {
  local script=$1
  shift
  : >"$CALLS"
  CODE=0
  PATH="$TREE/bin:$PATH" "$TREE/ops/$script" "$@" >"$SAID" 2>&1 </dev/null || CODE=$?
  cat "$SAID" "$CALLS"
}

was_called() { grep -qE -- "$1" "$CALLS" || { printf 'not called: %s\n' "$1" && return 1; }; }
was_said() { grep -qE -- "$1" "$SAID" || { printf 'not said: %s\n' "$1" && return 1; }; }

counted_runs_are_the_same_each_time() {
  make_tree
  mkdir -p "$TREE"/build/fuzz/{corpus/alpha,runs/alpha}
  touch "$TREE"/build/fuzz/{corpus/alpha,runs/alpha}/earlier
  try fuzz --runs 50 --jobs 1
  expect_equal 0 "$CODE"
  was_said '^2 passed, 0 failed$'
  was_called '^fuzz_alpha -seed=1 .*-runs=50 -reload=0 .*-seed_inputs=@\S+/build/fuzz/runs/alpha.seeds \S+/build/fuzz/runs/alpha$'
  expect_equal 'tests/fuzz/seeds/alpha/C,tests/fuzz/seeds/alpha/a,tests/fuzz/seeds/alpha/b' "$(cat "$TREE/build/fuzz/runs/alpha.seeds")"
  expect_equal '' "$(ls "$TREE/build/fuzz/runs/alpha")"
  cp "$CALLS" "$WORK/calls.before"
  try fuzz --runs 50 --jobs 1
  diff "$WORK/calls.before" "$CALLS"
  BA_BUILT=yes try fuzz --runs 50
  expect_equal 0 "$CODE"
  ! grep '^cmake' "$CALLS" || return 1
  try fuzz beta_two --build
  expect_equal 0 "$CODE"
  was_called '^cmake --build --preset fuzz .*--target fuzz_beta_two$'
  ! grep '^fuzz_beta_two' "$CALLS" || return 1
  try fuzz --runs 50 --seed 9 beta_two
  was_called '^fuzz_beta_two -seed=9 '
}

timed_runs_print_their_seed() {
  make_tree
  try fuzz --seconds 3 alpha
  expect_equal 0 "$CODE"
  local seed
  seed=$(sed -nE 's/^seed ([0-9]+), 3 s each$/\1/p' "$SAID")
  was_called "^fuzz_alpha -seed=$seed .*-max_total_time=3 .*/build/fuzz/corpus/alpha \S+/tests/fuzz/seeds/alpha$"
}

what_makes_no_sense_is_refused() {
  make_tree
  local arguments
  for arguments in 'fuzz --runs 5 --seconds 5' 'fuzz --seed 0' 'fuzz --seed 4294967296' 'fuzz --runs' 'fuzz gamma' \
    'hunt nothing' 'hunt --minutes 0' 'hunt --seed x' 'hunt --statements 5' 'hunt statements fuzz --from 1' \
    'hunt statements --statements 5 --minutes 2'; do
    # shellcheck disable=SC2086 # words
    try $arguments
    expect_equal 2 "$CODE"
    was_said '^try: ops/'
  done
}

a_hunt_does_all_kinds() {
  make_tree
  hunt_briefly
  expect_equal 0 "$CODE"
  was_called '^renice -n 15 -p [0-9]+$'
  was_called '^ba-hunt --seconds 0 --seed 77 '
  was_called '^fuzz_beta_two -seed=77 .*-max_total_time='
  was_called '^simulate --histories 10000 --from 770000000 '
  was_called '^chaos --minutes 1 --seed 77000'
  was_said '^again: ops/hunt statements fuzz simulation chaos --minutes 1 --seed 77$'
  was_said "^histories: 10000; a day's hunt comes to 200000$"
  was_said '^kills: 340$'
  expect_equal '0 found, 0 kinds not run' "$(tail -n 1 "$SAID")"
}

# A minute of each kind would be long for a test: there is none, and each does the least that it can.
hunt_briefly() {
  sed -i 's/\$((MINUTES \* 60 \/ \${#CHOSEN\[@\]}))/0/' "$TREE/ops/hunt"
  grep -qF '"hunt_$kind" 0;' "$TREE/ops/hunt"
  try hunt --minutes 1 --seed 77 "$@"
}

what_is_found_is_kept_with_its_command() {
  make_tree
  stand_in build/fuzz/fuzz_beta_two <<<'[[ $* =~ artifact_prefix=([^ ]+) ]] && printf broken >"${BASH_REMATCH[1]}crash-1"; exit 77'
  stand_in build/release/ba-hunt <<<'printf "violation: seed 77, statement 4711: SELECT  1\n    it wrote\n"
    echo "violation: seed 77, statements from 500 on, none of them alone: locks"; exit 1'
  stand_in ops/simulate <<<'echo "seed 770000005: a job is lost"; echo "  ops/simulate --seed 770000005 --trace --jobs-max 1"
    echo "seed 770000006: another"; echo "0 passed, 1 failed"; exit 1'
  stand_in ops/chaos <<<'printf "FAILED seed 77001: 3 kills\n       doubled\nok     seed 77002: 4 kills\nFAILED recovery is too slow\n"; exit 1'
  hunt_briefly
  expect_equal 1 "$CODE"
  expect_equal '7 found, 0 kinds not run' "$(tail -n 1 "$SAID")"
  local hash found=$TREE/build/hunt/findings
  hash=$(printf broken | sha256sum | head -c 16)
  expect_equal broken "$(cat "$TREE/tests/fuzz/seeds/beta_two/$hash")"
  expect_equal "again: build/fuzz/fuzz_beta_two tests/fuzz/seeds/beta_two/$hash" "$(head -n 1 "$found/fuzz-beta_two-$hash.txt")"
  expect_equal 'again: ops/hunt statements --statements 1 --seed 77 --from 4711' "$(head -n 1 "$found/statements-77-4711.txt")"
  grep -q 'it wrote' "$found/statements-77-4711.txt"
  expect_equal 'again: ops/hunt statements --statements 500 --seed 77 --from 500' "$(head -n 1 "$found/statements-77-500.txt")"
  expect_equal 'again: ops/simulate --seed 770000005 --trace --jobs-max 1' "$(head -n 1 "$found/simulation-770000005.txt")"
  expect_equal 'again: ops/simulate --seed 770000006 --trace' "$(head -n 1 "$found/simulation-770000006.txt")"
  expect_equal "$(printf 'again: ops/chaos --runs 1 --seed 77001\nFAILED seed 77001: 3 kills\n       doubled')" "$(cat "$found/chaos-77001.txt")"
  grep -q 'recovery is too slow' "$found/chaos-campaign-77-1.txt"
}

a_kind_that_does_not_run_fails_the_hunt() {
  make_tree
  stand_in ops/simulate <<<'echo "the build failed"; exit 1'
  stand_in ops/chaos <<<'echo "no stack"; exit 1'
  hunt_briefly
  expect_equal 1 "$CODE"
  was_said '^could not be run: simulation chaos$'
  expect_equal '0 found, 2 kinds not run' "$(tail -n 1 "$SAID")"
}

statements_are_counted_as_well() {
  make_tree
  try hunt statements --statements 1 --from 4711
  expect_equal 0 "$CODE"
  was_called '^ba-hunt --seed 1 --statements 1 --from 4711$'
}

test_case 'ops/fuzz: counted runs are the same each time' counted_runs_are_the_same_each_time
test_case 'ops/fuzz: timed runs print their seed' timed_runs_print_their_seed
test_case 'ops/fuzz, ops/hunt: what makes no sense is refused' what_makes_no_sense_is_refused
test_case 'ops/hunt: all kinds' a_hunt_does_all_kinds
test_case 'ops/hunt: what is found is kept with its command' what_is_found_is_kept_with_its_command
test_case 'ops/hunt: a kind that does not run fails it' a_kind_that_does_not_run_fails_the_hunt
test_case 'ops/hunt: a number of statements' statements_are_counted_as_well
test_summary
