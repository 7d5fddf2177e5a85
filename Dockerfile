# Builds with the development packages, runs without them. The image starts nothing by itself: give it `serve`, `work` or any other command.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json vite.config.ts ./
COPY bin bin
COPY clients clients
COPY dashboard dashboard
COPY demo demo
COPY engine engine
COPY server server
COPY shared shared
COPY worker worker
COPY scripts scripts
# The dashboard shows the documentation.
COPY README.md ./
COPY docs docs
# The package of Python is built by Python, and that of R needs no R.
RUN apt-get update && apt-get install -y --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
RUN npm run build && npm run build:clients && node scripts/build-licenses.mjs && \
  npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production DATA_DIR=/data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/demo/pictures demo/pictures
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["node", "dist/bin/gazette.cjs"]
CMD ["--help"]
