import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameOfSources } from './build.mjs';

const root = dirname(fileURLToPath(import.meta.url));

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // Nothing is fetched for anybody: no optimiser, no telemetry, no remote image.
  images: { unoptimized: true },
  devIndicators: false,
  // Native parts stay what they are; everything else is bundled.
  serverExternalPackages: ['libsql', '@libsql/client', '@node-rs/argon2', 'ioredis', 'pino'],
  turbopack: { root },
  // So that the server knows whether a build belongs to its sources.
  generateBuildId: () => nameOfSources(root),
  outputFileTracingIncludes: { '/*': ['./drizzle/**/*'] },
  // `npm test` checks the types of everything, tests included; a build need not do it again.
  typescript: { ignoreBuildErrors: true },
  experimental: { proxyClientMaxBodySize: '1mb' },
};
