import { TOTP } from 'otpauth';
import pino from 'pino';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { secondFactors } from '@/drizzle/schema';
import { agreeOnAuthSecret } from '@/lib/auth/agree-on-auth-secret';
import { askSecondFactor, sealSecret } from '@/lib/auth/second-factor/ask-second-factor';
import { generateTotpSecret } from '@/lib/auth/second-factor/totp';
import { AUTH_SECRET, type AuthServices, authServices } from '@/tests/fixtures/auth-services';

const NEW = 'the-next-secret-of-the-tests-0123456789-01234';
const OTHER = 'another-secret-of-the-tests-0123456789-0123';
let auth: AuthServices;

beforeEach(async () => {
  auth = await authServices();
  onTestFinished(() => auth[Symbol.dispose]());
});

/** A start with a secret from `AUTH_SECRET`, or from the file beside the database. */
const start = (secret: string, { previous, file = false }: { previous?: string; file?: boolean } = {}) =>
  agreeOnAuthSecret({
    database: auth.file.database,
    config: { AUTH_SECRET: file ? undefined : secret, AUTH_SECRET_PREVIOUS: previous },
    secret,
    now: auth.services.clock(),
    randomBytes: auth.services.randomBytes,
    logger: pino({ level: 'silent' }),
  });

/** A member with a second factor; answers whether a code of it is accepted under a secret. */
async function secondFactor() {
  const { id: memberId } = await auth.member('ada@example.com', 'owner', 'correct horse battery staple');
  const secret = generateTotpSecret(auth.services.randomBytes);
  const now = auth.services.clock();
  const row = { memberId, secret: sealSecret(secret, memberId, auth.services), createdAt: now, lastStep: 0 };
  await auth.file.database.drizzle.insert(secondFactors).values({ ...row, confirmedAt: now });
  const code = () => new TOTP({ secret }).generate({ timestamp: auth.services.clock() });
  return async (authSecret: string) => {
    auth.pass(60_000);
    return (await askSecondFactor({ ...auth.services, authSecret }, memberId, code())).kind === 'passed';
  };
}

it('the secret of the first start is that of all', async () => {
  await Promise.all([start(AUTH_SECRET), start(AUTH_SECRET)]);
  await start(AUTH_SECRET, { file: true });
  await expect(start(OTHER)).rejects.toThrow(/^AUTH_SECRET is not the secret .* all instances need the same/);
  await expect(start(OTHER, { file: true })).rejects.toThrow(/^AUTH_SECRET is not set, and the file auth-secret/);
  await start(AUTH_SECRET);
});

it('is replaced by who names it, and second factors go on', async () => {
  const opens = await secondFactor();
  await start(AUTH_SECRET);
  await expect(start(NEW, { previous: OTHER })).rejects.toThrow(/^AUTH_SECRET_PREVIOUS is not the secret/);
  expect(await opens(AUTH_SECRET)).toBe(true);
  await start(NEW, { previous: AUTH_SECRET });
  expect([await opens(NEW), await opens(AUTH_SECRET)]).toEqual([true, false]);
  // The other instances follow, with the same two variables or the new one alone.
  await start(NEW, { previous: AUTH_SECRET });
  await start(NEW);
  await expect(start(AUTH_SECRET)).rejects.toThrow(/^AUTH_SECRET is not/);
});

it('of two that replace it at the same time, one starts', async () => {
  const opens = await secondFactor();
  await start(AUTH_SECRET);
  const starts = [NEW, OTHER].map((secret) => start(secret, { previous: AUTH_SECRET }));
  const outcomes = await Promise.allSettled(starts);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const winner = outcomes[0]?.status === 'fulfilled' ? NEW : OTHER;
  expect(await opens(winner)).toBe(true);
});

it('is given up when nobody has it', async () => {
  const opens = await secondFactor();
  await start(AUTH_SECRET);
  await start(NEW, { previous: 'lost' });
  await start(NEW);
  expect(await opens(NEW)).toBe(false);
});
