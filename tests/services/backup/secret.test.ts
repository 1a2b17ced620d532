import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desc, eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { webhooks } from '@/drizzle/alerts-schema';
import { audit, secondFactors } from '@/drizzle/schema';
import { agreeOnAuthSecret } from '@/lib/auth/agree-on-auth-secret';
import { loadAuthSecret } from '@/lib/auth/auth-secret';
import { sealSecret } from '@/lib/auth/second-factor/ask-second-factor';
import { listUnreadableParts, sealForWebhook } from '@/lib/auth/webhook-secrets';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import type { MemberId } from '@/lib/ids';
import { commandLine } from '../../fixtures/command-line';

const MEMBER = 'b7a1c1f0-0000-4000-8000-000000000001' as MemberId;
const SECRET_OF_ANOTHER = 'the-secret-of-another-installation-0123456789';

let cli: Awaited<ReturnType<typeof commandLine>>;
/** An installation with one second factor and one webhook, its backup, and an empty place to restore into. */
let folder: string;
let backup: string;
let place: string;
let kept: string;

beforeAll(async () => {
  cli = await commandLine();
  folder = mkdtempSync(join(tmpdir(), 'sluice-secret-'));
  backup = join(folder, 'backup.db');
  const data = join(folder, 'data');
  const database = open(data);
  await migrate(database, 'drizzle', 0);
  kept = loadAuthSecret({ AUTH_SECRET: undefined }, data);
  await start(database, data);
  const sealed = sealSecret('JBSWY3DPEHPK3PXP', MEMBER, { authSecret: kept, randomBytes });
  const row = { memberId: MEMBER, secret: sealed, createdAt: 0, confirmedAt: 0, lastStep: 0 };
  await database.drizzle.insert(secondFactors).values(row);
  const seal = (column: 'url' | 'secret') =>
    sealForWebhook(column, { id: 'hook', column }, { authSecret: kept, randomBytes });
  await database.drizzle.insert(webhooks).values({
    ...{
      id: 'hook',
      name: 'On-call',
      shownUrl: 'https://hooks.example.com/',
      url: seal('url'),
      secret: seal('secret'),
    },
    ...{ format: 'standard', events: '[]', enabled: true, createdAt: 0, createdBy: 'test', revision: 0 },
  });
  database.close();
});
afterAll(() => {
  cli.remove();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  place = mkdtempSync(join(folder, 'place-'));
  mkdirSync(join(place, 'data'));
});

function open(data: string): Database {
  mkdirSync(data, { recursive: true });
  return openDatabase({
    url: `file:${join(data, 'sluice.db')}`,
    monotonic: () => performance.now(),
    wait: async () => undefined,
    random: Math.random,
  });
}

/** What a server does about the secret when it starts. */
async function start(database: Database, data: string, env: { own?: string; previous?: string } = {}): Promise<void> {
  const config = { AUTH_SECRET: env.own, AUTH_SECRET_PREVIOUS: env.previous };
  const logger = pino({ level: 'silent' });
  await agreeOnAuthSecret({ database, config, secret: loadAuthSecret(config, data), now: 0, randomBytes, logger });
}

const restore = (words: string[] = [], env: Record<string, string> = {}) =>
  cli.run(['restore', backup, ...words], { directory: place, env: { DATABASE_URL: 'file:data/sluice.db', ...env } });

/** Starts a server on what was restored; answers the second factor and what of the webhook cannot be read then, and the audit record of the restore. */
async function started(env: { own?: string; previous?: string } = {}) {
  const database = open(join(place, 'data'));
  try {
    await start(database, join(place, 'data'), env);
    const [factor] = await database.drizzle.select().from(secondFactors).where(eq(secondFactors.memberId, MEMBER));
    const [record] = await database.drizzle.select().from(audit).orderBy(desc(audit.seq)).limit(1);
    const secret = loadAuthSecret({ AUTH_SECRET: env.own }, join(place, 'data'));
    const unreadable = (await database.drizzle.select().from(webhooks)).map((row) => listUnreadableParts(row, secret));
    return { factor: factor?.secret, unreadable, record: record?.after };
  } finally {
    database.close();
  }
}

it('a backup names the secret that it needs, and does not hold it', async () => {
  const env = { DATABASE_URL: 'file:data/sluice.db' };
  const made = await cli.run(['backup', backup, '--json'], { directory: folder, env });
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(JSON.parse(made.stdout)).toMatchObject({ secret_fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(readFileSync(backup, 'latin1')).not.toContain(kept);
  const again = await cli.run(['backup', backup, '--yes'], { directory: folder, env });
  const { secret_fingerprint: fingerprint } = JSON.parse(made.stdout) as { secret_fingerprint: string };
  expect(again.stderr).toContain(`is not in it (fingerprint ${fingerprint})`);
});

it.each([
  ['none', {}],
  ['that of another installation', { AUTH_SECRET: SECRET_OF_ANOTHER }],
  ['a previous one that is another', { AUTH_SECRET_PREVIOUS: SECRET_OF_ANOTHER }],
])('with %s, a restore says what is needed and what the other way costs, and changes nothing', async (_, env) => {
  const { code, stderr } = await restore([], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/secret is not here \(fingerprint [0-9a-f]{32}\), so no server would start on it/);
  expect(stderr).toMatch(
    /put the auth-secret .* or set AUTH_SECRET.*\n?.*--new-secret .*1 member sets the authenticator/s,
  );
  expect(readdirSync(join(place, 'data'))).toEqual([]);
  const checked = await restore(['--check', '--json'], env);
  expect([checked.code, JSON.parse(checked.stdout)]).toEqual([0, expect.objectContaining({ secret_is_here: false })]);
});

it('with the file that was kept, the server starts and second factors work', async () => {
  cpSync(join(folder, 'data', 'auth-secret'), join(place, 'data', 'auth-secret'));
  expect((await restore(['--check'])).stderr).toContain('Its secret is here.');
  expect((await restore()).code).toBe(0);
  const { factor: sealed, unreadable } = await started();
  expect(unreadable).toEqual([[]]);
  expect(sealed).toBe((await started({ own: kept })).factor);
});

it('with the secret as the previous one, the server replaces it and second factors work', async () => {
  const env = { AUTH_SECRET: SECRET_OF_ANOTHER, AUTH_SECRET_PREVIOUS: kept };
  expect((await restore([], env)).code).toBe(0);
  const before = await started({ own: SECRET_OF_ANOTHER, previous: kept });
  expect(before.unreadable).toEqual([[]]);
  expect(before.factor).toBe((await started({ own: SECRET_OF_ANOTHER })).factor);
  await expect(started({ own: kept })).rejects.toThrow(/AUTH_SECRET is not the secret/);
});

it('without it, --new-secret goes on with one of its own, and the audit log says so', async () => {
  const { code, stderr } = await restore(['--new-secret']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('everybody signs in again, and 1 member sets')]);
  expect(stderr).toContain('1 webhook sends nothing until the URL is set again and the secret rotated');
  expect(existsSync(join(place, 'data', 'auth-secret'))).toBe(false);
  const { record, unreadable } = await started();
  expect([record, unreadable]).toEqual([expect.stringContaining('"new_secret":true'), [['url', 'secret']]]);
  await expect(started({ own: kept })).rejects.toThrow(/AUTH_SECRET is not the secret/);
});

it('--new-secret gives up nothing that is here', async () => {
  writeFileSync(join(place, 'data', 'auth-secret'), kept);
  expect((await restore(['--new-secret'])).stderr).not.toContain('given up');
  expect((await started()).record).toContain('"new_secret":false');
});
