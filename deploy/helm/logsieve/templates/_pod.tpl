{{/* Settings that are no secrets, as data of a ConfigMap. */}}
{{- define "logsieve.settings" -}}
{{- $_ := required "settings.LOGSIEVE_CLICKHOUSE_URL names the ClickHouse servers, one URL for each shard" .Values.settings.LOGSIEVE_CLICKHOUSE_URL }}
{{- $_ := required "settings.LOGSIEVE_KAFKA_BOOTSTRAP names the Kafka brokers, host:port,…" .Values.settings.LOGSIEVE_KAFKA_BOOTSTRAP }}
{{- range $name, $_ := .Values.settings }}
{{- if regexMatch "^LOGSIEVE_(HOME|SECRETS_DIR|LOADER_REPLICA|PORT_OFFSET|(OTLP_GRPC|OTLP_HTTP|LOADER|API|ALERTS)_PORT)$" $name }}
{{- fail (printf "settings.%s cannot be set, because volumes, probes, Services and loaders of the chart need its usual value: remove it" $name) }}
{{- end }}
{{- end }}
LOGSIEVE_HOME: /var/lib/logsieve
LOGSIEVE_SECRETS_DIR: /run/secrets/logsieve
{{- range $name, $value := .Values.settings }}
{{- if ne (toString $value) "" }}
{{- /* toString would write the YAML number 1000000 as 1e+06, which is not an integer for Logsieve. */}}
{{ $name }}: {{ ternary (toJson $value) (toString $value) (kindIs "float64" $value) | quote }}
{{- end }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.settings.LOGSIEVE_INGEST_URL) }}
{{- /* The Ingresses always have TLS. */}}
LOGSIEVE_INGEST_URL: {{ printf "https://%s" .Values.ingress.otlpHttpHost | quote }}
{{- end }}
{{- end }}

{{/* Settings with secrets, as stringData of a Secret. */}}
{{- define "logsieve.secrets" -}}
{{- $_ := required "secrets.values.control_url is the PostgreSQL URL of the control plane; or name a Secret in secrets.existing" .Values.secrets.values.control_url }}
{{- range $name, $value := .Values.secrets.values }}
{{- if $value }}
logsieve_{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Scheme of a process's HTTP port. Takes `root` and `process`. Loaders and alert workers never use TLS. */}}
{{- define "logsieve.scheme" -}}
{{- if and (has .process (list "receiver" "api")) (get .root.Values.settings "LOGSIEVE_TLS_CERT_FILE") -}}
HTTPS
{{- else -}}
HTTP
{{- end -}}
{{- end }}

{{/* Pod of one process. Takes `root`, `process`, its `values`, its `port` for probes (0: none), `suffix`, the end of the
     names of its settings and secrets, and `env`, a dict of variables that replace settings (optional). */}}
{{- define "logsieve.pod" -}}
{{- $scheme := include "logsieve.scheme" . }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
# A Service logsieve-api would make a variable LOGSIEVE_API_PORT, which is a setting.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
containers:
  - name: {{ .process }}
    image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}{{ with .root.Values.image.digest }}@{{ . }}{{ end }}"
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: [{{ .process }}]
    envFrom:
      - configMapRef: { name: {{ include "logsieve.name" .root }}{{ .suffix }} }
    {{- with .env }}
    env:
      {{- range $name, $value := . }}
      - { name: {{ $name }}, value: {{ $value | quote }} }
      {{- end }}
    {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    {{- with .ports }}
    ports:
      {{- range $name, $port := . }}
      - { name: {{ $name }}, containerPort: {{ $port }}, protocol: TCP }
      {{- end }}
    {{- end }}
    {{- if .port }}
    # An upgrade waits for a pod that has never been ready. Kubernetes restarts the pod after an hour.
    startupProbe:
      httpGet: { path: /readyz, port: {{ .port }}, scheme: {{ $scheme }} }
      periodSeconds: 2
      timeoutSeconds: 5
      failureThreshold: 1800
    livenessProbe:
      httpGet: { path: /healthz, port: {{ .port }}, scheme: {{ $scheme }} }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    # Not /readyz: it fails in all pods at once while Kafka, ClickHouse or the control plane fails, and a Service without
    # pods could not even answer 503 with a time to retry.
    readinessProbe:
      httpGet: { path: /healthz, port: {{ .port }}, scheme: {{ $scheme }} }
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 2
    {{- end }}
    {{- if .drained }}
    # Load balancers stop sending to the pod during these 5 s, before the process stops.
    lifecycle:
      preStop:
        exec: { command: [sleep, "5"] }
    {{- end }}
    resources:
      {{- toYaml .values.resources | nindent 6 }}
    volumeMounts:
      - { name: home, mountPath: /var/lib/logsieve }
      - { name: tmp, mountPath: /tmp }
      - { name: secrets, mountPath: /run/secrets/logsieve, readOnly: true }
      {{- if .root.Values.files.secret }}
      - { name: files, mountPath: /etc/logsieve, readOnly: true }
      {{- end }}
volumes:
  - name: home
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  - name: secrets
    secret:
      secretName: {{ .root.Values.secrets.existing | default (printf "%s%s" (include "logsieve.name" .root) .suffix) }}
      defaultMode: 0440
  {{- with .root.Values.files.secret }}
  - name: files
    secret: { secretName: {{ . }}, defaultMode: 0440 }
  {{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Spreads a process over machines. Takes `root` and `process`. */}}
{{- define "logsieve.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "logsieve.selector" . | nindent 8 }}
{{- end }}

{{/* Makes pods start again when a setting or a secret changes. */}}
{{- define "logsieve.checksums" -}}
logsieve/settings: {{ include "logsieve.settings" . | sha256sum }}
{{- if not .Values.secrets.existing }}
logsieve/secrets: {{ include "logsieve.secrets" . | sha256sum }}
{{- end }}
{{- end }}
