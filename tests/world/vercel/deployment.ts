import { execFileSync } from 'node:child_process';
import { readBuildState } from '@/server/build';
import { ADMIN_TOKEN, OWNER_EMAIL, OWNER_PASSWORD } from '@/tests/fixtures/product';
import { RedisServer } from '@/tests/fixtures/redis-server';
import { SqldServer } from '@/tests/fixtures/sqld-server';
import type { FunctionsOptions } from './functions';
import { type Deployment, deploy } from './platform';

/** Deployments of one project: their database and Redis. */
export interface Project {
  sqld: SqldServer;
  redis: RedisServer;
  deploy(options: Omit<FunctionsOptions, 'env'> & { env?: Record<string, string> }): Promise<Deployment>;
  stop(): Promise<void>;
}

export const CRON_SECRET = 'a secret of the cron job of these tests';

/** Starts the stores, and migrates the database as the build step of the platform does. */
export async function startProject(): Promise<Project> {
  const [sqld, redis] = await Promise.all([SqldServer.start(), RedisServer.start({ port: 'free' })]);
  const env = {
    VERCEL: '1',
    DATABASE_URL: sqld.url,
    REDIS_URL: redis.url,
    AUTH_SECRET: 'a secret that all functions of this suite share',
    SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
    SLUICE_ADMIN_EMAIL: OWNER_EMAIL,
    SLUICE_ADMIN_PASSWORD: OWNER_PASSWORD,
    SLUICE_LOG_LEVEL: 'warn',
    SLUICE_ASSESS_ALLOW: '127.0.0.0/8',
    CRON_SECRET,
  };
  const build = readBuildState(process.cwd());
  if (build !== 'current') throw new Error(`The build is ${build}: run \`npm run build\` first.`);
  execFileSync(process.execPath, ['server.mjs', '--migrate'], {
    env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv,
  });
  const deployments: Deployment[] = [];
  return {
    sqld,
    redis,
    async deploy({ env: own, ...options }) {
      const deployment = await deploy({ ...options, env: { ...env, ...own } });
      deployments.push(deployment);
      return deployment;
    },
    async stop() {
      await Promise.all(deployments.map((deployment) => deployment.stop()));
      await Promise.all([redis.stop(), sqld.stop()]);
    },
  };
}
