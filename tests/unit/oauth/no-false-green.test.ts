import { describe, expect, test } from 'vitest';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import type { Finding } from '@/lib/oauth/assessment/run';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { type Controls, enableControlsExcept, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { assessAll } from '@/tests/fixtures/assess-all';
import { ORIGIN, START, VERDICTS_ALONE } from './lab-fixture';

const html = (status: number, body: string, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { 'content-type': 'text/html', ...headers } });

/** What answers in place of one endpoint, and knows nothing of it. */
const WALLS: Readonly<Record<string, () => Response>> = {
  'nothing there': () => html(404, 'Not found'),
  overload: () => html(503, 'Try again later.'),
  'an empty page': () => html(200, ''),
  'a portal to sign in at': () => html(302, '', { location: 'https://portal.example.net/login' }),
  'a closed connection': () => {
    throw new Error('socket hang up');
  },
};

/** Those that look most like an answer. The long runs take all of them. */
const LIKELY = ['an empty page', 'a portal to sign in at'];
const WALLS_OF_WEAK = Object.entries(WALLS).filter(
  ([name]) => process.env.SLUICE_TEST_LONG === '1' || LIKELY.includes(name),
);

/** The endpoints of the lab, and the controls that are about each: nothing is known of them without it. */
const ENDPOINTS: Readonly<Record<string, { path: string; about: (id: string, area: string) => boolean }>> = {
  authorization: {
    path: LAB_PATHS.authorize,
    about: (id, area) =>
      area === 'authorization' && !/^par-(authentication|entropy|redirect-uri)$|^client-unknown$|^logout-/.test(id),
  },
  token: {
    path: LAB_PATHS.token,
    about: (id, area) =>
      (area === 'code' && id !== 'code-entropy') ||
      (area === 'token' && !/^(basic|asymmetric|introspection|revocation|device-verification)-/.test(id)),
  },
  resource: {
    path: LAB_PATHS.data,
    about: (id) =>
      CATALOGUE.some((control) => control.id === id && control.needs.includes('resource')) &&
      id !== 'refresh-scope' &&
      id !== 'resource-audience',
  },
  keys: { path: LAB_PATHS.jwks, about: (id) => /^(jwks-strength|alg-confusion|id-token-signature)$/.test(id) },
  revocation: { path: LAB_PATHS.revoke, about: (id) => id.startsWith('revocation-') },
  introspection: { path: LAB_PATHS.introspect, about: (id) => id === 'introspection-authentication' },
  devices: { path: LAB_PATHS.deviceAuthorization, about: (id) => id.startsWith('device-') },
  'device page': {
    path: LAB_PATHS.device,
    about: (id) => id.startsWith('device-') && id !== 'device-verification-uri',
  },
  logout: { path: LAB_PATHS.logout, about: (id) => id.startsWith('logout-') },
  'pushed requests': { path: LAB_PATHS.par, about: (id) => /^par($|-)/.test(id) },
};

/** Assesses the lab with an answer in place of one endpoint. Races and dozens of tokens show the same as one. */
async function assess(controls: Controls, ids: readonly string[], path = '', answer = () => html(404, '')) {
  const lab = createLabTarget({ ...VERDICTS_ALONE, origin: ORIGIN, controls, startAt: START });
  const target: typeof lab = {
    ...lab,
    transport: async (request) => (new URL(request.url).pathname === path ? answer() : lab.transport(request)),
  };
  // Nothing is waited for: a device that nobody can agree to is told to slow down.
  const sleep = async () => undefined;
  return assessAll(target, { ...VERDICTS_ALONE, sleep, controls: CATALOGUE.filter(({ id }) => ids.includes(id)) });
}

const ofKind = (findings: readonly Finding[], kind: string): string[] =>
  findings.filter(({ verdict }) => verdict.kind === kind).map(({ control }) => control);
const WEAK = enableControlsExcept(...SWITCHES);
const BRIEF = CATALOGUE.filter(({ id }) => !/-race$|-entropy$/.test(id));

let found: Promise<string[]> | undefined;
/** The controls that the weakened lab fails. */
function weakControls(): Promise<string[]> {
  const ids = BRIEF.map(({ id }) => id);
  found ??= assess(WEAK, ids).then((findings) => ofKind(findings, 'failed'));
  return found;
}

describe.each(Object.entries(ENDPOINTS))('without the endpoint: %s', (_name, { path, about }) => {
  const ids = BRIEF.filter(({ id, area }) => about(id, area)).map(({ id }) => id);

  test('is judged where it is there', async () => {
    const passed = ofKind(await assess(SECURE_CONTROLS, ids), 'passed');
    expect(passed.length).toBeGreaterThan(ids.length / 2);
  });

  test.each(Object.entries(WALLS))('%s: nothing about it passes', async (_wall, answer) => {
    const findings = await assess(SECURE_CONTROLS, ids, path, answer);
    const passed = findings.filter(({ verdict }) => verdict.kind === 'passed');
    expect(passed.map(({ control, verdict }) => `${control}: ${verdict.reason}`)).toEqual([]);
  });

  test.each(WALLS_OF_WEAK)('%s: what is weak does not pass', async (_wall, answer) => {
    const failed = weakControls();
    expect((await failed).length).toBeGreaterThan(15);
    const passed = ofKind(await assess(WEAK, await failed, path, answer), 'passed');
    expect(passed).toEqual([]);
  });
});
