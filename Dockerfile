# The service without the embedded database: it needs ADSVC_DATABASE_URL and ADSVC_JWT_SECRET.

# The storefront: only its built files go on.
FROM node:22-slim AS web

WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY clients/typescript/src ../clients/typescript/src
COPY web ./
# The icons of categories.
COPY src/adsvc/schemas/category-icons.svg ../src/adsvc/schemas/
RUN npm run build


FROM python:3.13-slim AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src

# What changes least comes first, so that its layers are kept.
COPY requirements/service.txt requirements/build.txt requirements/
# The service's own has no pip: nothing is installed where it runs.
RUN python -m venv --without-pip /opt/adsvc \
    && python -m venv /opt/build \
    && pip --python /opt/adsvc install --require-hashes -r requirements/service.txt \
    && pip --python /opt/build install --require-hashes -r requirements/build.txt

COPY pyproject.toml README.md LICENSE ./
COPY alembic alembic
COPY docs/interface.md docs/interface.md
COPY src src
COPY --from=web /src/web/dist src/adsvc/web
RUN /opt/build/bin/python -m hatchling build -t wheel -d /dist \
    && pip --python /opt/adsvc install --no-deps --no-index /dist/*.whl \
    && pip --python /opt/adsvc check


# With pg_dump, pg_restore, psql and restic: docker build --target backup.
FROM build AS build-backup

COPY requirements/run.txt requirements/
RUN /opt/adsvc/bin/pip install --require-hashes -r requirements/run.txt


FROM python:3.13-slim AS service

ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title="adsvc" \
      org.opencontainers.image.description="A service for classified ads, with a storefront" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION

RUN pip uninstall --yes --quiet --root-user-action=ignore pip \
    && useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin adsvc \
    && install --directory --owner=adsvc --group=adsvc /data

COPY --from=build /opt/adsvc /opt/adsvc

ENV PATH=/opt/adsvc/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ADSVC_HOST=0.0.0.0 \
    ADSVC_PORT=8080 \
    ADSVC_DATA_DIR=/data \
    ADSVC_LOG_FORMAT=json

USER 10001:10001
VOLUME /data
EXPOSE 8080

# Whether the process answers. What it can serve is the load balancer's question (/readyz): a container that waits for its
# database is not mended by a restart. Without a proxy, whatever the environment says.
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:' + os.environ['ADSVC_PORT'] + '/livez', timeout=8)"]

ENTRYPOINT ["adsvc"]
CMD ["serve"]


FROM service AS backup

# A job serves nothing.
HEALTHCHECK NONE
USER root
RUN apt-get update && apt-get install --yes --no-install-recommends restic && rm -r /var/lib/apt/lists/*
USER 10001:10001
COPY --from=build-backup /opt/adsvc /opt/adsvc


# What is built if no other target is named.
FROM service
