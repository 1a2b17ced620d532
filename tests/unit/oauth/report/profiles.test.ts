import { describe, expect, test } from 'vitest';
import { FAPI_REQUIREMENTS } from '@/lib/contract/lab-switches';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { PROFILE_TRIES } from '@/lib/oauth/assessment/profile-tries';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { type ControlSwitch, enableControlsExcept, type FapiRequirement } from '@/lib/oauth/lab/controls';
import { CONTROLS } from '@/lib/oauth/report/describe-control';
import { judgeProfiles, PROFILES } from '@/lib/oauth/report/profiles/judge-profile';
import { findSourceUrl } from '@/lib/oauth/report/sources';
import { assessAll } from '@/tests/fixtures/assess-all';
import { ORIGIN, START, VERDICTS_ALONE } from '../lab-fixture';

type Judged = Parameters<typeof judgeProfiles>[0];

interface Configuration {
  off?: readonly ControlSwitch[];
  requirements?: readonly FapiRequirement[];
  /** The controls to assess. By default all. */
  only?: readonly string[];
}

/** Assesses the lab in a configuration, and judges it by both profiles. */
async function judgeLab({ off = [], requirements = [], only }: Configuration = {}) {
  const configuration = { origin: ORIGIN, controls: enableControlsExcept(...off), requirements, startAt: START };
  const target = createLabTarget({ ...VERDICTS_ALONE, ...configuration });
  const controls = CATALOGUE.filter(({ id }) => only === undefined || only.includes(id));
  const findings = await assessAll(target, { ...VERDICTS_ALONE, controls });
  return judge(
    findings.map(({ control, verdict, exchanges }) => ({ control, verdict: verdict.kind, exchanges: [...exchanges] })),
  );
}

function judge(findings: Judged) {
  const [fapi, basic] = judgeProfiles(findings);
  if (fapi === undefined || basic === undefined) throw new Error('A profile is missing.');
  return { fapi, basic };
}

type Profile = ReturnType<typeof judge>['fapi'];
const listBy = ({ clauses }: Profile, state: Profile['clauses'][number]['state']) =>
  clauses.filter((clause) => clause.state === state).map(({ source, requirement }) => `${source}: ${requirement}`);

/** An answer of the server, as evidence has it. */
const answer = (label: string, body: unknown, status = 200): Judged[number]['exchanges'][number] => ({
  label,
  request: { method: 'GET', url: 'https://login.example.com/', headers: [], body: '' },
  response: { status, headers: [], body: JSON.stringify(body) },
  startedAt: 0,
  durationMs: 1,
});
const METADATA = { issuer: 'https://login.example.com', token_endpoint: 'https://login.example.com/token' };
/** A server for which every control passed and these answers were seen. */
const judgeAnswers = (...exchanges: Judged[number]['exchanges']) =>
  judge(
    CONTROLS.map(({ id }) => ({ control: id, verdict: 'passed', exchanges: id === 'code-lifetime' ? exchanges : [] })),
  );
const stateOf = (profile: Profile, requirement: RegExp) =>
  profile.clauses.filter((clause) => requirement.test(clause.requirement)).map(({ state }) => state);

