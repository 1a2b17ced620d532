import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { compareInLab, compareRequest } from '@/lib/admin/lab/compare-requests';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { assess } from '@/lib/oauth/assessment/run';
import {
  type BuilderRequest,
  formatShareQuery,
  listOmittedParameters,
  listRequestWarnings,
  parseShareQuery,
  planLabRequest,
} from '@/lib/oauth/builder/builder-request';
import { splitComparableLines } from '@/lib/oauth/builder/comparable-answer';
import { compareLines } from '@/lib/oauth/builder/differing-lines';
import { computeScore } from '@/lib/oauth/builder/score';
import { formatCurlCode } from '@/lib/oauth/client/code/curl';
import { formatFetchCode } from '@/lib/oauth/client/code/fetch';
import { buildLabEnvironments } from '@/lib/oauth/client/environment';
import { EMPTY_FLOW } from '@/lib/oauth/client/plan-request';
import { buildWireRequest, formatHttp } from '@/lib/oauth/client/wire-request';
import { CATALOGUE, describeCatalogue } from '@/lib/oauth/controls/catalogue';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { enableControlsExcept, findPreset, PRESETS, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { describeReplays } from '@/lib/oauth/replays/replays';
import { writeEventLines } from '@/tests/fixtures/event-lines';
import { AUTHORIZATION, CALLBACK, makeLab, ORIGIN, START, VERIFIER } from './lab-fixture';

const _part = (text: string) => Buffer.from(text).toString('base64url');

test('nothing invisible stays invisible', () => {
  const shown = escapeInvisibleCharacters('a\u0000\u001b[31m\u202eevil\u200b\u2028\ud800\u{e0041}</script>\n\t');
  expect(shown).toBe('a\\u{0}\\u{1b}[31m\\u{202e}evil\\u{200b}\\u{2028}\\u{d800}\\u{e0041}</script>\n\t');
});

describe('presets, score and descriptions', () => {
  test('insecure leaves out everything, secure nothing, partial something', () => {
    expect(findPreset(PRESETS.secure)).toBe('secure');
    expect(findPreset(PRESETS.insecure)).toBe('insecure');
    expect(findPreset(enableControlsExcept('par'))).toBeNull();
    const off = SWITCHES.filter((id) => !PRESETS.partial[id]);
    expect(off.length).toBeGreaterThan(5);
    expect(off.length).toBeLessThan(SWITCHES.length / 2);
  });

  test('the score is the passed share by weight, and no other verdict counts', () => {
    const score = computeScore([
      { severity: 'critical', kind: 'passed' },
      { severity: 'high', kind: 'failed' },
      { severity: 'low', kind: 'inconclusive' },
    ]);
    expect(score).toEqual({
      percent: 62,
      passedWeight: 10,
      failedWeight: 6,
      passed: 1,
      failed: 1,
      undecided: 1,
      notApplicable: 0,
    });
    expect(computeScore([{ severity: 'info', kind: 'passed' }], 'F').percent).toBe(49);
    expect(computeScore([{ severity: 'critical', kind: 'failed' }], 'F').percent).toBe(0);
    expect(computeScore([]).percent).toBeNull();
    expect(computeScore([{ severity: 'info', kind: 'passed' }]).percent).toBe(100);
  });

  test('what a page shows is plain data', () => {
    expect(describeCatalogue()).toHaveLength(CATALOGUE.length);
    expect(structuredClone(describeCatalogue())[0]?.severity).toBe('critical');
    expect(structuredClone(describeReplays())).toHaveLength(10);
  });
});

const request = (changes: Partial<BuilderRequest> = {}): BuilderRequest => ({
  tab: 'authorize',
  fields: { ...AUTHORIZATION },
  controls: SECURE_CONTROLS,
  ...changes,
});

const sentFor = (changes: Partial<BuilderRequest> = {}) => buildWireRequest(planLabRequest(request(changes), ORIGIN));
const codeFor = (changes: Partial<BuilderRequest>) => ({
  ...{ planned: planLabRequest(request(changes), ORIGIN), environment: buildLabEnvironments(ORIGIN)[0] },
  ...{ metadata: null, flow: EMPTY_FLOW, proofKey: '', showSecrets: true },
});

describe('requests', () => {
  test('what is shown is what is sent', () => {
    const sent = sentFor({ controls: enableControlsExcept('require-pkce') });
    expect(sent.headers).toEqual([
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Sluice-Lab-Controls', 'require-pkce=?0'],
    ]);
    expect(Object.fromEntries(new URLSearchParams(sent.body))).toEqual(AUTHORIZATION);
    expect(formatHttp(sent)).toContain('POST /auth/authorize HTTP/1.1\nHost: localhost:3000');
    expect(sentFor({ encoding: 'json' }).body).toBe(JSON.stringify(AUTHORIZATION, null, 2));
    expect(sentFor({ tab: 'data', fields: { access_token: 'abc' } })).toEqual({
      method: 'GET',
      url: `${ORIGIN}/api/data`,
      headers: [['Authorization', 'Bearer abc']],
      body: '',
    });
    expect(sentFor({ tab: 'data', fields: { access_token: '' } }).headers).toEqual([]);
  });

  test('the curl command runs nothing of what is in it', () => {
    const hostile = `'; touch /tmp/pwned; echo '$(id)\`id\`"\\`;
    const given = { fields: { state: hostile }, encoding: 'json' } as const;
    const command = formatCurlCode(codeFor(given)).replace(/^curl/, "printf '%s\\0'");
    const words = execFileSync('/bin/sh', ['-c', command]).toString().split('\0');
    expect(words.at(-2)).toBe(sentFor(given).body);
  });

  test('the fetch call is JavaScript with the same request in it', () => {
    const given = { fields: { state: '</script>\u2028`$' }, encoding: 'json' } as const;
    const text = formatFetchCode(codeFor(given));
    expect(text).not.toContain('</script>');
    const seen = new Function(
      'fetch',
      `return (async () => { ${text.replace(/\nconsole.*/, '')}; return response; })()`,
    );
    return seen(async (url: string, init: { body: string }) => {
      expect(url).toBe(`${ORIGIN}/auth/authorize`);
      expect(init.body).toBe(sentFor(given).body);
    });
  });
});

describe('links', () => {
  test('restore the request without its secrets', () => {
    const fields = {
      ...AUTHORIZATION,
      code: 'secret-1',
      code_verifier: 'secret-2',
      client_secret: 'secret-3',
      refresh_token: 'secret-4',
      access_token: 'secret-5',
    };
    const given = request({ tab: 'token', fields, controls: PRESETS.partial, encoding: 'json' });
    const query = formatShareQuery(given).toString();
    expect(query).not.toMatch(/secret-\d|a-state/);
    const { state: _, code_challenge: __, ...kept } = AUTHORIZATION;
    expect(parseShareQuery(new URLSearchParams(query))).toEqual({ ...given, fields: kept });
  });

  test('say what is left out on purpose, and carry a challenge that was typed', () => {
    const shared = (fields: Record<string, string>) =>
      formatShareQuery(request({ fields: { ...AUTHORIZATION, ...fields } }));
    expect(listOmittedParameters(shared({}))).not.toContain('state');
    expect(listOmittedParameters(shared({ state: '', code_challenge: '' }))).toEqual(['state', 'code_challenge']);
    expect(parseShareQuery(shared({ code_challenge: 'too-short' })).fields.code_challenge).toBe('too-short');
  });

  test('take nothing from a stranger but what is known', () => {
    const read = parseShareQuery(
      new URLSearchParams('tab=evil&off=nonsense require-pkce&p.code=x&p.__proto__=y&p.A=z&p.scope=profile&x=1'),
    );
    expect(read).toEqual({
      tab: 'authorize',
      fields: { scope: 'profile' },
      controls: enableControlsExcept('require-pkce'),
      encoding: 'form',
    });
  });
});

describe('the four warnings', () => {
  const ids = (given: BuilderRequest) => listRequestWarnings(given).map((warning) => warning.id);
  test('hold when they hold', () => {
    expect(ids(request())).toEqual([]);
    expect(ids(request({ controls: enableControlsExcept('strict-redirect-uri') }))).toEqual(['strict-redirect-uri']);
    expect(ids(request({ fields: { ...AUTHORIZATION, state: '' } }))).toEqual(['require-state']);
    expect(ids(request({ fields: { ...AUTHORIZATION, code_challenge: '' } }))).toEqual(['require-pkce']);
    expect(
      ids(
        request({ fields: { ...AUTHORIZATION, code_challenge: '' }, controls: enableControlsExcept('require-pkce') }),
      ),
    ).toEqual([]);
    expect(ids(request({ tab: 'data', fields: {}, controls: enableControlsExcept('validate-audience') }))).toEqual([
      'validate-audience',
    ]);
  });
});

describe('compare', () => {
  const clock = () => performance.now();
  const tokenRequest = (code: string, off?: string) =>
    new Request(`${ORIGIN}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        client_id: 'demo-client',
        code_verifier: VERIFIER,
      }),
      headers: off === undefined ? {} : { 'sluice-lab-controls': off },
    });

  test('names every control that would block, and leaves both answers', async () => {
    const lab = makeLab();
    const body = new URLSearchParams({
      ...AUTHORIZATION,
      redirect_uri: 'https://evil.example/',
      code_challenge: '',
      code_challenge_method: '',
      state: '',
    });
    const headers = { 'sluice-lab-controls': 'strict-redirect-uri=?0, require-pkce=?0, require-state=?0' };
    const asked = new Request(`${ORIGIN}/auth/authorize`, { method: 'POST', body, headers });
    const { given, secure, blockedBy } = await compareRequest(asked, lab.services, clock);
    expect([given.response.status, secure.response.status]).toEqual([200, 400]);
    expect([...blockedBy].sort()).toEqual(['require-pkce', 'require-state', 'strict-redirect-uri']);
    const lines = compareLines(splitComparableLines(given.response), splitComparableLines(secure.response));
    expect(lines.left.some((line) => line.differs) && lines.right.some((line) => line.differs)).toBe(true);
  });

  test('looking does not use a code up, and using it does', async () => {
    const lab = makeLab();
    const code = await lab.codeFor();
    const { given, secure, blockedBy } = await compareRequest(tokenRequest(code), lab.services, clock);
    expect([given.response.status, secure.response.status]).toEqual([200, 200]);
    expect(blockedBy).toEqual([]);
    const again = await compareRequest(
      tokenRequest(code, 'code-single-use=?0, code-reuse-revokes=?0'),
      lab.services,
      clock,
    );
    expect([again.given.response.status, again.secure.response.status]).toEqual([200, 400]);
    expect(again.blockedBy).toEqual(['code-single-use']);
    const { access_token } = JSON.parse(given.response.body);
    expect((await lab.data(access_token)).status).toBe(200);
  });

  test('over HTTP it takes requests to the lab and to nothing else', async () => {
    const lab = makeLab();
    const post = (body: unknown) =>
      compareInLab(
        new Request(`${ORIGIN}/auth/compare`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
        lab.services,
        clock,
      );
    const answer = await (await post({ method: 'GET', path: '/api/data', headers: [], body: null })).json();
    expect(answer.given.response.status).toBe(401);
    expect(Object.keys(answer)).toEqual(['given', 'secure', 'blocked_by']);
    for (const bad of [
      { method: 'GET', path: '/v1/admin/tokens', headers: [], body: null },
      { method: 'GET', path: '//evil.example/api/data', headers: [], body: null },
      { method: 'PUT', path: '/api/data', headers: [], body: null },
      { method: 'GET', path: '/api/data', headers: [['a\nb', 'c']], body: null },
      { method: 'GET', path: '/api/data', headers: [], body: null, more: 1 },
      null,
    ]) {
      await expect(post(bad)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});

test('an assessment can be streamed, line by line', async () => {
  const clock = () => performance.now();
  const random = (length: number) => randomBytes(length);
  const target = createLabTarget({ origin: ORIGIN, controls: PRESETS.insecure, startAt: START, clock, random });
  const text = await writeEventLines(assess(target, { clock, random, sleep }));
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toHaveLength(CATALOGUE.length + 3);
  expect(events.at(-1).type).toBe('finished');
});
