import { describe, expect, it } from 'vitest';
import { clockCheck, partsCheck, proxyCheck, versionCheck } from '@/cli/doctor/judge';
import { reach } from '@/cli/doctor/reach';
import { freePort } from '@/tests/fixtures/free-port';

const direct = { client_address: '192.0.2.1', peer_address: '192.0.2.1', forwarded: false, peer_trusted: false };

describe('doctor', () => {
  it.each([
    ['http://sluice.example', '192.0.2.1', direct, 'ok', 'takes this machine for 192.0.2.1.'],
    ['http://sluice.example', '::ffff:192.0.2.1', direct, 'ok', 'takes this machine for 192.0.2.1.'],
    ['http://sluice.example', '10.0.0.5', direct, 'ok', 'a router or a proxy is between'],
    ['https://sluice.example', '10.0.0.5', direct, 'warning', 'TLS ends in front of it'],
    [
      'https://sluice.example',
      '192.0.2.1',
      { ...direct, peer_address: '10.0.0.9', forwarded: true, peer_trusted: true },
      'ok',
      'behind the proxy 10.0.0.9',
    ],
    ['https://sluice.example', '192.0.2.7', { ...direct, forwarded: true }, 'failed', 'is not believed'],
    [
      'http://sluice.example',
      '192.0.2.7',
      { ...direct, client_address: null, peer_address: null },
      'warning',
      'does not know the address',
    ],
  ])('sees who Sluice takes it for: %s from %s, %j: %s', (url, local, connection, state, text) => {
    const check = proxyCheck(url, local, connection);
    expect(check.state).toBe(state);
    expect(check.text).toContain(text);
    expect(check.advice === undefined).toBe(state === 'ok');
  });

  it('compares clocks within what the network took', () => {
    expect(clockCheck(10_050, 10_000, 10_100).state).toBe('ok');
    expect(clockCheck(15_000, 10_000, 16_000).state).toBe('ok');
    expect(clockCheck(70_050, 10_000, 10_100)).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('60 s ahead of'),
    });
    expect(clockCheck(4_050, 10_000, 10_100).text).toContain('6 s behind');
  });

  it('compares versions', () => {
    expect(versionCheck('0.1.0', '0.1.0', '20.12.0', '>=20.12').state).toBe('ok');
    expect(versionCheck('0.1.0', '0.2.0', '22.1.0', '>=20.12').state).toBe('warning');
    expect(versionCheck('0.1.0', '0.1.0', '20.9.1', '>=20.12').state).toBe('failed');
    expect(versionCheck('0.1.0', '0.1.0', '18.20.0', '>=20.12').state).toBe('failed');
  });

  it('names the parts that are down or slow', () => {
    const health = {
      database: { ok: true, kind: 'embedded', latency_ms: 0.2 },
      counter_store: { ok: true, kind: 'redis', latency_ms: 1 },
      breaker: { state: 'closed' },
    };
    const overview = (changes: object) => ({ at: '', health: { ...health, ...changes } });
    expect(partsCheck(overview({}))).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('Counters: redis, 1 ms'),
    });
    const cluster = { ok: true, kind: 'redis', cluster: true, latency_ms: 1 };
    expect(partsCheck(overview({ counter_store: cluster })).text).toContain('Counters: redis cluster, 1 ms');
    expect(partsCheck(overview({ breaker: { state: 'open' } })).text).toContain('Down: breaker.');
    expect(partsCheck(overview({ database: { ok: false } })).text).toContain('Down: database.');
    expect(partsCheck(overview({ counter_store: { ok: true, kind: 'redis', latency_ms: 400 } })).state).toBe('warning');
    const skewed = { ok: true, kind: 'redis', latency_ms: 1, clock_skew_ms: -5_500 };
    expect(partsCheck(overview({ counter_store: skewed }))).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('5.5 s behind'),
    });
  });

  it('tells a name that is unknown from a port that nobody listens on, and both from TLS', async () => {
    const last = async (url: string) => (await reach(url, 5_000, Date.now())).checks.at(-1);
    expect(await last('https://nothing.invalid')).toMatchObject({ check: 'name', state: 'failed' });
    expect(await last(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      check: 'connection',
      state: 'failed',
      text: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
