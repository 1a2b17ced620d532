import { eq } from 'drizzle-orm';
import * as fc from 'fast-check';
import { TOTP } from 'otpauth';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { members, recoveryCodes, secondFactors } from '@/drizzle/schema';
import { confirmSecondFactor, startSecondFactor, turnOffSecondFactor } from '@/lib/admin/session/second-factor';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { hashUncheckedPassword } from '@/lib/auth/password';
import { askSecondFactor, sealSecret } from '@/lib/auth/second-factor/ask-second-factor';
import { generateRecoveryCodes, hashRecoveryCode } from '@/lib/auth/second-factor/recovery-codes';
import { buildTotpUri, findCodeStep, generateTotpSecret } from '@/lib/auth/second-factor/totp';
import { CODES_PER_ACCOUNT, clearCodes, FAILURE_WINDOW, FAILURES_PER_ACCOUNT } from '@/lib/auth/sign-in-throttle';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { call } from '@/tests/fixtures/call';

const ADA = 'ada@example.com';
const PASSWORD = 'correct horse battery staple';
const STEP = 30_000;

let auth: AuthServices;
let memberId: string;
let totp: TOTP;

beforeEach(async () => {
  auth = await authServices();
  onTestFinished(() => auth[Symbol.dispose]());
  memberId = (await auth.member(ADA, 'owner', PASSWORD)).id;
  const secret = generateTotpSecret(auth.services.randomBytes);
  totp = new TOTP({ secret });
  const now = auth.services.clock();
  const row = { memberId, secret: sealSecret(secret, memberId, auth.services), createdAt: now, lastStep: 0 };
  await auth.file.database.drizzle.insert(secondFactors).values({ ...row, confirmedAt: now });
});

const code = (offset = 0) => totp.generate({ timestamp: auth.services.clock() + offset });
async function ask(given?: string, services = auth.services, id = memberId): Promise<string> {
  const asked = await askSecondFactor(services, id, given);
  return asked.kind === 'code' ? asked.code : asked.kind;
}

const signIn = (given?: string, address = '198.51.100.7') =>
  authenticateMember(auth.services, { email: ADA, password: PASSWORD, code: given }, { address });

describe('a code of the app', () => {
  // RFC 6238, appendix B, with six digits in place of eight.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %d is that of RFC 6238', (second, expected) => {
    // "12345678901234567890" in base32.
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    expect(findCodeStep(secret, expected, second * 1000)).toBe(Math.floor(second / 30));
  });

  it('may be one step early or late, and no more', async () => {
    expect(await ask(code(-2 * STEP))).toBe('wrong');
    expect(await ask(code(2 * STEP))).toBe('wrong');
    expect(await ask(code(-STEP))).toBe('passed');
    expect(await ask(code())).toBe('passed');
    expect(await ask(code(STEP))).toBe('passed');
  });

  it('works once, and no older one works after it', async () => {
    const [older, current, next] = [code(-STEP), code(), code(STEP)];
    expect(await ask(current)).toBe('passed');
    expect([await ask(current), await ask(older)]).toEqual(['wrong', 'wrong']);
    expect(await ask(next)).toBe('passed');
    auth.pass(STEP);
    expect(await ask(next)).toBe('wrong');
  });

  it('is not asked for before it was confirmed', async () => {
    await auth.file.database.drizzle.update(secondFactors).set({ confirmedAt: null });
    expect(await ask()).toBe('passed');
    expect(await signIn()).toMatchObject({ kind: 'member' });
  });

  it('is read with spaces, and nothing else is taken for one', async () => {
    const text = code();
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 80 }), async (junk) => {
        const plain = junk.replaceAll(/\s/g, '');
        fc.pre(![code(-STEP), text, code(STEP)].includes(plain));
        expect(await ask(junk)).toBe(plain === '' ? 'missing' : 'wrong');
        await clearCodes(auth.services, memberId);
      }),
      { numRuns: 200 },
    );
    expect(await ask(` ${text.slice(0, 3)} ${text.slice(3)} `)).toBe('passed');
  });

  it('opens nothing when AUTH_SECRET is another one; recovery codes still do', async () => {
    const recovery = generateRecoveryCodes(auth.services.randomBytes)[0] ?? '';
    const row = { memberId, codeHash: hashRecoveryCode(memberId, recovery) };
    await auth.file.database.drizzle.insert(recoveryCodes).values(row);
    const other = { ...auth.services, authSecret: 'another-secret-of-the-tests-0123456789-0123' };
    expect(await ask(code(), other)).toBe('wrong');
    expect(await ask(recovery, other)).toBe('passed');
  });

  it('is not one of another member whose secret was copied over', async () => {
    const { id } = await auth.member('bob@example.com', 'viewer', PASSWORD);
    const { drizzle } = auth.file.database;
    const [mine] = await drizzle.select().from(secondFactors);
    if (mine === undefined) throw new Error('There is a second factor.');
    await drizzle.insert(secondFactors).values({ ...mine, memberId: id });
    expect(await ask(code(), auth.services, id)).toBe('wrong');
  });
});

