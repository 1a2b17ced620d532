import { describe, expect, test } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { assess, type Finding } from '@/lib/oauth/assessment/run';
import { type Controls, enableControlsExcept, listDisabledControls, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { assessAll } from '@/tests/fixtures/assess-all';
import { ORIGIN, START, VERDICTS_ALONE } from '../../unit/oauth/lab-fixture';

const target = (controls: Controls) => createLabTarget({ ...VERDICTS_ALONE, origin: ORIGIN, controls, startAt: START });
const run = (controls: Controls) => assessAll(target(controls), VERDICTS_ALONE);
const ofKind = (findings: readonly Finding[], kind: string) =>
  findings.filter((finding) => finding.verdict.kind === kind).map((finding) => finding.control);

/** What the lab does not offer: there is nothing to judge. */
const NOT_OFFERED = [
  // The sandbox has no TLS, so no client presents a certificate.
  'certificate-binding',
  'certificate-bound-tokens',
  'certificate-refresh-binding',
  'client-certificate',
  'client-certificate-header',
  'client-credentials-authentication',
  'client-secret-strength',
  'fragment-fix',
  'par-required',
  'registration-redirect-uris',
  'registration-token',
  // The sandbox has no session of a browser.
  'session-cookie',
  'tls-certificate',
  'tls-ciphers',
  'tls-version',
  'token-altered',
  'token-passthrough',
];

/** Controls that say nothing of their own while a broader one is off. */
const MEANINGLESS: Readonly<Partial<Record<(typeof SWITCHES)[number], readonly string[]>>> = {
  'strict-redirect-uri': [
    'code-pollution',
    'loopback-port',
    'no-open-redirect-on-error',
    'par-redirect-uri',
    'redirect-uri-confusion',
  ],
  'redirect-uri-wildcard': ['par-redirect-uri'],
  // Without a question there is no page.
  'user-consent': ['content-security-policy', 'frame-protection', 'redirect-303', 'referrer-policy'],
  // Any address leads back, with or without an ID token.
  'logout-redirect-uri': ['logout-hint'],
  'code-single-use': ['code-race', 'code-reuse-revokes'],
  'device-approval': ['device-consent'],
  'client-authentication': [
    'credentials-in-uri',
    'device-client-authentication',
    'introspection-authentication',
    'par-authentication',
    'refresh-authentication',
    'revocation-authentication',
    'token-exchange-authentication',
  ],
  'refresh-rotation': ['refresh-race', 'refresh-reuse-revokes'],
  'validate-audience': ['aud-required', 'audience-exact'],
  'signature-verified': ['header-key-ignored', 'kid-unknown'],
  'token-expiry': ['exp-required'],
  'sender-constrained': ['dpop-proof'],
};

describe('the assessment of the lab', () => {
  test('everything on is everything green', async () => {
    const findings = await run(SECURE_CONTROLS);
    const reasons = findings.map(({ control, verdict }) => `${control}: ${verdict.kind}, ${verdict.reason}`).join('\n');
    expect(ofKind(findings, 'failed'), reasons).toEqual([]);
    expect(ofKind(findings, 'inconclusive'), reasons).toEqual([]);
    expect(ofKind(findings, 'not_applicable').sort(), reasons).toEqual(NOT_OFFERED);
  });

  test('each verdict is backed by real requests', async () => {
    const withoutRequests = /^client-secret-strength$|^token-passthrough$|certificate-|^client-certificate$/;
    for (const finding of await run(SECURE_CONTROLS)) {
      if (!withoutRequests.test(finding.control)) {
        expect(finding.exchanges.length, finding.control).toBeGreaterThan(0);
      }
      expect(finding.verdict.reason, finding.control).toMatch(/\S/);
    }
  });

  test.each(SWITCHES)('without %s exactly that control is red', async (id) => {
    const findings = await run(enableControlsExcept(id));
    expect(ofKind(findings, 'failed')).toEqual([id]);
    expect(ofKind(findings, 'inconclusive')).toEqual([]);
    expect(ofKind(findings, 'not_applicable').sort()).toEqual([...NOT_OFFERED, ...(MEANINGLESS[id] ?? [])].sort());
  });

  test('everything off turns every switch red that can be tested', async () => {
    const failed = ofKind(await run(enableControlsExcept(...SWITCHES)), 'failed');
    const meaningless = Object.values(MEANINGLESS).flat();
    expect(SWITCHES.filter((id) => !meaningless.includes(id) && !failed.includes(id))).toEqual([]);
  });

  test('progress arrives event by event, and an assessment can be stopped', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    for await (const event of assess(target(SECURE_CONTROLS), { ...VERDICTS_ALONE, signal: controller.signal })) {
      seen.push(event.type);
      if (event.type === 'found' && event.done === 3) controller.abort();
    }
    expect(seen).toEqual(['started', 'preflight', 'found', 'found', 'found', 'finished']);
  });
});

test('switchedOff names what is off', () => {
  expect(listDisabledControls(enableControlsExcept('par'))).toEqual(['par']);
});
