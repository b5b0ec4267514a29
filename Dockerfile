# The receiver, the loader, the API with the web UI, and every other command of `logsieve`.

# `@` and the digest of the base image, as scripts/image-digests prints it; empty for the newest image of the tag.
ARG DEBIAN_DIGEST=

FROM debian:13-slim${DEBIAN_DIGEST} AS build
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
RUN cd frontend && npm ci --no-fund --no-audit && npm run build \
    && rm -rf node_modules ../native/target

FROM debian:13-slim${DEBIAN_DIGEST}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 tini \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --system --gid 10001 logsieve \
    && useradd --system --uid 10001 --gid logsieve --create-home --home-dir /var/lib/logsieve logsieve
# At the same path: the virtual environment finds the packages there.
COPY --from=build /app /app
ENV PATH=/app/.venv/bin:$PATH LOGSIEVE_HOME=/var/lib/logsieve
# By number, because Kubernetes cannot tell from a name that the user is not root.
USER 10001:10001
WORKDIR /var/lib/logsieve
# tini ends processes that lost their parent. Nothing is written outside of /tmp and /var/lib/logsieve.
ENTRYPOINT ["tini", "--", "logsieve"]
