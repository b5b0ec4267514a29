import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.resources.Resource;
import java.util.concurrent.TimeUnit;

/** Sends a log over OTLP/HTTP. */
public class FirstLog {
  public static void main(String[] arguments) {
    OtlpHttpLogRecordExporter exporter =
        OtlpHttpLogRecordExporter.builder()
            .setEndpoint(System.getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + "/v1/logs")
            .addHeader("Authorization", "Bearer " + System.getenv("LOGSIEVE_INGEST_KEY"))
            .build();
    SdkLoggerProvider provider =
        SdkLoggerProvider.builder()
            .setResource(
                Resource.getDefault()
                    .merge(Resource.create(Attributes.builder().put("service.name", "hello-java").build())))
            .addLogRecordProcessor(BatchLogRecordProcessor.builder(exporter).build())
            .build();

    provider
        .get("shop")
        .logRecordBuilder()
        .setSeverity(Severity.INFO)
        .setSeverityText("INFO")
        .setBody("My first log, sent with Java")
        .setAttribute(AttributeKey.longKey("order.id"), 1001L)
        .emit();

    provider.shutdown().join(10, TimeUnit.SECONDS); // Sends what is still in the batch.
  }
}
