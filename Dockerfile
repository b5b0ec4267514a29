# The receiver, the loader, the API with the web UI, and every other command of `logsieve`.

FROM debian:13-slim AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates cargo nodejs npm python3 python3-venv
RUN python3 -m venv /uv && /uv/bin/pip install --no-cache-dir uv==0.13.8
WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE ./
COPY scripts scripts
COPY native native
COPY kit kit
COPY schema schema
COPY ingest ingest
COPY backend backend
COPY loadtest loadtest
COPY stack stack
RUN UV_PYTHON_DOWNLOADS=never /uv/bin/uv sync --frozen --no-dev --no-cache --compile-bytecode
COPY frontend frontend
RUN cd frontend && npm install --no-save --no-fund --no-audit && npm run build \
    && rm -rf node_modules ../native/target

FROM debian:13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /var/lib/logsieve logsieve
# At the same path: the virtual environment finds the packages there.
COPY --from=build /app /app
ENV PATH=/app/.venv/bin:$PATH LOGSIEVE_HOME=/var/lib/logsieve
USER logsieve
WORKDIR /var/lib/logsieve
ENTRYPOINT ["logsieve"]
