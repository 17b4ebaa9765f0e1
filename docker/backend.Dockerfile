# The API, and the one-shot migration. Runs without privileges.
FROM debian:12-slim AS core
RUN apt-get update && apt-get install -y --no-install-recommends cmake ninja-build g++ pkg-config libcli11-dev \
    libfmt-dev nlohmann-json3-dev libboost-dev libssl-dev libzstd-dev libxxhash-dev libfuse3-dev libgtest-dev \
    && rm -rf /var/lib/apt/lists/*
COPY native /patina/native
WORKDIR /patina
RUN cmake -S native --preset release && cmake --build native/build --target patina-core

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* && useradd --system --home-dir /nonexistent patina \
    && install -d -o patina -g patina -m 700 /var/spool/patina /var/lib/patina-key
WORKDIR /patina
COPY requirements /patina/requirements
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY --from=core /patina/native/build/patina-core native/build/patina-core
COPY backend backend
COPY migrations migrations
COPY profiles profiles
COPY native/disk_models native/disk_models
ENV PYTHONPATH=/patina/backend PATINA_STATE_DIR=/var/lib/patina PYTHONUNBUFFERED=1
USER patina
EXPOSE 8000
CMD [".venv/bin/python", "-m", "patina.serve", "8000", "0.0.0.0", "--private"]
