// Sends what log/slog logs over OTLP/HTTP.
// Address and key come from the OTEL_EXPORTER_OTLP_… variables.
package main

import (
	"context"
	"log"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
)

func main() {
	ctx := context.Background()
	exporter, err := otlploghttp.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	provider := sdklog.NewLoggerProvider(
		sdklog.WithResource(resource.NewSchemaless(attribute.String("service.name", "hello-go"))),
		sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)),
	)

	logger := otelslog.NewLogger("shop", otelslog.WithLoggerProvider(provider))
	logger.Info("My first log, sent with Go", "order.id", 1001)

	// Sends what is still in the batch.
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}
