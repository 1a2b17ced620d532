import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pairControls } from '@/components/oauth/assessed-control';
import {
  type BuilderResponse,
  buildCurrentRequest,
  buildInitialState,
  clearSession,
  findShownRequest,
  listControls,
  parseJsonBody,
  readFields,
  readSession,
  readText,
  reduceBuilder,
  type SessionRequest,
  selectFlow,
  writeSession,
} from '@/components/oauth/builder/builder-state';
import { buildRequestFields } from '@/components/oauth/builder/request/request-fields';
import { describeLimitInForce } from '@/components/oauth/builder/result/answer-note';
import { buildFlowArrows } from '@/components/oauth/builder/result/flow-arrows';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { splitComparableLines } from '@/lib/oauth/builder/comparable-answer';
import { compareLines } from '@/lib/oauth/builder/differing-lines';
import { EMPTY_FLOW } from '@/lib/oauth/client/plan-request';
import { describeCatalogue } from '@/lib/oauth/controls/catalogue';
import { type ControlSwitch, enableControlsExcept, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { createPkcePair, generateRandomText } from '@/lib/oauth/pkce';
import { findSourceUrl } from '@/lib/oauth/report/sources';
import { table } from '../../fixtures/table';

const ISSUER = 'http://localhost:3000';
const LAB = {
  issuer: ISSUER,
  lifetimes: { code: { limited: 60, unlimited: 3_600 }, accessToken: { limited: 900, unlimited: 86_400 } },
};
const QUOTED = { ...LAB, controls: SECURE_CONTROLS };

const answer = (
  status: number,
  body: unknown,
  part: Partial<BuilderResponse & { kind: 'answer' }> = {},
): BuilderResponse & { kind: 'answer' } => ({
  kind: 'answer',
  status,
  headers: [],
  body: typeof body === 'string' ? body : JSON.stringify(body),
  durationMs: 1,
  ...part,
});
const sent = (id: string, tab: SessionRequest['tab'], given: BuilderResponse): SessionRequest => ({
  id,
  at: 0,
  tab,
  off: [],
  answer: given,
  secure: null,
  blockedBy: [],
});

describe('the body of an answer', () => {
  it.each(['', 'no JSON', '[1]', 'null', '"text"', '{"a":'])('is no object: %j', (body) => {
    expect(parseJsonBody(answer(200, body))).toEqual({});
  });

  it('has members that are text, and others', () => {
    const given = answer(200, { code: 'c', expires_in: 60 });
    expect([readText(given, 'code'), readText(given, 'expires_in'), readText(given, 'state')]).toEqual([
      'c',
      null,
      null,
    ]);
    expect(readText({ kind: 'fault', text: 'code' }, 'code')).toBeNull();
  });
});

describe('the builder', () => {
  it('begins with the authorization request of a conforming client', () => {
    const state = buildInitialState('', ISSUER);
    expect(state).toMatchObject({ tab: 'authorize', encoding: 'form', compare: false, view: 'response', history: [] });
    expect({ state: '', ...buildCurrentRequest(state).fields }).toEqual({
      response_type: 'code',
      client_id: 'demo-client',
      redirect_uri: `${ISSUER}/oauth/callback`,
      scope: 'openid profile offline_access',
      state: '',
    });
  });

  it('begins as a link says: what the link does not name is empty on that tab, and as usual on the others', () => {
    const state = buildInitialState('tab=token&p.grant_type=password&compare=1&view=sequence&encoding=json', ISSUER);
    expect(state).toMatchObject({ tab: 'token', compare: true, view: 'sequence', encoding: 'json' });
    expect(readFields(state, 'token')).toEqual({ grant_type: 'password', client_id: '', redirect_uri: '' });
    expect(readFields(state, 'authorize')).toEqual(readFields(buildInitialState('', ISSUER), 'authorize'));
  });

  it('takes nothing from a link that it does not know', () => {
    const state = buildInitialState('tab=constructor&view=__proto__&compare=yes&p.__proto__=x', ISSUER);
    expect(state).toMatchObject({ tab: 'authorize', view: 'response', compare: false });
  });

  it('keeps what the flow has brought, and sends the newest token unless told otherwise', () => {
    let state = buildInitialState('', ISSUER);
    state = reduceBuilder(state, { type: 'sent', request: sent('1', 'authorize', answer(200, { code: 'c1' })) });
    const tokens = answer(200, { access_token: 'a1', refresh_token: 'r1' });
    state = reduceBuilder(state, { type: 'sent', request: sent('2', 'token', tokens) });
    state = reduceBuilder(state, {
      type: 'sent',
      request: sent('3', 'token', answer(400, { error: 'invalid_grant' })),
    });
    expect(state.flow).toMatchObject({ code: 'c1', accessToken: 'a1', refreshToken: 'r1' });
    state = reduceBuilder(state, { type: 'change', part: { tab: 'data' } });
    expect(buildCurrentRequest(state).fields.access_token).toBe('a1');
    state = reduceBuilder(state, { type: 'change', part: { useLatestToken: false } });
    expect(buildCurrentRequest(state).fields.access_token).toBe('');
  });

  it('fills the token request from the answer before it, with the verifier that belongs to the code', () => {
    const learnt = { state: 's', codeChallenge: 'c1' };
    let state = reduceBuilder(buildInitialState('', ISSUER), { type: 'learn', learnt, verifier: 'v1' });
    state = reduceBuilder(state, { type: 'edit', tab: 'authorize', fields: { client_id: 'demo-confidential' } });
    state = reduceBuilder(state, { type: 'sent', request: sent('1', 'authorize', answer(200, { code: 'x' })) });
    expect(readFields(state, 'token')).toMatchObject({
      code: 'x',
      code_verifier: 'v1',
      client_id: 'demo-confidential',
    });
    state = reduceBuilder(state, { type: 'edit', tab: 'authorize', fields: { code_challenge: 'of-somebody-else' } });
    state = reduceBuilder(state, { type: 'sent', request: sent('2', 'authorize', answer(200, { code: 'y' })) });
    expect(readFields(state, 'token').code).toBe('y');
    expect(readFields(state, 'token').code_verifier ?? '').toBe('');
    state = reduceBuilder(state, { type: 'sent', request: sent('3', 'token', answer(200, { access_token: 'a' })) });
    expect(selectFlow(state.history).map(({ id }) => id)).toEqual(['2', '3']);
  });

  it('knows the controls that refused a request, and those that should have', () => {
    const waived = [['sluice-lab-waived', 'require-pkce, require-state']] as const;
    expect(listControls(answer(200, {}, { headers: [...waived] })).waived).toEqual(['require-pkce', 'require-state']);
    expect(listControls(answer(400, { blocked_by: ['par', 1] }, { headers: [...waived] }))).toEqual({
      refusedBy: ['par'],
      waived: [],
    });
  });

  it('quotes the lifetimes in force', () => {
    const hint = (off: ControlSwitch) =>
      buildRequestFields('token', { ...LAB, controls: enableControlsExcept(off) }).find(({ name }) => name === 'code')
        ?.hint;
    expect(hint('par')).toContain('Works once, for 1 min.');
    expect(hint('code-lifetime')).toContain('for 1 h.');
    expect(hint('code-single-use')).toContain('any number of times');
  });

  it('quotes the rate limit in force', () => {
    const limited = (...headers: [string, string][]) => describeLimitInForce(answer(429, {}, { headers }));
    const policy = '"ip";q=8;w=60, "client";q=100;w=3600';
    expect(limited(['x-ratelimit-limit', '8'], ['ratelimit-policy', policy])).toBe('8 requests in 1 min');
    expect(limited(['x-ratelimit-limit', '1'])).toBe('1 request');
    expect(limited()).toBeNull();
  });

  it('shows the answer that was chosen, else the newest of the tab', () => {
    let state = buildInitialState('', ISSUER);
    expect(findShownRequest(state)).toBeNull();
    for (const id of ['1', '2']) {
      state = reduceBuilder(state, { type: 'sent', request: sent(id, 'authorize', answer(200, {})) });
    }
    expect(findShownRequest(state)?.id).toBe('2');
    expect(findShownRequest(reduceBuilder(state, { type: 'change', part: { shown: '1' } }))?.id).toBe('1');
    expect(findShownRequest(reduceBuilder(state, { type: 'change', part: { tab: 'token' } }))).toBeNull();
  });

  it('remembers 50 requests, and forgets them all when it is told to', () => {
    let state = buildInitialState('', ISSUER);
    for (let n = 1; n <= 60; n += 1) {
      state = reduceBuilder(state, { type: 'sent', request: sent(String(n), 'data', answer(200, { code: 'c' })) });
    }
    expect([state.history.length, state.history[0]?.id]).toEqual([50, '11']);
    expect(reduceBuilder(state, { type: 'forget' })).toMatchObject({
      history: [],
      shown: null,
      flow: { code: '', accessToken: '' },
    });
  });

  it('asks for each parameter once, and explains it', () => {
    for (const tab of ['authorize', 'token', 'data'] as const) {
      const fields = buildRequestFields(tab, QUOTED);
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
      for (const { hint } of fields) expect(hint).toMatch(/^[A-Z\w].*\.$/);
    }
  });
});

describe('the memory of a session', () => {
  const flow = { ...EMPTY_FLOW, code: 'c', codeVerifier: 'v', accessToken: 'a', refreshToken: 'r' };
  let kept: Map<string, string>;
  let room: number;
  beforeEach(() => {
    kept = new Map();
    room = Number.POSITIVE_INFINITY;
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => {
        if (text.length > room) throw new DOMException('full', 'QuotaExceededError');
        kept.set(name, text);
      },
      removeItem: (name: string) => kept.delete(name),
    });
    return () => vi.unstubAllGlobals();
  });
  const history = (length: number, size = 0) =>
    Array.from({ length }, (_, n) => sent(String(n), 'data', answer(200, 'x'.repeat(size))));

  it('comes back as it was, until it is cleared', () => {
    writeSession({ history: history(3), flow });
    expect(readSession()).toEqual({ history: history(3), flow });
    clearSession();
    expect(readSession()).toBeNull();
  });

  it.each(['not JSON', 'null', '[]', '{"history":[]}', '{"history":[{}],"latest":{"accessToken":""}}'])(
    'that somebody else wrote is forgotten: %s',
    (text) => {
      writeSession({ history: [], flow });
      for (const name of kept.keys()) kept.set(name, text);
      expect(readSession()).toBeNull();
    },
  );

  it('that is too long loses its oldest requests first', () => {
    writeSession({ history: history(20, 100_000), flow });
    const newest = readSession()?.history ?? [];
    expect(newest.length).toBeGreaterThan(0);
    expect(newest.at(-1)?.id).toBe('19');
    expect([...kept.values()][0]?.length).toBeLessThanOrEqual(1_000_000);
  });

  it('does without what the browser has no room for', () => {
    room = 500;
    writeSession({ history: history(20, 100), flow });
    expect((readSession()?.history.length ?? 0) < 20).toBe(true);
    room = 0;
    expect(() => writeSession({ history: history(20, 100), flow })).not.toThrow();
  });
});

