# SPDX-License-Identifier: Apache-2.0
"""Records in and out, with the stock Python client."""

import os

import confluent_kafka
import confluent_kafka.admin

from .stack import kafka_login
from .waiting import wait_until

_QUIET = {"log_level": 0}  # a broker that is restarted on purpose is no news


def client_of(brokers):
    """A client's properties; the stack's brokers may ask for a login."""
    own = brokers in (os.environ.get("BA_KAFKA_BROKERS"), os.environ.get("BA_KAFKA_BEHIND_PROXY"))
    return {"bootstrap.servers": brokers, **_QUIET, **(kafka_login() if own else {})}


class Producer:
    def __init__(self, brokers):
        self._producer = confluent_kafka.Producer(
            {"enable.idempotence": True, "linger.ms": 5, "message.max.bytes": 16 << 20, **client_of(brokers)}
        )

    def send(self, topic, records):
        """`records`: (key, value, headers). Returns when the broker has all of them."""
        failed = []

        def delivered(error, _message):
            if error is not None:
                failed.append(error)

        for key, value, headers in records:
            self._producer.produce(topic, value=value, key=key, headers=headers, on_delivery=delivered)
            self._producer.poll(0)
        left = self._producer.flush(60)
        if failed or left:
            raise AssertionError(f"{left} records of {topic} not sent, failed: {failed[:3]}")


class Reader:
    """Reads topics from their beginning, by default as a consumer with read_committed sees them."""

    def __init__(self, brokers, topics, isolation="read_committed"):
        self._consumer = confluent_kafka.Consumer({
            "group.id": "rig-reader", "enable.auto.commit": False,
            "isolation.level": isolation, "enable.partition.eof": True, "fetch.wait.max.ms": 50,
            **client_of(brokers),
        })
        metadata = self._consumer.list_topics(timeout=30).topics
        missing = [topic for topic in topics if topic not in metadata]
        if missing:
            raise AssertionError(f"there are no topics {missing}")
        partitions = [confluent_kafka.TopicPartition(topic, p, confluent_kafka.OFFSET_BEGINNING)
                      for topic in topics for p in metadata[topic].partitions]
        self._not_at_end = {(p.topic, p.partition) for p in partitions}
        self._consumer.assign(partitions)
        self.messages = []

    def poll(self, seconds=0.05):
        """Takes in what has arrived; the messages so far."""
        for message in self._consumer.consume(500, seconds):
            if message.error() is None:
                self.messages.append(message)
            elif message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF:
                self._not_at_end.discard((message.topic(), message.partition()))
        return self.messages

    def was_at_end(self):
        """Whether each partition's end was seen at least once."""
        self.poll()
        return not self._not_at_end

    def close(self):
        self._consumer.close()


def read_all(brokers, topics, isolation="read_committed"):
    """Every message that the topics hold now, by topic."""
    reader = Reader(brokers, topics, isolation)
    try:
        wait_until(reader.was_at_end, 60, f"end of {topics}")
        found = {topic: [] for topic in topics}
        for message in reader.messages:
            found[message.topic()].append(message)
        return found
    finally:
        reader.close()


def delete_topics(brokers, topics):
    admin = confluent_kafka.admin.AdminClient(client_of(brokers))
    for future in admin.delete_topics(list(topics), operation_timeout=30).values():
        future.exception(30)
