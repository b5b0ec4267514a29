// Sends a log over OTLP/HTTP.
// Address and key come from the OTEL_EXPORTER_OTLP_… variables.
import { DiagConsoleLogger, DiagLogLevel, diag } from "@opentelemetry/api";
import { SeverityNumber } from "@opentelemetry/api-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";

// Prints why a log could not be sent, such as 401 for a wrong key.
diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.WARN);

const provider = new LoggerProvider({
  resource: resourceFromAttributes({ "service.name": "hello-node" }),
  processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })],
});

provider.getLogger("shop").emit({
  severityNumber: SeverityNumber.INFO,
  severityText: "INFO",
  body: "My first log, sent with Node.js",
  attributes: { "order.id": 1001 },
});

await provider.shutdown(); // Sends what is still in the batch.