describe('profiles', () => {
  test('name controls that exist, and decide each clause in one way', () => {
    const ids = new Set(CONTROLS.map(({ id }) => id));
    for (const { clauses } of PROFILES) {
      for (const { source, requirement, controls, observe, unjudged } of clauses) {
        expect(
          controls.filter((id) => !ids.has(id)),
          requirement,
        ).toEqual([]);
        const ways = [controls.length > 0, observe !== undefined, unjudged !== undefined].filter(Boolean);
        expect(ways, requirement).toHaveLength(1);
        expect(findSourceUrl(source), source).toMatch(/#(?:rfc\.)?section[-.]\d/);
      }
      expect(new Set(clauses.map(({ requirement }) => requirement)).size).toBe(clauses.length);
    }
  });

  test('say what the lab lacks', async () => {
    const { fapi, basic } = await judgeLab();
    expect(listBy(fapi, 'violated')).toEqual([
      'FAPI 2.0 Security Profile 5.3.2.1 (3): Only confidential clients are supported.',
      'FAPI 2.0 Security Profile 5.3.2.1 (4): Only sender-constrained access tokens are issued.',
      'FAPI 2.0 Security Profile 5.3.2.1 (6): Clients authenticate with a key or a certificate.',
      'FAPI 2.0 Security Profile 5.3.2.1 (8): The audience of a client assertion is the issuer, as a string.',
      'FAPI 2.0 Security Profile 5.3.2.1 (9): Refresh tokens do not rotate.',
      'FAPI 2.0 Security Profile 5.3.2.2 (3): Authorization requests that were not pushed are refused.',
      'FAPI 2.0 Security Profile 5.4.1 (1): DPoP proofs are signed with PS256, ES256 or EdDSA.',
    ]);
    expect(fapi.grade).toBe('D');
    expect(listBy(basic, 'violated')).toEqual([]);
    expect([...listBy(fapi, 'undecided'), ...listBy(basic, 'undecided')]).toEqual([]);
  });

  test('turn red with the control that decides a clause', async () => {
    const { basic } = await judgeLab({ off: ['code-single-use'], only: ['code-single-use', 'code-client-binding'] });
    expect(listBy(basic, 'violated')).toEqual([
      'OpenID Connect Core 3.1.3.2: A code works once, for its client and its redirect URI.',
    ]);
    expect(basic.grade).toBe('F');
  });

  test('find nothing in a lab that keeps what FAPI requires', async () => {
    const { fapi } = await judgeLab({ requirements: FAPI_REQUIREMENTS });
    expect([...listBy(fapi, 'violated'), ...listBy(fapi, 'undecided')]).toEqual([]);
    expect(fapi.grade).toBe('A');
  });

  test.each([
    ['fapi-key-authentication', ['5.3.2.1 (3)', '5.3.2.1 (6)']],
    ['fapi-pushed-requests', ['5.3.2.2 (3)']],
    ['fapi-bound-tokens', ['5.3.2.1 (4)']],
    ['fapi-assertion-audience', ['5.3.2.1 (8)']],
    ['fapi-no-rotation', ['5.3.2.1 (9)']],
    ['fapi-algorithms', ['5.4.1 (1)']],
  ] as const)('find the clause of a lab without %s', async (missing, sources) => {
    const requirements = FAPI_REQUIREMENTS.filter((id) => id !== missing);
    const { fapi } = await judgeLab({
      requirements,
      only: ['par', 'client-assertion', 'code-lifetime', 'refresh-scope'],
    });
    const violated = fapi.clauses.filter(({ state }) => state === 'violated').map(({ source }) => source);
    expect(violated).toEqual(sources.map((source) => `${fapi.document} ${source}`));
  });

  test('find a control that is off in a lab that keeps what FAPI requires', async () => {
    const only = ['require-pkce', 'code-single-use'];
    const { fapi } = await judgeLab({ off: ['require-pkce'], requirements: FAPI_REQUIREMENTS, only });
    expect(listBy(fapi, 'violated')).toEqual(['FAPI 2.0 Security Profile 5.3.2.2 (5): PKCE with S256 is required.']);
  });
});

describe('what answers show', () => {
  test('no metadata decides nothing', () => {
    expect(stateOf(judgeAnswers().fapi, /metadata|confidential|key or a certificate/)).toEqual([
      'undecided',
      'undecided',
      'undecided',
    ]);
  });

  test('methods of client authentication', () => {
    const judgeMethods = (methods?: string[]) => {
      const { fapi } = judgeAnswers(
        answer('Read the metadata', { ...METADATA, token_endpoint_auth_methods_supported: methods }),
      );
      return stateOf(fapi, /confidential|key or a certificate/);
    };
    expect(judgeMethods(['private_key_jwt', 'tls_client_auth'])).toEqual(['met', 'met']);
    expect(judgeMethods(['private_key_jwt', 'client_secret_basic'])).toEqual(['met', 'violated']);
    expect(judgeMethods(['private_key_jwt', 'none'])).toEqual(['violated', 'violated']);
    // RFC 8414 section 2: the default is client_secret_basic.
    expect(judgeMethods()).toEqual(['met', 'violated']);
  });

  test('tokens that are bound to a key', () => {
    const judgeTokens = (...types: string[]) =>
      stateOf(
        judgeAnswers(...types.map((type) => answer('Redeem', { access_token: '[token]', token_type: type }))).fapi,
        /Only sender-constrained/,
      );
    expect(judgeTokens()).toEqual(['undecided']);
    expect(judgeTokens('DPoP', 'dpop')).toEqual(['met']);
    expect(judgeTokens('DPoP', 'Bearer')).toEqual(['violated']);
    const bound = {
      ...answer('Redeem', { access_token: '[token]', token_type: 'Bearer' }),
      tokens: [{ name: 'access token 1', header: {}, claims: { cnf: { 'x5t#S256': 'a-thumbprint' } } }],
    };
    expect(stateOf(judgeAnswers(bound).fapi, /Only sender-constrained|DPoP or mutual TLS/)).toEqual(['met', 'met']);
    expect(judgeTokens('DPoP', 'mac')).toEqual(['undecided']);
  });

  test('lifetimes of pushed requests and of codes', () => {
    const pushed = (seconds: number) =>
      stateOf(
        judgeAnswers(answer('Push', { request_uri: 'urn:x', expires_in: seconds }, 201)).fapi,
        /request_uri lives/,
      );
    expect(pushed(90)).toEqual(['met']);
    expect(pushed(600)).toEqual(['violated']);
    const code = (age: number, status: number, body: object) =>
      stateOf(judgeAnswers(answer(`Redeem the code after ${age} seconds`, body, status)).fapi, /code lives/);
    const refused = { error: 'invalid_grant' };
    const issued = { access_token: '[access token 1]', token_type: 'DPoP' };
    expect(code(61, 400, refused)).toEqual(['met']);
    expect(code(300, 400, refused)).toEqual(['undecided']);
    expect(code(61, 200, issued)).toEqual(['violated']);
    expect(code(30, 200, issued)).toEqual(['undecided']);
  });

  test('requests that only a profile forbids or demands', () => {
    const judgeOutcomes = (outcomes: Partial<Record<keyof typeof PROFILE_TRIES, 'accepted' | 'refused' | 'down'>>) => {
      const answers = Object.entries(PROFILE_TRIES).flatMap(([name, label]) => {
        const outcome = outcomes[name as keyof typeof PROFILE_TRIES];
        if (outcome === undefined) return [];
        if (outcome === 'down') return [answer(label, { error: 'temporarily_unavailable' }, 503)];
        if (outcome === 'refused') return [answer(label, { error: 'invalid_request' }, 400)];
        const good = name === 'withoutRedirectUri' ? { request_uri: 'urn:x' } : { access_token: '[access token 1]' };
        return [answer(label, good)];
      });
      const judgeWith = (verdict: 'passed' | 'inconclusive') =>
        stateOf(
          judge(['client-assertion', 'par'].map((control) => ({ control, verdict, exchanges: answers }))).fapi,
          /audience of a client|JWTs from|names its redirect/,
        );
      // Without a verdict, no correct request was seen to succeed.
      expect(judgeWith('inconclusive')).toEqual(['undecided', 'undecided', 'undecided']);
      return judgeWith('passed');
    };
    const [audience, ahead] = [
      { audienceOfEndpoint: 'refused', listOfAudiences: 'refused' } as const,
      { fiveSecondsAhead: 'accepted', issuedAhead: 'refused', validAhead: 'refused' } as const,
    ];
    const good = { ...audience, ...ahead, withoutRedirectUri: 'refused' } as const;
    expect(judgeOutcomes({})).toEqual(['undecided', 'undecided', 'undecided']);
    expect(judgeOutcomes(good)).toEqual(['met', 'met', 'met']);
    expect(judgeOutcomes({ ...good, listOfAudiences: 'accepted' })).toEqual(['violated', 'met', 'met']);
    expect(judgeOutcomes({ ...good, audienceOfEndpoint: 'down' })).toEqual(['undecided', 'met', 'met']);
    expect(judgeOutcomes({ ...good, fiveSecondsAhead: 'refused' })).toEqual(['met', 'violated', 'met']);
    expect(judgeOutcomes({ ...good, validAhead: 'accepted' })).toEqual(['met', 'violated', 'met']);
    expect(judgeOutcomes({ ...good, withoutRedirectUri: 'accepted' })).toEqual(['met', 'met', 'violated']);
  });

  test('an old code that an outage refused is no code that still worked', () => {
    const exchanges = [answer('Redeem the code after 61 seconds', { error: 'temporarily_unavailable' }, 503)];
    const { fapi } = judge([{ control: 'code-lifetime', verdict: 'inconclusive', exchanges }]);
    expect(stateOf(fapi, /code lives/)).toEqual(['undecided']);
  });

  test('a code for a request that was not pushed', () => {
    const endpoint = 'https://login.example.com/authorize';
    const metadata = answer('Read the metadata', { ...METADATA, authorization_endpoint: endpoint });
    const ask = (query: string, location: string) => {
      const asked = answer('Ask', {}, 303);
      asked.request.url = `${endpoint}?${query}`;
      asked.response.headers = [['location', location]];
      return asked;
    };
    const judgeAsked = (...exchanges: Judged[number]['exchanges']) =>
      stateOf(
        judge([{ control: 'code-entropy', verdict: 'passed', exchanges: [metadata, ...exchanges] }]).fapi,
        /not pushed/,
      );
    const back = 'https://app.example.com/callback';
    expect(judgeAsked(ask('response_type=code&client_id=a', `${back}?code=[code 1]`))).toEqual(['violated']);
    expect(judgeAsked(ask('client_id=a&request_uri=urn:x', `${back}?code=[code 1]`))).toEqual(['undecided']);
    expect(judgeAsked(ask('response_type=code&client_id=a', `${back}?error=invalid_request`))).toEqual(['undecided']);
  });

  test('what a control does not apply to violates nothing', () => {
    const { basic } = judge(CONTROLS.map(({ id }) => ({ control: id, verdict: 'not_applicable', exchanges: [] })));
    expect(listBy(basic, 'violated')).toEqual([]);
  });

  test('a failure of less severity than its control is not critical', () => {
    const failed = { control: 'code-single-use', verdict: 'failed' as const, exchanges: [] };
    expect(judge([failed]).basic.grade).toBe('F');
    expect(judge([{ ...failed, severity: 'low' }]).basic.grade).toBe('C');
  });

  test('refresh tokens that rotate, or not', () => {
    const refresh = (received?: string) => {
      const tokens = { access_token: '[access token 2]', token_type: 'DPoP', refresh_token: received };
      const exchange = answer('Refresh', tokens);
      const body = 'grant_type=refresh_token&refresh_token=[refresh token 1: abcdefgh…]';
      return stateOf(judgeAnswers({ ...exchange, request: { ...exchange.request, body } }).fapi, /rotate/)[0];
    };
    expect(refresh('[refresh token 2: ijklmnop…]')).toBe('violated');
    expect(refresh('[refresh token 1: abcdefgh…]')).toBe('met');
    expect(refresh()).toBe('met');
    expect(stateOf(judgeAnswers().fapi, /rotate/)).toEqual(['undecided']);
  });

  test('curves of published keys', () => {
    const judgeKeys = (...keys: object[]) =>
      stateOf(judgeAnswers(answer('Read the keys', { keys })).fapi, /elliptic/)[0];
    expect(judgeKeys({ kty: 'RSA', n: 'x' }, { kty: 'EC', crv: 'P-256' })).toBe('met');
    expect(judgeKeys({ kty: 'RSA', n: 'x' })).toBe('met');
    expect(judgeKeys({ kty: 'EC', crv: 'P-192' })).toBe('undecided');
    expect(judgeKeys()).toBe('met');
    expect(stateOf(judgeAnswers().fapi, /elliptic/)).toEqual(['undecided']);
  });
});
