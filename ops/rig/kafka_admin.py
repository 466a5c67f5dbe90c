# SPDX-License-Identifier: Apache-2.0
"""Users and ACLs of a broker, as its superuser makes them."""

import confluent_kafka.admin as kafka

RESOURCES = {"Topic": kafka.ResourceType.TOPIC, "Group": kafka.ResourceType.GROUP,
             "TransactionalId": kafka.ResourceType.TRANSACTIONAL_ID}
OPERATIONS = {"Read": kafka.AclOperation.READ, "Write": kafka.AclOperation.WRITE,
              "Create": kafka.AclOperation.CREATE, "Describe": kafka.AclOperation.DESCRIBE,
              "DescribeConfigs": kafka.AclOperation.DESCRIBE_CONFIGS}
PATTERNS = {"literal": kafka.ResourcePatternType.LITERAL, "prefixed": kafka.ResourcePatternType.PREFIXED}


class KafkaAdmin:
    """`login`: the client's properties, of a superuser."""

    def __init__(self, brokers, login=None):
        self._admin = kafka.AdminClient({"bootstrap.servers": brokers, "log_level": 0, **(login or {})})

    def answers(self):
        try:
            return bool(self._admin.list_topics(timeout=2).brokers)
        except kafka.KafkaException:
            return False

    def add_user(self, name, password):
        user = kafka.UserScramCredentialUpsertion(
            name, kafka.ScramCredentialInfo(kafka.ScramMechanism.SCRAM_SHA_512, 4096), password.encode())
        for future in self._admin.alter_user_scram_credentials([user]).values():
            future.result(30)

    def allow(self, user, rights):
        """`rights`: (resource, name, pattern, operation)."""
        for future in self._admin.create_acls(list({_binding(user, right) for right in rights})).values():
            future.result(30)

    def deny(self, user, rights):
        """Takes back what allow() gave."""
        filters = [_binding(user, right, kafka.AclBindingFilter) for right in rights]
        for future in self._admin.delete_acls(filters).values():
            future.result(30)


def _binding(user, right, kind=kafka.AclBinding):
    resource, name, pattern, operation = right
    return kind(RESOURCES[resource], name, PATTERNS[pattern], f"User:{user}", "*", OPERATIONS[operation],
                kafka.AclPermissionType.ALLOW)