describe('PKCE in the browser', () => {
  it('makes unpredictable texts of 43 characters', () => {
    const texts = Array.from({ length: 100 }, generateRandomText);
    for (const text of texts) expect(text).toMatch(/^[\w-]{43}$/);
    expect(new Set(texts).size).toBe(100);
  });

  it('makes a challenge that is the SHA-256 of the verifier, and none on an insecure page', async () => {
    vi.stubGlobal('isSecureContext', true);
    const pair = await createPkcePair();
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pair?.verifier));
    expect(pair?.challenge).toBe(Buffer.from(digest).toString('base64url'));
    vi.stubGlobal('crypto', {});
    expect(await createPkcePair()).toBeNull();
    vi.unstubAllGlobals();
  });
});

describe('the flow as a diagram', () => {
  const arrows = (...history: SessionRequest[]) => buildFlowArrows(history, () => undefined);

  it('has an arrow there and one back for each request, and one more for a code', () => {
    const drawn = arrows(
      sent('1', 'authorize', answer(200, { code: 'c', state: 's' })),
      sent('2', 'token', answer(200, { access_token: 'a', refresh_token: 'r' })),
      sent('3', 'data', answer(200, {})),
    );
    expect(drawn.map(({ from, to, text }) => `${from} > ${to}: ${text}`)).toEqual([
      'browser > authorization server: POST /auth/authorize',
      'authorization server > browser: 200 code',
      'browser > client: code, state, iss',
      'client > authorization server: POST /auth/token',
      'authorization server > client: 200 access token, refresh token',
      'client > resource server: GET /api/data',
      'resource server > client: 200',
    ]);
    expect(drawn.every(({ refused }) => refused !== true)).toBe(true);
    expect(new Set(drawn.map(({ key }) => key)).size).toBe(drawn.length);
  });

  it.each([
    ['an error', answer(400, { error: 'invalid_grant' }), '400 invalid_grant'],
    ['a status without a body', answer(502, ''), '502'],
    [
      'the rate limit',
      answer(429, { error: 'rate_limit_exceeded' }, { headers: [['Retry-After', '3']] }),
      '429 rate limit of Sluice',
    ],
    ['nothing', { kind: 'fault', text: 'x' } as const, 'no response'],
  ])('marks %s as refused', (_, given, text) => {
    expect(arrows(sent('1', 'token', given))[1]).toMatchObject({ text, refused: true, answer: true });
  });
});