describe('recovery codes', () => {
  it('are ten of 80 random bits, and known however they are typed', () => {
    const codes = generateRecoveryCodes(auth.services.randomBytes);
    expect(codes).toHaveLength(10);
    for (const each of codes) {
      expect(each).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(?:-[0-9a-hjkmnp-tv-z]{4}){3}$/);
      const typed = each.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'L');
      expect(hashRecoveryCode(memberId, typed)).toBe(hashRecoveryCode(memberId, each));
      expect(hashRecoveryCode('another member', each)).not.toBe(hashRecoveryCode(memberId, each));
    }
  });

  it('are each used up by one sign-in', async () => {
    const [first = '', second = ''] = generateRecoveryCodes(auth.services.randomBytes);
    const rows = [first, second].map((each) => ({ memberId, codeHash: hashRecoveryCode(memberId, each) }));
    await auth.file.database.drizzle.insert(recoveryCodes).values(rows);
    expect([await ask(first), await ask(first), await ask(second)]).toEqual(['passed', 'wrong', 'passed']);
    expect(await auth.file.database.drizzle.$count(recoveryCodes, eq(recoveryCodes.memberId, memberId))).toBe(0);
  });
});

/** Every way in which a code can be tried by somebody who has a session of the member, and knows the password. */
async function tryInSession(given: string, session: string, dryRun = false): Promise<number> {
  const headers = { Authorization: '', Cookie: session, Origin: 'http://sluice.test', Host: 'sluice.test' };
  const query: Record<string, string> = dryRun ? { dry_run: 'true' } : {};
  const body = { password: PASSWORD, code: given };
  return (await call(auth.services, turnOffSecondFactor, { headers, query, body })).status;
}

/** A signed-in browser of the member, from before codes were required. */
async function session(password = PASSWORD): Promise<string> {
  const { drizzle } = auth.file.database;
  await drizzle.update(secondFactors).set({ confirmedAt: null });
  const jar = new BrowserJar(auth.services);
  expect((await jar.signIn(ADA, password)).status).toBe(200);
  await drizzle.update(secondFactors).set({ confirmedAt: auth.services.clock() });
  return jar.cookieHeader;
}

