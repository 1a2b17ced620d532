import { describe, expect, it } from 'vitest';
import {
  hasTrustedPeer,
  isForwarded,
  PEER_HEADER,
  readClientAddress,
  readForwardedClient,
} from '@/lib/http/client-address';
import { table } from '../../fixtures/table';
import { WRITTEN_ADDRESSES } from '../../fixtures/written-addresses';

const NONCE = 'nonce-of-this-process';

const direct = { SLUICE_TRUSTED_PROXIES: [], VERCEL: false, peerNonce: NONCE };
const behind = { SLUICE_TRUSTED_PROXIES: ['10.0.0.0/8', '2001:db8:ffff::/48'], VERCEL: false, peerNonce: NONCE };
const attested = (peer: string, more: Record<string, string> = {}) =>
  new Headers({ [PEER_HEADER]: `${NONCE} ${peer}`, ...more });

describe('the address of a client', () => {
  it('is that of the socket, whatever the client says', () => {
    const headers = attested('203.0.113.9', {
      'X-Forwarded-For': '1.2.3.4',
      'X-Real-IP': '1.2.3.4',
      Forwarded: 'for=1.2.3.4',
    });
    expect(readClientAddress(headers, direct)?.text).toBe('203.0.113.9');
    expect(readClientAddress(headers, behind)?.text).toBe('203.0.113.9');
  });

  it('is canonical', () => {
    expect(readClientAddress(attested('::ffff:203.0.113.9'), direct)?.text).toBe('203.0.113.9');
    expect(readClientAddress(attested('fe80::1%eth0'), direct)?.text).toBe('fe80::1');
  });

  it('is unknown where nobody attests it, as under `next start`', () => {
    expect(readClientAddress(new Headers({ 'X-Forwarded-For': '1.2.3.4' }), direct)).toBeNull();
    expect(readClientAddress(new Headers({ [PEER_HEADER]: '1.2.3.4' }), direct)).toBeNull();
    expect(readClientAddress(new Headers({ [PEER_HEADER]: 'guess 1.2.3.4' }), behind)).toBeNull();
  });

  table(
    'behind a trusted proxy, with the chain %j, is %s',
    (chain) => readClientAddress(attested('10.0.0.1', { 'X-Forwarded-For': chain }), behind)?.text,
    [
      ['203.0.113.9', '203.0.113.9'],
      ['1.2.3.4, 203.0.113.9', '203.0.113.9'],
      ['1.2.3.4, 203.0.113.9, 10.0.0.7', '203.0.113.9'],
      ['203.0.113.9:4711', '203.0.113.9'],
      ['[2001:db8::7]:4711, 2001:db8:ffff::1', '2001:db8::7'],
      ['1.2.3.4, garbage, 10.0.0.7', '10.0.0.7'],
      ['10.1.1.1, 10.0.0.7', '10.1.1.1'],
      ['', '10.0.0.1'],
      [' , ,', '10.0.0.1'],
    ],
  );

  it('on Vercel is what the platform says', () => {
    const platform = { SLUICE_TRUSTED_PROXIES: [], VERCEL: true };
    expect(readClientAddress(new Headers({ 'x-vercel-forwarded-for': '203.0.113.9' }), platform)?.text).toBe(
      '203.0.113.9',
    );
    expect(hasTrustedPeer(new Headers(), platform)).toBe(true);
  });
});

describe('an address that a proxy has written', () => {
  it.each(WRITTEN_ADDRESSES.filter(([written]) => written.trim() !== ''))('as %s is %s', (written, address) => {
    const headers = attested('10.0.0.1', { 'X-Forwarded-For': `1.2.3.4, ${written}, 10.0.0.7` });
    expect(readClientAddress(headers, behind)?.text).toBe(address ?? '10.0.0.7');
    expect(readForwardedClient(headers, behind)?.text).toBe(address ?? '10.0.0.7');
    const alone = attested('10.0.0.1', { 'X-Forwarded-For': written });
    expect(readClientAddress(alone, behind)?.text).toBe(address ?? '10.0.0.1');
    expect(readForwardedClient(alone, behind)?.text).toBe(address ?? '10.0.0.1');
  });
});

describe('a request', () => {
  table('is forwarded or not, with the chain %j: %s', (chain) => isForwarded(attested('10.0.0.1', chain), direct), [
    [{}, false],
    // Next names the peer where nobody sent the header.
    [{ 'X-Forwarded-For': '10.0.0.1' }, false],
    [{ 'X-Forwarded-For': '::ffff:10.0.0.1' }, false],
    [{ 'X-Forwarded-For': '203.0.113.9' }, true],
    [{ 'X-Forwarded-For': '203.0.113.9, 10.0.0.1' }, true],
  ]);
});
