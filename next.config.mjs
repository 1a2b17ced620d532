import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));

/** C library of other Linux systems. npm installs the database driver for both, and a build runs only on its own. */
const otherLibc = process.report.getReport().header.glibcVersionRuntime === undefined ? 'gnu' : 'musl';

/** @type {import('next').NextConfig} */
export default {
  // server/standalone.ts makes it the whole product.
  output: 'standalone',
  poweredByHeader: false,
  // The title comes with its page. Streamed after it, as for browsers by default, it was empty for up to 0.3 s.
  htmlLimitedBots: /.*/,
  reactStrictMode: true,
  // Nothing is fetched for anybody: no optimiser, no telemetry, no remote image.
  images: { unoptimized: true },
  devIndicators: false,
  // Native parts stay what they are; everything else is bundled, which a function loads in a fraction of the time.
  serverExternalPackages: ['libsql', '@node-rs/argon2', 'pino'],
  // Next would leave it out of the bundles.
  transpilePackages: ['@libsql/client'],
  // next-auth reads its own origin from the header that lib/auth/next-auth/handler.ts sets only if VERCEL is set and
  // NEXTAUTH_URL is not. Our own code reads the environment in lib/config/config.ts, which these values do not change.
  compiler: { defineServer: { 'process.env.NEXTAUTH_URL': '', 'process.env.VERCEL': '1' } },
  turbopack: {
    root,
    rules: {
      '*.ts': {
        condition: { all: ['browser', { path: /(?:^|[/\\])lib[/\\]contract[/\\]/ }] },
        loaders: ['./server/contract-loader.cjs'],
      },
      '*.js': {
        condition: {
          all: ['browser', { path: /[/\\]zod[/\\]v4[/\\]core[/\\](?:json-schema-processors|to-json-schema)\.js$/ }],
        },
        loaders: ['./server/json-schema-loader.cjs'],
      },
    },
  },
  // So that a start knows whether a build belongs to its sources.
  generateBuildId: async () => {
    const { load } = await import('./server/load.mjs');
    const { computeBuildId } = await load('build');
    return computeBuildId(root);
  },
  outputFileTracingIncludes: { '/*': ['./drizzle/*.sql', './drizzle/meta/_journal.json', './docs/gateways/*'] },
  // server/traces.ts applies this to what Next leaves whole.
  outputFileTracingExcludes: {
    '/*': [`./node_modules/@libsql/linux-*-${otherLibc}/**`, './drizzle/meta/*_snapshot.json'],
  },
  // `npm test` checks the types of everything, tests included; a build need not do it again.
  typescript: { ignoreBuildErrors: true },
  // A slash at the end of a path belongs to the upstream. `proxy.ts` redirects to our own paths without it.
  skipTrailingSlashRedirect: true,
  redirects: async () => [
    // The page's address before it was renamed.
    { source: '/oauth/audits', destination: '/oauth/assessments', permanent: true },
    // `proxy.ts` skips these.
    { source: '/v1/:path*/', destination: '/v1/:path*', permanent: true },
    { source: '/:probe(healthz|readyz|metrics)/', destination: '/:probe', permanent: true },
  ],
  // Next keeps this much of a body before `proxy.ts` decides; MAX_PROXIED_BYTES in lib/http/body-limits.ts is the same.
  // Source maps are for development. They are four fifths of a build.
  // The nested chunking leaves out of a dynamic import what its importer has loaded.
  // The longest silence of the upstream, a day: an answer may be a stream. lib/process/guard-server.ts limits the wait for
  // its beginning.
  experimental: {
    proxyClientMaxBodySize: '1mb',
    proxyTimeout: 86_400_000,
    turbopackSourceMaps: process.argv.includes('--dev'),
    turbopackServerSideNestedAsyncChunking: true,
  },
};
