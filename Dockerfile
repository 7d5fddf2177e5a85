# Builds with the development packages, runs without them. The image starts nothing by itself: give it `serve`, `work` or any other command.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
# The package of Python is built by Python, and that of R needs no R.
RUN apt-get update && apt-get install -y --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
COPY tsconfig.json vite.config.ts ./
COPY bin bin
COPY clients clients
COPY dashboard dashboard
COPY demo demo
COPY engine engine
COPY server server
COPY isomorphic isomorphic
COPY worker worker
COPY scripts scripts
# The dashboard shows the documentation.
COPY README.md ./
COPY docs docs
RUN npm run build && npm run build:clients && node scripts/build-licenses.mjs && \
  npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
WORKDIR /app
LABEL org.opencontainers.image.title="Gazette" \
  org.opencontainers.image.description="Self-hosted eye-tracking exports: recordings in, tables out" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production DATA_DIR=/data
RUN mkdir -m 700 /data && chown node:node /data
# What changes least comes first.
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/demo/pictures demo/pictures
COPY --from=build /app/package.json ./
COPY --from=build /app/dist dist
USER node
VOLUME /data
EXPOSE 8080
# Of a server; a worker listens to nobody, and runs with --no-healthcheck.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GAZETTE_PORT || process.env.PORT || 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/bin/gazette.cjs"]
CMD ["--help"]
