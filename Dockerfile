# docker build -t sluice .        docs/deploy-container.md

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY tests/servers/package.json tests/servers/
RUN npm ci
COPY . .
RUN npm run build

FROM node:24-bookworm-slim
# What installs and builds stays behind. The numeric user is that of the image, so that it can be checked not to be root.
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && install -d -m 700 -o 1000 -g 1000 /data \
 && ln -s /opt/sluice/bin/sluice.mjs /usr/local/bin/sluice
COPY --from=build /src/.next/standalone /opt/sluice
ENV DATABASE_URL=file:/data/sluice.db PORT=3000
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Not the readiness: a store that is down must not restart the container.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "/opt/sluice/server.mjs"]