describe('turning it off', () => {
  const NEW = 'seven quiet lanterns by the river';
  /** Turns it off in a session that the member began with `password`. Answers the status, and the fields at fault. */
  async function turnOff(password: string, body: Record<string, string>): Promise<string> {
    const headers = {
      Authorization: '',
      Cookie: await session(password),
      Origin: 'http://sluice.test',
      Host: 'sluice.test',
    };
    const answer = await call(auth.services, turnOffSecondFactor, {
      headers,
      body: { password, code: code(), ...body },
    });
    const { details = [] } = answer.status === 400 ? (answer.json as { details?: { path: string }[] }) : {};
    return [answer.status, ...details.map(({ path }) => path)].join(' ');
  }
  const left = () => auth.file.database.drizzle.$count(secondFactors);
  const signInAlone = async (password: string) =>
    (await authenticateMember(auth.services, { email: ADA, password }, { address: '198.51.100.8' })).kind;

  /** Passwords of accounts from before a length was required, or that always had a second factor. */
  it.each(['old-pass', 'twelve chars', 'fourteen chars'])('replaces the short password %o', async (short) => {
    const passwordHash = await hashUncheckedPassword(short);
    await auth.file.database.drizzle.update(members).set({ passwordHash }).where(eq(members.id, memberId));
    expect(await turnOff(short, {})).toBe('400 new_password');
    expect(await turnOff(short, { new_password: 'fourteen chars' })).toBe('400 new_password');
    expect(await turnOff(short, { new_password: 'aaaaaaaaaaaaaaaa' })).toBe('400 new_password');
    expect(await left()).toBe(1);
    expect(await turnOff(short, { new_password: NEW })).toBe('204');
    expect(await left()).toBe(0);
    expect([await signInAlone(short), await signInAlone(NEW)]).toEqual(['wrong', 'member']);
  });

  it('needs no new password if the present one is long enough', async () => {
    expect(await turnOff(PASSWORD, {})).toBe('204');
    expect(await signInAlone(PASSWORD)).toBe('member');
  });

  it('keeps a code that was refused for the password', async () => {
    const passwordHash = await hashUncheckedPassword('old-pass');
    await auth.file.database.drizzle.update(members).set({ passwordHash }).where(eq(members.id, memberId));
    const [recovery = ''] = generateRecoveryCodes(auth.services.randomBytes);
    const row = { memberId, codeHash: hashRecoveryCode(memberId, recovery) };
    await auth.file.database.drizzle.insert(recoveryCodes).values(row);
    expect(await turnOff('old-pass', { code: recovery })).toBe('400 new_password');
    expect(await turnOff('old-pass', { code: recovery, new_password: NEW })).toBe('204');
  });
});

