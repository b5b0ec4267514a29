"""Renders server.properties of a broker that `up` starts."""

from typing import Final

from stack.broker.accounts import Accounts
from stack.broker.escape import escape_property
from stack.broker.node import Broker

_PROPERTIES: Final = """\
# Written by `logsieve up` on every start; changes made here are lost.
process.roles=broker,controller
node.id={number}
listeners=CLIENT://127.0.0.1:{client_port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=CLIENT://127.0.0.1:{client_port}
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT
inter.broker.listener.name=CLIENT
controller.listener.names=CONTROLLER
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
sasl.mechanism.controller.protocol=PLAIN
listener.name.client.plain.sasl.jaas.config={client_sign_in}
listener.name.controller.plain.sasl.jaas.config={controller_sign_in}
log.dirs={data}

auto.create.topics.enable=false
offsets.topic.num.partitions=4
transaction.state.log.num.partitions=4
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0

# An OTLP request of 16 MiB with its envelope fits into one message.
message.max.bytes=20971520
replica.fetch.max.bytes=20971520

# Retention of topics without settings of their own: three days, at most 8 GiB for each partition. Retention drops whole
# segments.
log.retention.hours=72
log.retention.bytes=8589934592
log.segment.bytes=134217728
log.retention.check.interval.ms=60000
# A year. The offsets of stopped loaders must outlive the messages, because loaders without offsets start at the first
# kept message, and store again what is stored already.
offsets.retention.minutes=525600
# The operating system decides when data is written to disk, as Kafka recommends. An acknowledged record survives the
# death of the broker, because the page cache belongs to the system, but not the death of the machine. Several copies on
# several machines survive that too.

# Buffers of the system's own size, which grows. With Kafka's 100 KiB, a message of 2 MiB took twenty reads.
socket.receive.buffer.bytes=-1
socket.send.buffer.bytes=-1
num.network.threads=2
num.io.threads=4

"""

_ALONE: Final = """\
controller.quorum.bootstrap.servers=127.0.0.1:{controller_port}
# One broker cannot hold more than one copy of its own topics.
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
# Controllers write no-op records to see how far the others have read. A single controller needs few of them. Kafka's
# default is one in 500 ms.
metadata.max.idle.interval.ms=10000
"""

_SEVERAL: Final = """\
# With this list, controllers are found after a change of LOGSIEVE_PORT_OFFSET. Kafka's metadata would still name the
# earlier ports.
controller.quorum.voters={voters}
# Each message is on all brokers, and at least two confirm it before it is acknowledged.
default.replication.factor={copies}
min.insync.replicas=2
offsets.topic.replication.factor={copies}
transaction.state.log.replication.factor={copies}
transaction.state.log.min.isr=2
share.coordinator.state.topic.replication.factor={copies}
share.coordinator.state.topic.min.isr=2
unclean.leader.election.enable=false
# Time after which another broker leads the partitions of a broker that has died. With Kafka's default, 9 s, messages
# would wait for about as long as receivers do (10 s), and some would be refused.
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
# Otherwise the last broker that `logsieve down` stops would wait for a majority of controllers, which no longer exists.
controlled.shutdown.enable=false
"""


def render_properties(broker: Broker, accounts: Accounts) -> str:
    """Returns the text of server.properties, which holds the passwords of both accounts."""
    voters = (f"{number}@127.0.0.1:{port}" for number, port in enumerate(broker.controller_ports, start=1))
    return (_PROPERTIES + (_ALONE if broker.is_alone else _SEVERAL)).format(
        number=broker.number,
        client_port=broker.client_port,
        controller_port=broker.controller_port,
        data=escape_property(str(broker.data)),
        client_sign_in=accounts.clients_may_sign_in(),
        controller_sign_in=accounts.only_the_broker_may_sign_in(),
        voters=",".join(voters),
        copies=len(broker.controller_ports),
    )
