# SPDX-License-Identifier: Apache-2.0
"""A second Kafka broker, which checks who asks: clients come by TLS and SCRAM and may do what ACLs allow
(StandardAuthorizer). A listener without either is for whoever tests: it is the broker's superuser."""

import base64
import os
import shutil
import subprocess
import sys

from .certificates import Authority
from .kafka_admin import KafkaAdmin
from .processes import Process
from .stack import ROOT
from .waiting import wait_until

_JAVA = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
_SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=SECURED://127.0.0.1:{secured},OPEN://127.0.0.1:{open},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=SECURED://127.0.0.1:{secured},OPEN://127.0.0.1:{open}
listener.security.protocol.map=SECURED:SASL_SSL,OPEN:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=OPEN
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.secured.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
allow.everyone.if.no.acl.found=false
ssl.keystore.type=PEM
ssl.keystore.location={folder}/broker.pem
log.dirs={folder}/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=6000
broker.heartbeat.interval.ms=1000
"""


def _run(*command):
    done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}")
    return done.stdout.strip()


class SecuredKafka:
    """A context: the broker runs, and is gone with its data at the end."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "kafka")
        self._jars = _run(os.path.join(ROOT, "ops/setup"), "--where", "kafka") + "/*"
        self._process = None
        self.ca_file = self._admin = self.brokers = self.open_brokers = None

    def __enter__(self):
        os.makedirs(self.folder)
        authority = Authority(self.folder)
        self.ca_file = authority.ca_file
        authority.issue("broker", "IP:127.0.0.1")
        secured, open_port, controller = _run(sys.executable, os.path.join(ROOT, "ops/lib/ports.py"), "3").split()
        settings = f"{self.folder}/server.properties"
        with open(settings, "w", encoding="ascii") as file:
            file.write(_SETTINGS.format(secured=secured, open=open_port, controller=controller,
                                        folder=self.folder))
        cluster = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=").replace("-", "a")
        _run(*_JAVA, "-cp", self._jars, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", settings)
        self.brokers, self.open_brokers = f"127.0.0.1:{secured}", f"127.0.0.1:{open_port}"
        self._process = Process("secured kafka", [*_JAVA, "-Xmx512m", "-cp", self._jars, "kafka.Kafka", settings],
                                f"{self.folder}/log")
        try:
            self._admin = KafkaAdmin(self.open_brokers)
            wait_until(self._answers, 240, lambda: f"the broker answers: {self._process.tail()}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception):
        self._process.kill()
        shutil.rmtree(f"{self.folder}/data", ignore_errors=True)

    def _answers(self):
        assert self._process.exit_code is None, self._process.tail()
        return self._admin.answers()

    def add_user(self, name, password):
        self._admin.add_user(name, password)

    def allow(self, user, rights):
        self._admin.allow(user, rights)

    def deny(self, user, rights):
        self._admin.deny(user, rights)

    def properties(self, user, password):
        """Of a client."""
        return {"security.protocol": "SASL_SSL", "ssl.ca.location": self.ca_file,
                "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": user, "sasl.password": password}
