import { describe, expect, it } from 'vitest';
import { parseConfig } from '@/lib/config/config';
import { buildUpstreamRequest } from '@/lib/enforcement/upstream-proxy';
import { PEER_HEADER } from '@/lib/http/client-address';

const NONCE = 'nonce-of-this-process';

const config = parseConfig({ SLUICE_TRUSTED_PROXIES: '10.0.0.0/8' }, NONCE);

function passedOn(headers: Record<string, string>, url = 'http://sluice.example/some/path?q=1') {
  const host = { host: new URL(url).host };
  const request = new Request(url, { headers: { ...host, ...headers } });
  return buildUpstreamRequest(request, 'http://upstream.internal:8080', config, 'request-1');
}
const from = (peer: string, more: Record<string, string> = {}) =>
  passedOn({ [PEER_HEADER]: `${NONCE} ${peer}`, ...more }).headers;

describe('a request as it is passed on', () => {
  it('has the same path and query at the origin of the upstream', () => {
    expect(passedOn({}).url.href).toBe('http://upstream.internal:8080/some/path?q=1');
    expect(passedOn({}, 'http://sluice.example//other.example/x').url.host).toBe('upstream.internal:8080');
  });

  it('names the client once', () => {
    expect(from('203.0.113.9').get('x-forwarded-for')).toBe('203.0.113.9');
    expect(from('203.0.113.9', { 'x-forwarded-for': '1.2.3.4' }).get('x-forwarded-for')).toBe('203.0.113.9');
  });

  it('extends the chain of a trusted proxy, and does not repeat its last address', () => {
    expect(from('10.0.0.1', { 'x-forwarded-for': '203.0.113.9' }).get('x-forwarded-for')).toBe('203.0.113.9, 10.0.0.1');
    expect(from('10.0.0.1', { 'x-forwarded-for': '10.0.0.1' }).get('x-forwarded-for')).toBe('10.0.0.1');
    expect(from('10.0.0.1').get('x-forwarded-for')).toBe('10.0.0.1');
  });

  it('has no chain that nobody attests', () => {
    expect(passedOn({ 'x-forwarded-for': '1.2.3.4' }).headers.has('x-forwarded-for')).toBe(false);
  });

  it('tells host, scheme and request id as Sluice has understood them', () => {
    const told = (headers: Headers) =>
      ['x-forwarded-host', 'x-forwarded-proto', 'x-request-id'].map((name) => headers.get(name));
    const claims = { 'x-forwarded-host': 'public.example', 'x-forwarded-proto': 'https', 'x-request-id': 'theirs' };
    expect(told(from('203.0.113.9', claims))).toEqual(['sluice.example', 'http', 'request-1']);
    expect(told(from('10.0.0.1', claims))).toEqual(['public.example', 'https', 'request-1']);
  });

  it('has nothing of Sluice itself: peer, admin token, console session', () => {
    const headers = from('203.0.113.9', {
      'x-admin-token': 'slt_secret',
      cookie: 'theme=dark; next-auth.session-token=secret; __Secure-next-auth.session-token.0=secret; lang=de',
    });
    expect(headers.has(PEER_HEADER)).toBe(false);
    expect(headers.has('x-admin-token')).toBe(false);
    expect(headers.get('cookie')?.split('; ')).toEqual(['theme=dark', 'lang=de']);
    expect(from('203.0.113.9', { cookie: '__Host-next-auth.csrf-token=x' }).has('cookie')).toBe(false);
    expect(from('203.0.113.9', { cookie: 'my=next-auth.session' }).get('cookie')).toBe('my=next-auth.session');
  });
});
