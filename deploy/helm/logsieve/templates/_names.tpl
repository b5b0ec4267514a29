{{/* Beginning of all names, of at most 35 characters: Kubernetes makes labels of 63 characters from the name of a
     StatefulSet, such as <name>-loader-replica-8, and a hash. */}}
{{- define "logsieve.name" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) }}
{{- $name | trunc 35 | trimSuffix "-" }}
{{- end }}

{{/* Labels of a resource. Takes the root as `root`, and the process as `process`. */}}
{{- define "logsieve.labels" -}}
{{ include "logsieve.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "logsieve.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .process }}
{{- end }}

{{/* Name of the loaders that fill one replica of ClickHouse. Takes the number of the replica, from 0. */}}
{{- define "logsieve.loader" -}}
{{ ternary "loader" (printf "loader-replica-%d" .) (eq . 0) }}
{{- end }}
