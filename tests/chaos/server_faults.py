# SPDX-License-Identifier: Apache-2.0
"""What is done to PostgreSQL, Kafka and the network between, each with what undoes it."""

import os
import random
import signal
import time

import confluent_kafka

from rig.proxy import BOTH, REPLIES, REQUESTS

_DELAY_SECONDS = 0.05
_CUT_BYTES_MAX = 2000
_STORM_MEMBERS = 3
_SYNC_MS_MAX = 800


class ServerFaults:
    """`small_disk` is where the installation's database is, or None."""

    def __init__(self, installation, postgres, small_disk):
        self._installation = installation
        self._stack = installation.stack
        self._postgres = postgres
        self._small_disk = small_disk
        self._begin = {
            "postgres crash": self._stop_postgres, "postgres child killed": self._kill_child,
            "postgres sessions ended": self._end_sessions, "postgres freeze": self._freeze_postgres,
            "disk full": self._fill_disk, "disk slow": self._slow_disk_down, "broker crash": self._kill_broker,
            "broker restart": self._restart_broker, "broker freeze": self._freeze_broker,
            "rebalance storm": self._storm,
        }

    def inflict(self, fault):
        """Breaks, holds for a while, heals."""
        proxy_name, _, how = fault.kind.partition(" ")
        begin = self._begin.get(fault.kind)
        if begin:
            heal = begin(fault)
        else:
            heal = self._break_network(self._installation.proxies[proxy_name], how, fault)
        try:
            time.sleep(fault.hold)
        finally:
            if heal:
                heal()

    @staticmethod
    def _break_network(proxy, how, fault):
        chance = random.Random(fault.seed)
        directions = chance.choice([(REQUESTS,), (REPLIES,), BOTH])
        if how == "cut":
            proxy.cut(chance.uniform(0.1, 1.0), fault.seed)
        elif how == "cut mid-message":
            proxy.cut_within(directions[0], _CUT_BYTES_MAX, fault.seed)
        elif how == "held":
            proxy.hold(directions)
        elif how == "swallowed":
            proxy.swallow(directions)
        elif how == "slow":
            proxy.delay(chance.uniform(0.1, 1.0) * _DELAY_SECONDS)
        else:
            raise ValueError(f"no fault '{fault.kind}'")
        return proxy.heal

    def _stop_postgres(self, _fault):
        self._postgres.stop_at_once()
        return self._postgres.start

    def _kill_child(self, fault):
        self._postgres.kill_child(fault.seed)
        return self._postgres.wait_until_it_answers

    def _end_sessions(self, fault):
        chance = random.Random(fault.seed)
        self._postgres.terminate_sessions(self._installation.database.name, chance.uniform(0.1, 1), fault.seed)

    def _freeze_postgres(self, _fault):
        self._postgres.freeze()
        return self._postgres.thaw

    def _fill_disk(self, _fault):
        self._small_disk.fill()
        return self._small_disk.free

    def _slow_disk_down(self, fault):
        self._postgres.slow_down(random.Random(fault.seed).randint(20, _SYNC_MS_MAX))
        return self._postgres.speed_up

    def _kill_broker(self, _fault):
        os.kill(self._stack.pid("kafka"), signal.SIGKILL)
        return lambda: self._stack.restart("kafka", kill=True)

    def _restart_broker(self, _fault):
        self._stack.restart("kafka", kill=False)

    def _freeze_broker(self, _fault):
        pid = self._stack.pid("kafka")
        os.kill(pid, signal.SIGSTOP)
        return lambda: os.kill(pid, signal.SIGCONT)

    def _storm(self, fault):
        """Members that join the workers' group, get partitions, read nothing and leave."""
        chance = random.Random(fault.seed)
        until = time.monotonic() + 2 * fault.hold
        while time.monotonic() < until:
            members = [self._join() for _ in range(chance.randint(1, _STORM_MEMBERS))]
            stay = time.monotonic() + chance.uniform(0.1, 0.6)
            while time.monotonic() < stay:
                for member in members:
                    member.poll(0.02)
            for member in members:
                member.close()

    def _join(self):
        topics = self._installation.topics
        member = confluent_kafka.Consumer({
            "bootstrap.servers": self._stack.brokers, "group.id": self._installation.prefix,
            "partition.assignment.strategy": "range", "enable.auto.commit": False, "session.timeout.ms": 1500,
            "auto.offset.reset": "latest", "log_level": 0})
        member.subscribe([topics[name] for name in ("jobs_high", "jobs", "jobs_batch")])
        return member
