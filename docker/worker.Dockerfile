# The worker: the only privileged part. It makes, mounts and captures file systems on the devices passed to it.
FROM debian:12-slim AS core
RUN apt-get update && apt-get install -y --no-install-recommends cmake ninja-build g++ pkg-config libcli11-dev \
    libfmt-dev nlohmann-json3-dev libboost-dev libssl-dev libzstd-dev libxxhash-dev libfuse3-dev libgtest-dev \
    && rm -rf /var/lib/apt/lists/*
COPY native /patina/native
WORKDIR /patina
RUN cmake -S native --preset release && cmake --build native/build --target patina-core

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv e2fsprogs fio git postmark util-linux mount udev \
    xfsprogs btrfs-progs f2fs-tools qemu-utils smartmontools && rm -rf /var/lib/apt/lists/*
WORKDIR /patina
COPY requirements /patina/requirements
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY --from=core /patina/native/build/patina-core native/build/patina-core
COPY backend backend
COPY worker worker
COPY migrations migrations
COPY profiles profiles
COPY native/disk_models native/disk_models
ENV PYTHONPATH=/patina/backend:/patina/worker PATINA_STATE_DIR=/var/lib/patina PYTHONUNBUFFERED=1
CMD [".venv/bin/python", "-m", "patina_worker"]
