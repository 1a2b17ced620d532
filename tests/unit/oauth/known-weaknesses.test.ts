import { createHash, createHmac, randomBytes } from 'node:crypto';
import { exportSPKI, importJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { describeGuessing, isUnguessable, measureGuessing } from '@/lib/oauth/controls/guessing-space';
import { SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { COMMON_SECRETS } from '@/lib/oauth/token/guess-secret';
import { assessAll } from '@/tests/fixtures/assess-all';
import { ORIGIN, START, VERDICTS_ALONE } from './lab-fixture';

type Answer = (request: Request, sound: () => Promise<Response>) => Promise<Response>;

/** Judges one control of the lab behind something that makes it weak. */
async function judge(control: string, answer: Answer, metadata = {}) {
  const lab = createLabTarget({ ...VERDICTS_ALONE, origin: ORIGIN, controls: SECURE_CONTROLS, startAt: START });
  const target: typeof lab = {
    ...lab,
    async transport(request) {
      const sound = async () => lab.transport(request);
      if (!new URL(request.url).pathname.startsWith('/.well-known/')) return answer(request, sound);
      return Response.json({ ...(await (await sound()).json()), ...metadata });
    },
  };
  const controls = CATALOGUE.filter(({ id }) => id === control);
  const [finding] = await assessAll(target, { ...VERDICTS_ALONE, controls });
  return finding?.verdict;
}

const at = (request: Request, path: string) => new URL(request.url).pathname === path;

/** A resource that takes HS256 by a secret, beside the lab's own tokens. */
const takesHmac = (secret: (pem: string) => string | Buffer): Answer => {
  let pem: string | undefined;
  return async (request, sound) => {
    if (at(request, LAB_PATHS.jwks)) {
      const answer = await sound();
      const { keys } = await answer.clone().json();
      const key = await importJWK(keys[0], 'ES256', { extractable: true });
      if (!(key instanceof Uint8Array)) pem = await exportSPKI(key);
      return answer;
    }
    const [, token = ''] = request.headers.get('authorization')?.split(' ') ?? [];
    const [header = '', payload = '', signature] = token.split('.');
    const isHmac = Buffer.from(header, 'base64url').toString().includes('HS256');
    if (!at(request, LAB_PATHS.data) || !isHmac) return sound();
    const key = secret(pem ?? '');
    const isRight = signature === createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url');
    return isRight ? Response.json({ ok: true }) : sound();
  };
};

describe('a resource that verifies HS256', () => {
  test.each<[string, (pem: string) => string | Buffer]>([
    ['PEM', (pem) => pem.trim()],
    ['PEM with its last line break', (pem) => `${pem.trim()}\n`],
    ['PEM of Windows', (pem) => `${pem.trim()}\n`.replaceAll('\n', '\r\n')],
    ['PEM after a line break', (pem) => `\n${pem.trim()}\n`],
    ['PEM with escaped line breaks', (pem) => pem.trim().replaceAll('\n', '\\n')],
    ['DER', (pem) => Buffer.from(pem.replace(/-----[^-]+-----|\n/g, ''), 'base64')],
    ['the body of the PEM', (pem) => pem.replace(/-----[^-]+-----|\n/g, '')],
  ])('keyed with the %s fails alg-confusion', async (_name, secret) => {
    expect((await judge('alg-confusion', takesHmac(secret)))?.kind).toBe('failed');
  });

  test.each(['', COMMON_SECRETS[0] ?? ''])('keyed with the secret "%s" fails token-secret', async (secret) => {
    expect(
      (
        await judge(
          'token-secret',
          takesHmac(() => secret),
        )
      )?.kind,
    ).toBe('failed');
  });
});

test('an origin that only the answer to a POST reflects fails cors-token-endpoint', async () => {
  const verdict = await judge('cors-token-endpoint', async (request, sound) => {
    const answer = await sound();
    const origin = request.headers.get('origin');
    if (request.method !== 'POST' || origin === null) return answer;
    const headers = { ...Object.fromEntries(answer.headers), 'access-control-allow-credentials': 'true' };
    return new Response(answer.body, {
      status: answer.status,
      headers: { ...headers, 'access-control-allow-origin': origin },
    });
  });
  expect(verdict?.kind).toBe('failed');
});

test('a revocation endpoint that says 200 and does nothing fails revocation-refresh', async () => {
  const verdict = await judge('revocation-refresh', async (request, sound) =>
    at(request, LAB_PATHS.revoke) ? Response.json({}) : sound(),
  );
  expect(verdict?.kind).toBe('failed');
});

test('a refresh token that opens the resource fails token-type-header', async () => {
  const refreshTokens = new Set<string>();
  const verdict = await judge('token-type-header', async (request, sound) => {
    const [, token = ''] = request.headers.get('authorization')?.split(' ') ?? [];
    if (at(request, LAB_PATHS.data) && refreshTokens.has(token)) return Response.json({});
    const answer = await sound();
    if (at(request, LAB_PATHS.token)) refreshTokens.add((await answer.clone().json()).refresh_token);
    return answer;
  });
  expect(verdict?.kind).toBe('failed');
});

describe('values that look random', () => {
  const now = START / 1000;
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const many = (make: (index: number) => string) => Array.from({ length: 64 }, (_, index) => make(index));

  test.each([
    ['hashes of a counter', many((index) => md5(String(1000 + index)))],
    ['hashes of the time', many((index) => md5(String(now + index)))],
    ['consecutive numbers', many((index) => String(10 ** 12 + index))],
    ['UUIDs of the time', many((index) => `0189${String(index).padStart(4, '0')}-0000-7000-8000-0123456789ab`)],
  ])('are guessed: %s', (_name, values) => {
    expect(isUnguessable(measureGuessing(values, now))).toBe(false);
  });

  test('are not where they are random, and the number of bits is an upper bound', () => {
    const random = measureGuessing(
      many(() => randomBytes(16).toString('hex')),
      now,
    );
    const uuids = measureGuessing(
      many(() => crypto.randomUUID()),
      now,
    );
    expect([isUnguessable(random), isUnguessable(uuids), uuids.bits]).toEqual([true, true, 122]);
    expect(describeGuessing(random)).toContain('an upper bound');
    expect(describeGuessing(uuids)).toContain('less than the 128');
  });
});

test('a revocation endpoint that answers unknown tokens with an error is judged by real ones', async () => {
  const verdict = await judge('revocation-authentication', async (request, sound) => {
    const isInvented = at(request, LAB_PATHS.revoke) && (await request.clone().text()).includes('token=not-a-token');
    const answer = await sound();
    return isInvented && answer.status === 200 ? Response.json({ error: 'invalid_request' }, { status: 400 }) : answer;
  });
  expect(verdict).toMatchObject({ kind: 'passed' });
});

test('a key-bound token that UserInfo takes as a bearer token fails sender-constrained', async () => {
  const verdict = await judge('sender-constrained', async (request, sound) => {
    const [scheme, token = ''] = request.headers.get('authorization')?.split(' ') ?? [];
    const isBound = Buffer.from(token.split('.')[1] ?? '', 'base64url')
      .toString()
      .includes('"jkt"');
    return at(request, LAB_PATHS.userinfo) && scheme === 'Bearer' && isBound ? Response.json({ sub: 'a' }) : sound();
  });
  expect(verdict?.kind).toBe('failed');
  expect(verdict?.reason).toMatch(/at UserInfo/);
});

describe('a resource that opens without a token', () => {
  const isOpen: Answer = async (request, sound) =>
    at(request, LAB_PATHS.data) && !request.headers.has('authorization') ? Response.json({ ok: true }) : sound();

  test('fails the control for that, and no narrower one', async () => {
    expect(await judge('token-required', isOpen)).toMatchObject({ kind: 'failed' });
    expect(await judge('no-token-in-query', isOpen)).toMatchObject({ kind: 'not_applicable' });
  });
});

test.each(['x-forwarded-host', 'forwarded'])('a server that redirects to the host of %s fails', async (name) => {
  const verdict = await judge('forwarded-host', async (request, sound) => {
    const host = /[\w.]*unregistered\.example/.exec(request.headers.get(name) ?? '')?.[0];
    return at(request, LAB_PATHS.authorize) && host !== undefined
      ? Response.redirect(`https://${host}/login`, 302)
      : sound();
  });
  expect(verdict).toMatchObject({ kind: 'failed', reason: expect.stringContaining('the way to a code') });
});

test.each(['token-required', 'forwarded-host', 'token-duplicate-parameters'])(
  '%s passes at the lab',
  async (control) => {
    expect(await judge(control, (_, sound) => sound())).toMatchObject({ kind: 'passed' });
  },
);