describe('codes of one account', () => {
  const wrong = Array.from({ length: 40 }, (_, index) => String(100_000 + index));
  const source = (index: number) => ({ address: `198.51.100.${index}` });
  const trySignIn = (given: string, index: number, services = auth.services) =>
    authenticateMember(services, { email: ADA, password: PASSWORD, code: given }, source(index));

  it('are ten in 15 minutes, whatever the right password does in between', async () => {
    const cookie = await session();
    const headers = { Authorization: '', Cookie: cookie, Origin: 'http://sluice.test', Host: 'sluice.test' };
    const statuses: number[] = [];
    for (const given of wrong) {
      statuses.push(await tryInSession(given, cookie));
      // Each of them takes the right password alone.
      for (const query of [{}, { dry_run: 'true' }] as Record<string, string>[])
        await call(auth.services, startSecondFactor, { headers, query, body: { password: PASSWORD } });
      await tryInSession(code(), cookie, true);
    }
    expect(statuses).toEqual(statuses.map((_, index) => (index < CODES_PER_ACCOUNT ? 400 : 429)));
    // Everywhere else too, also the right one.
    expect(await trySignIn(code(), 1)).toMatchObject({ kind: 'locked' });
    expect(await auth.file.database.drizzle.$count(secondFactors)).toBe(1);
    auth.pass(FAILURE_WINDOW * 1000 + 60_000);
    expect(await trySignIn(code(), 1)).toMatchObject({ kind: 'member' });
  });

  it('are ten together from many addresses, browsers and processes, of the app and recovery codes', async () => {
    const cookie = await session();
    const other = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
    const outcomes = await Promise.all(
      wrong.map(async (given, index) => {
        const text = index % 2 === 0 ? given : `7k2m-09xq-vt3c-4h${String(index).padStart(2, '0')}`;
        if (index % 3 === 0) return (await tryInSession(text, cookie)) === 400 ? 'code' : 'locked';
        return (await trySignIn(text, index, index % 3 === 1 ? auth.services : other)).kind;
      }),
    );
    expect(outcomes.filter((kind) => kind === 'code')).toHaveLength(CODES_PER_ACCOUNT);
    expect(outcomes.filter((kind) => kind === 'locked')).toHaveLength(wrong.length - CODES_PER_ACCOUNT);
  });

  it('are cleared by a right one', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let guess = 0; guess < CODES_PER_ACCOUNT - 1; guess += 1) expect(await ask('000000')).toBe('wrong');
      expect(await ask(code())).toBe('passed');
      auth.pass(2 * STEP);
    }
    for (let guess = 0; guess < CODES_PER_ACCOUNT; guess += 1) expect(await ask('000000')).toBe('wrong');
    expect(await ask(code())).toBe('locked');
  });

  it('bound the confirmation of a new one as well', async () => {
    const cookie = await session();
    await auth.file.database.drizzle.update(secondFactors).set({ confirmedAt: null });
    const headers = { Authorization: '', Cookie: cookie, Origin: 'http://sluice.test', Host: 'sluice.test' };
    const confirm = async (given: string, query: Record<string, string> = {}) =>
      (await call(auth.services, confirmSecondFactor, { headers, query, body: { code: given } })).status;
    const statuses: number[] = [];
    for (const given of wrong.slice(0, 12)) {
      statuses.push(await confirm(given));
      expect(await confirm(given, { dry_run: 'true' })).toBe(200);
    }
    expect(statuses).toEqual([...Array(CODES_PER_ACCOUNT).fill(400), 429, 429]);
  });

  it('open one sign-in each, sent to two processes at once', async () => {
    const other = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
    const codes = generateRecoveryCodes(auth.services.randomBytes).slice(0, 3);
    const rows = codes.map((each) => ({ memberId, codeHash: hashRecoveryCode(memberId, each) }));
    await auth.file.database.drizzle.insert(recoveryCodes).values(rows);
    for (const given of [...codes, code()]) {
      const together = Array.from({ length: 6 }, (_, index) =>
        trySignIn(given, 100 + index, index % 2 === 0 ? auth.services : other),
      );
      const kinds = (await Promise.all(together)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'member')).toHaveLength(1);
      await clearCodes(auth.services, memberId);
    }
  });
});

describe('guessing codes', () => {
  it('is throttled like guessing passwords, and the right password ends no wait', async () => {
    for (let guess = 0; guess < FAILURES_PER_ACCOUNT; guess += 1)
      expect(await signIn('000000')).toEqual({ kind: 'code', code: 'wrong' });
    expect(await signIn(code())).toMatchObject({ kind: 'locked' });
    expect(await signIn(code(), '203.0.113.9')).toMatchObject({ kind: 'locked' });
    auth.pass(FAILURE_WINDOW * 1000 + 1000 * 60);
    expect(await signIn(code())).toMatchObject({ kind: 'member' });
  });

  it('is not made easier by asking for the code again and again', async () => {
    for (let turn = 0; turn < FAILURES_PER_ACCOUNT; turn += 1)
      expect(await signIn()).toEqual({ kind: 'code', code: 'missing' });
    expect(await signIn(code())).toMatchObject({ kind: 'locked' });
  });

  it('says nothing of the second factor to who does not know the password', async () => {
    for (const given of [undefined, code(), '000000']) {
      const wrong = { email: ADA, password: 'wrong', code: given };
      expect(await authenticateMember(auth.services, wrong, { address: null })).toEqual({ kind: 'wrong' });
    }
    expect(await ask(code())).toBe('passed');
  });
});

it('is named after the account and the installation in the app', () => {
  const uri = new URL(buildTotpUri('GEZDGNBVGY3TQOJQ', ADA, 'sluice.example.com'));
  expect(decodeURIComponent(uri.pathname)).toContain(ADA);
  expect(uri.searchParams.get('issuer')).toBe('Sluice sluice.example.com');
});