describe('answers side by side', () => {
  const text = (given: BuilderResponse & { kind: 'answer' }) =>
    splitComparableLines(given)
      .map((line) => line.text)
      .join('\n');
  const jwt = (claims: object, signature: string) =>
    [{ alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
    `.${signature}`;

  it('are compared without what differs between any two of them', () => {
    const headers = [
      ['content-type', 'application/json'],
      ['date', 'now'],
      ['x-request-id', '1'],
      ['x-ratelimit-remaining', '9'],
      ['cache-control', 'no-store'],
    ] as const;
    expect(text(answer(200, { a: 1 }, { headers }))).toBe(
      'HTTP 200\ncontent-type: application/json\ncache-control: no-store\n\n{\n  "a": 1\n}',
    );
  });

  it('differ in nothing that is random by nature, and in everything that is not', () => {
    const issued = (n: number, lifetime: number) =>
      splitComparableLines(
        answer(200, {
          code: `c${n}`,
          redirect_to: `${ISSUER}/callback?code=c${n}&state=s`,
          access_token: jwt({ jti: `j${n}`, iat: n, exp: n + lifetime, aud: 'a' }, `s${n}`),
          expires_in: lifetime,
        }),
      );
    expect(compareLines(issued(1, 900), issued(2, 900)).left.filter(({ differs }) => differs)).toEqual([]);
    const { right } = compareLines(issued(1, 900), issued(2, 86_400));
    expect(right.filter(({ differs }) => differs).map((line) => line.text.trim())).toEqual([
      '"exp": 86402,',
      '"expires_in": 86400',
    ]);
  });

  it('are harmless to look at, and of bounded length', () => {
    expect(text(answer(200, 'a\u202eb'))).toContain('a\\u{202e}b');
    expect(text(answer(200, 'x'.repeat(1_000_000))).length).toBeLessThan(20_100);
  });

  const plain = (...lines: string[]) => lines.map((line) => ({ text: line, compared: line }));
  it('have the lines marked that the other does not have', () => {
    const { left, right } = compareLines(plain('HTTP 200', 'same', 'old'), plain('HTTP 400', 'same'));
    expect(left).toEqual([
      { text: 'HTTP 200', differs: true },
      { text: 'same', differs: false },
      { text: 'old', differs: true },
    ]);
    expect(right).toEqual([
      { text: 'HTTP 400', differs: true },
      { text: 'same', differs: false },
    ]);
    expect(compareLines(plain('a'), plain('a')).left).toEqual([{ text: 'a', differs: false }]);
  });
});

describe('the matrix', () => {
  it('is in the order of the catalogue, without controls that were not judged', () => {
    const [first, second, third] = describeCatalogue();
    const finding = (control: string, kind: VerdictKind) => ({
      control,
      verdict: { kind, reason: 'x' },
      exchanges: [],
      durationMs: 1,
    });
    const findings = [finding(third!.id, 'passed'), finding(first!.id, 'failed'), finding('unknown', 'passed')];
    expect(pairControls([first!, second!, third!], findings).map(({ control }) => control.id)).toEqual([
      first!.id,
      third!.id,
    ]);
  });
});

describe('where a source can be read', () => {
  table('%j: %s', findSourceUrl, [
    ['RFC 9700 2.1', 'https://www.rfc-editor.org/rfc/rfc9700#section-2.1'],
    ['RFC 9700 2.1.1', 'https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1'],
    ['RFC 9126', 'https://www.rfc-editor.org/rfc/rfc9126'],
    ['OpenID Connect Core 3.1.2.1', 'https://openid.net/specs/openid-connect-core-1_0.html#rfc.section.3.1.2.1'],
    ['CWE-601', undefined],
    ['', undefined],
  ]);

  it('is known for every source of the catalogue that names an RFC', () => {
    const sources = describeCatalogue().flatMap((control) => control.source);
    expect(sources.length).toBeGreaterThan(60);
    for (const source of sources.filter((text) => text.startsWith('RFC'))) expect(findSourceUrl(source)).toBeDefined();
  });
});
