import collectorConfig from "./snippets/collector.yaml?raw";
import javaSource from "./snippets/FirstLog.java?raw";
import goSource from "./snippets/first_log.go?raw";
import nodeSource from "./snippets/first_log.mjs?raw";
import pythonSource from "./snippets/first_log.py?raw";
import curlSource from "./snippets/first_log.sh?raw";
import pomSource from "./snippets/pom.xml?raw";

/** A file to save, with its name. */
export interface SnippetFile {
  readonly name: string;
  readonly text: string;
}

/** A way to send a first log: packages to install, files to save, and the command that sends. */
export interface Snippet {
  readonly id: string;
  readonly name: string;
  /** Commands that install the packages; null where nothing needs to be installed. */
  readonly install: string | null;
  /** True if the installation reads the files, which must be saved before it. */
  readonly isInstalledFromFiles?: true;
  readonly files: readonly SnippetFile[];
  readonly run: string;
  /** Sentence shown below the snippet, such as the meaning of an empty answer. */
  readonly note: string;
}

export const SNIPPETS: readonly Snippet[] = [
  {
    id: "curl",
    name: "curl",
    install: null,
    files: [{ name: "first_log.sh", text: curlSource }],
    run: "sh first_log.sh",
    note: "An empty answer, {}, means that the log is stored safely. If the request is refused, the answer says why.",
  },
  {
    id: "python",
    name: "Python",
    install:
      "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http opentelemetry-instrumentation-logging",
    files: [{ name: "first_log.py", text: pythonSource }],
    run: "python first_log.py",
    note: "After this set-up, everything that Python's logging module logs at INFO or above is sent. Values in extra become attributes.",
  },
  {
    id: "node",
    name: "Node.js",
    install:
      "npm install @opentelemetry/api @opentelemetry/api-logs @opentelemetry/sdk-logs @opentelemetry/exporter-logs-otlp-proto @opentelemetry/resources",
    files: [{ name: "first_log.mjs", text: nodeSource }],
    run: "node first_log.mjs",
    note: "The instrumentations for winston, pino and bunyan send what these libraries log.",
  },
  {
    id: "java",
    name: "Java",
    install: null,
    files: [
      { name: "pom.xml", text: pomSource },
      { name: "src/main/java/FirstLog.java", text: javaSource },
    ],
    run: "mvn -q compile exec:java",
    note: "The appenders for Logback and Log4j of opentelemetry-java-instrumentation send what these libraries log.",
  },
  {
    id: "go",
    name: "Go",
    install: "go mod init first-log && go mod tidy",
    isInstalledFromFiles: true,
    files: [{ name: "first_log.go", text: goSource }],
    run: "go run .",
    note: "Save the file before you install: go mod tidy reads the packages from it. After this set-up, what you log with log/slog through this logger is sent.",
  },
  {
    id: "collector",
    name: "Collector",
    install: null,
    files: [{ name: "collector.yaml", text: collectorConfig }],
    run: "echo 'My first log, sent by the Collector' >> app.log && otelcol-contrib --config collector.yaml",
    note: "Needs OpenTelemetry Collector Contrib 0.149 or newer. While Logsieve cannot be reached, logs wait in the folder collector-data.",
  },
];
