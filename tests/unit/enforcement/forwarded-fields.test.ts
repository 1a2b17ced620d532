import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '@/lib/config/config';
import { CLAIMS, isForwardedField, PRIVATE_FIELDS, SET_FIELDS } from '@/lib/enforcement/forwarded-fields';
import { buildUpstreamRequest } from '@/lib/enforcement/upstream-proxy';
import { PEER_HEADER } from '@/lib/http/client-address';

const NONCE = 'nonce-of-this-process';
const config = parseConfig({ SLUICE_TRUSTED_PROXIES: '10.0.0.0/8' }, NONCE);

/** Characters that a field name may have beside letters and digits, all of which CGI reads as `_`. */
const SEPARATORS = ["'", ...'!#$%&*+.^_`|~'];

const sample = (entry: string) => entry.replace('*', 'thing');
const claims = Object.values(CLAIMS).flat().map(sample);
const privates = PRIVATE_FIELDS.map(sample);
const spellingsOf = (name: string) =>
  name.includes('-') ? SEPARATORS.flatMap((by) => [name.replace('-', by), name.replaceAll('-', by)]) : [];

/** What the upstream gets of one field. */
function received(name: string, peer: string): string | null {
  const headers = { host: 'a.example', [PEER_HEADER]: `${NONCE} ${peer}`, [name]: 'forged' };
  const request = new Request('http://localhost/x', { headers });
  const sent = buildUpstreamRequest(request, 'http://127.0.0.1:1', config, 'request-1').headers;
  return [...sent].find(([field, value]) => field === name && value.includes('forged'))?.[1] ?? null;
}

describe('a field that claims an address, an origin or a decision', () => {
  it.each(claims)('%s passes from a trusted proxy only, in one spelling', (name) => {
    expect(received(name, '203.0.113.9')).toBeNull();
    expect(received(name, '10.0.0.1')).toBe('forged');
    for (const spelling of spellingsOf(name)) {
      expect(received(spelling, '203.0.113.9'), spelling).toBeNull();
      expect(received(spelling, '10.0.0.1'), spelling).toBeNull();
    }
  });

  it.each([...new Set(['x-request-id', 'x-middleware-subrequest', ...privates])])(
    '%s of a client or a proxy never passes, in any spelling',
    (name) => {
      for (const spelling of [name, ...spellingsOf(name)]) {
        expect(received(spelling, '203.0.113.9'), spelling).toBeNull();
        expect(received(spelling, '10.0.0.1'), spelling).toBeNull();
      }
    },
  );

  it.each(SET_FIELDS)('%s of a client never passes', (name) => {
    expect(received(name, '203.0.113.9')).toBeNull();
  });

  it.each([...SET_FIELDS, 'content-length', 'x-api-key', 'transfer-encoding'])(
    '%s passes in one spelling at most',
    (name) => {
      for (const spelling of spellingsOf(name)) expect(received(spelling, '10.0.0.1'), spelling).toBeNull();
    },
  );

  it.each([
    ...['accept', 'authorization', 'cookie', 'origin', 'referer', 'x-api-key', 'x-csrf-token', 'x-requested-with'],
    ...['traceparent', 'my_own', 'my.own', 'x-middleware-prefetch', 'x-http-method-override', 'depth', 'destination'],
    ...['idempotency-key', 'if-match', 'range', 'access-control-request-method', 'sec-fetch-mode', 'via', 'x-real'],
  ])('%s is of no concern', (name) => {
    expect(received(name, '203.0.113.9')).toBe('forged');
  });

  it('from Vercel is believed where the platform sets it', () => {
    const passing = claims.filter((name) => isForwardedField(name, 'vercel'));
    expect(passing).toEqual(['x-real-ip', 'x-vercel-thing']);
  });

  it('is listed in the documentation', () => {
    const page = readFileSync('docs/upstream.md', 'utf8').toLowerCase();
    const missing = [...Object.values(CLAIMS).flat(), ...SET_FIELDS, ...PRIVATE_FIELDS].filter(
      (name) => !page.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
  });
});
