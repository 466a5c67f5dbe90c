# SPDX-License-Identifier: Apache-2.0
"""execute_command from the whole program: a job's model gets what a command wrote; whatever becomes of the
worker or the job, no process of a command stays, and one that was cut off is not run again."""

import contextlib
import os

from case import Case
from rig.exactness import Exactness
from rig.waiting import wait_until

SIGKILLED = -9
SCRIPT = r"""
entries:
  - when: {regex: 'run (.+)'}
    then:
      - tool_calls:
          - {name: execute_command, args: {command: '{{match.1}}'}, id: call_1}
      - {text: 'answer: {{observation.-1}}'}
"""
SETTINGS = {"agents": {"default": {"permission": "admin"}},
            "tools": {"output_level": "full", "execute_command": {"enabled": True}}}


def installation(lab):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    return lab.deployment(SETTINGS, scripts=[script])


def job(command):
    return {"tenant": "rig", "job_id": "one", "messages": [f"run {command}"]}


def processes():
    """Each process's id and command line; those that end meanwhile are left out."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/cmdline", "rb") as file:
            yield int(name), file.read().decode(errors="replace").split("\0")[:-1]


def namespace(pid):
    """That of the processes; None when it is over."""
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/ns/pid")
    return None


class Sleeper:
    """A command that two processes sleep in, one of them in a session of its own; no other command
    line has these seconds."""

    def __init__(self):
        self.seconds = f"9{os.getpid()}{id(self) % 1_000_000_007}"
        self.job = job(f"echo started; setsid sleep {self.seconds} & sleep {self.seconds}")
        self._namespace = None

    def _sleeping(self):
        return [pid for pid, words in processes() if words == ["sleep", self.seconds]]

    def wait_until_it_runs(self, worker):
        pids = wait_until(lambda: len(self._sleeping()) == 2 and self._sleeping(), 60, worker.tail)
        self._namespace = namespace(pids[0])
        assert self._namespace and self._namespace != namespace(os.getpid()), self._namespace
        assert len(self.left()) >= 3, self.left()  # the two, and the first process of the sandbox

    def named(self):
        """What of the machine has the seconds on its command line."""
        return [(pid, words) for pid, words in processes() if any(self.seconds in word for word in words)]

    def left(self):
        """Those, and what else is in the sandbox. Once nothing is left another sandbox may get its number."""
        return self.named() + [(pid, words) for pid, words in processes()
                               if namespace(pid) == self._namespace]

    def wait_until_nothing_is_left(self):
        wait_until(lambda: not self.left(), 10, lambda: f"these run on: {self.left()}")


def final_answer(deployment):
    return deployment.database.value("SELECT final_answer FROM rounds")


def a_model_gets_what_a_command_wrote(lab):
    command = "echo $((6 * 7)) in $PWD; id -u; env; exit 3"
    with installation(lab) as deployment:
        worker = deployment.start_worker(env={"COMMAND_CANARY": "the-canary-sings"})
        deployment.submit([job(command)])
        deployment.wait_for_results(1, 60)
        Exactness(deployment, [job(command)]).expect_good()
        answer = final_answer(deployment)
        for wanted in ('"ended": "exit"', '"exit_code": 3', r'"stdout": "42 in /box\n65534\n', "HOME=/box"):
            assert wanted in answer, answer
        assert "canary" not in answer.lower().replace(command, ""), answer
        assert deployment.database.value("SELECT state FROM tool_calls") == "succeeded"
        worker.terminate()
        assert worker.wait(20) == 0, worker.tail()


def kill_nine_leaves_no_process_and_no_second_run(lab):
    sleeper = Sleeper()
    with installation(lab) as deployment:
        worker = deployment.start_worker()
        deployment.submit([sleeper.job])
        sleeper.wait_until_it_runs(worker)
        assert worker.kill() == SIGKILLED
        sleeper.wait_until_nothing_is_left()
        second = deployment.start_worker()
        deployment.wait_for_results(1, 60)
        Exactness(deployment, [sleeper.job]).expect_good()
        row = deployment.database.row("SELECT count(*) AS calls, min(state) AS state FROM tool_calls")
        assert row == {"calls": 1, "state": "unknown"}, row
        assert "Outcome unknown" in final_answer(deployment), final_answer(deployment)
        assert not sleeper.named(), f"run again: {sleeper.named()}, {second.tail()}"


def a_cancelled_job_leaves_no_process(lab):
    sleeper = Sleeper()
    with installation(lab) as deployment:
        worker = deployment.start_worker()
        deployment.submit([sleeper.job])
        sleeper.wait_until_it_runs(worker)
        deployment.run("job", "cancel", "one", "--tenant", "rig")
        wait_until(lambda: deployment.finished() == 1, 30, deployment.explain)
        sleeper.wait_until_nothing_is_left()
        assert worker.exit_code is None, worker.tail()


CASES = [Case("command: a model gets what a command wrote", a_model_gets_what_a_command_wrote),
         Case("command: kill -9 leaves no process and no second run", kill_nine_leaves_no_process_and_no_second_run),
         Case("command: a cancelled job leaves no process", a_cancelled_job_leaves_no_process)]
