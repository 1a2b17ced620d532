import { describe, expect, test } from 'vitest';
import { CONTROLS } from '@/lib/oauth/report/describe-control';
import { THREATS } from '@/lib/oauth/report/threats';

/** Sections of a document, by how many there are under each. */
const sections = (rfc: string, counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).flatMap(([parent, count]) =>
    Array.from({ length: count }, (_, index) => `RFC ${rfc} ${parent}.${index + 1}`),
  );

/** As the tables of contents have them; of RFC 6819, 4.4.4 has none below it. */
const DESCRIBED = [
  ...sections('9700', { '4': 17 }),
  ...sections('6819', { '4.1': 5, '4.2': 4, '4.3': 5, '4.4.1': 13, '4.4.2': 6, '4.4.3': 6 }),
  'RFC 6819 4.4.4',
  ...sections('6819', { '4.5': 4, '4.6': 7 }),
];

/** Controls against other problems: conformance, CORS, revoking other clients' tokens, the device grant (RFC 8628). */
const OTHERS = [
  'authorize-cors',
  'markup-escaped',
  'cors-token-endpoint',
  'revocation-authentication',
  'revocation-client-bound',
  'loopback-port',
  'unknown-parameter-ignored',
  'www-authenticate',
  'basic-authentication',
  'device-code-entropy',
  'user-code-entropy',
  'device-approval',
  'device-consent',
  'device-code-client-binding',
  'device-code-single-use',
  'device-code-lifetime',
  'device-verification-uri',
  'device-client-authentication',
];

describe('threats', () => {
  test('are those of RFC 9700 section 4 and RFC 6819 section 4, each once and in order', () => {
    expect(THREATS.map(({ source }) => source)).toEqual(DESCRIBED);
  });

  test('name controls that exist, each once', () => {
    const known = new Set(CONTROLS.map(({ id }) => id));
    for (const { source, controls } of THREATS) {
      expect({ source, unknown: controls.filter((id) => !known.has(id)) }).toEqual({ source, unknown: [] });
      expect(new Set(controls).size, source).toBe(controls.length);
    }
  });

  test('have controls, or a reason why they cannot be judged', () => {
    for (const { source, controls, unjudged } of THREATS) {
      expect(controls.length === 0, source).toBe(unjudged !== undefined);
    }
  });

  test('are what every control is for, besides the few that are listed', () => {
    const used = new Set(THREATS.flatMap(({ controls }) => controls));
    const others = CONTROLS.map(({ id }) => id).filter((id) => !used.has(id));
    expect(others.toSorted()).toEqual(OTHERS.toSorted());
  });
});
