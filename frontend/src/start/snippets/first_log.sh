#!/bin/sh
# Sends one log over OTLP/HTTP as JSON. Without a time, it gets the time of its arrival.
curl --fail-with-body --silent --show-error "${OTEL_EXPORTER_OTLP_ENDPOINT:?is not set}/v1/logs" \
  -H "Authorization: Bearer ${LOGSIEVE_INGEST_KEY:?is not set}" \
  -H 'Content-Type: application/json' \
  -d '{
    "resourceLogs": [{
      "resource": {"attributes": [
        {"key": "service.name", "value": {"stringValue": "hello-curl"}}
      ]},
      "scopeLogs": [{"logRecords": [{
        "severityNumber": 9,
        "body": {"stringValue": "My first log, sent with curl"},
        "attributes": [{"key": "order.id", "value": {"intValue": "1001"}}]
      }]}]
    }]
  }'
