"""Connection settings of every Kafka client: brokers, transport security, sign-in.

No other module names brokers or security settings (tests/repository/test_kafka_clients.py). So no client of ours lacks
the settings when brokers require TLS or a password.
"""

from confluent_kafka import KafkaError

from kit.pem_files import unreadable_file
from kit.settings import Settings


def kafka_connection(settings: Settings) -> dict[str, str]:
    """Returns librdkafka's settings for reaching the brokers. The caller adds the settings of its own purpose.

    Brokers' certificates and host names are checked: that is librdkafka's default, and no setting turns it off.
    """
    protocol = settings.kafka_protocol
    return {
        "bootstrap.servers": settings.kafka_brokers,
        "security.protocol": protocol,
        **(_certificates(settings) if protocol.endswith("SSL") else {}),
        **(_sign_in(settings) if protocol.startswith("SASL") else {}),
    }


def own_broker_connection(settings: Settings, index: int) -> dict[str, str]:
    """Returns librdkafka's settings for reaching one of the brokers that `up` starts; `index` counts from 0.

    The client sends its first request to this broker, and gets the addresses of the other brokers from the answer.
    """
    return kafka_connection(settings) | {"bootstrap.servers": settings.own_broker(index)}


def configuration_refusal(error: KafkaError, settings: Settings) -> str:
    """Returns which setting no client can have, such as a certificate file that does not exist, and what to do."""
    files = {
        "ssl.ca.location": ("LOGSIEVE_KAFKA_CA_FILE", settings.kafka_ca_file),
        "ssl.certificate.location": ("LOGSIEVE_KAFKA_CERTIFICATE_FILE", settings.kafka_certificate_file),
        "ssl.key.location": ("LOGSIEVE_KAFKA_KEY_FILE", settings.kafka_key_file),
        "https.ca.location": ("LOGSIEVE_KAFKA_OAUTH_CA_FILE", settings.kafka_oauth_ca_file),
    }
    text = error.str()
    for option, (setting, path) in files.items():
        if option in text:
            unreadable = unreadable_file({setting: path})
            return unreadable or f"{setting} ({path}) cannot be used: {text}; name a PEM file that fits the other files"
    return f"Kafka's client refuses the settings LOGSIEVE_KAFKA_… ({text}): correct them"


def _certificates(settings: Settings) -> dict[str, str]:
    password = settings.kafka_key_password
    return _given(
        {
            "ssl.ca.location": settings.kafka_ca_file,
            "ssl.certificate.location": settings.kafka_certificate_file,
            "ssl.key.location": settings.kafka_key_file,
            "ssl.key.password": None if password is None else password.get_secret_value(),
        }
    )


def _sign_in(settings: Settings) -> dict[str, str]:
    # The broker that `up` starts offers only this mechanism.
    mechanism = "PLAIN" if settings.kafka_bootstrap is None else settings.kafka_sasl_mechanism
    if mechanism != "OAUTHBEARER":
        return {
            "sasl.mechanism": mechanism,
            "sasl.username": settings.kafka_account,
            "sasl.password": settings.kafka_secret,
        }
    secret = settings.kafka_oauth_client_secret
    return _given(
        {
            "sasl.mechanism": mechanism,
            # librdkafka requests tokens from the provider and renews them by itself.
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.token.endpoint.url": settings.kafka_oauth_token_url,
            "sasl.oauthbearer.client.id": settings.kafka_oauth_client_id,
            "sasl.oauthbearer.client.secret": None if secret is None else secret.get_secret_value(),
            "sasl.oauthbearer.scope": settings.kafka_oauth_scope,
            "https.ca.location": settings.kafka_oauth_ca_file,
        }
    )


def _given(values: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}
