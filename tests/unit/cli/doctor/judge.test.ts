import { describe, expect, it } from 'vitest';
import { checkClock, checkProxy, checkTrustedProxies, checkVersions } from '@/cli/doctor/judge';
import { checkParts } from '@/cli/doctor/parts';
import { checkReachability } from '@/cli/doctor/reach';
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
    ['https://sluice.example', '192.0.2.7', { ...direct, forwarded: true }, 'failed', 'is not trusted'],
    [
      'http://sluice.example',
      '192.0.2.7',
      { ...direct, client_address: null, peer_address: null },
      'warning',
      'does not know the address',
    ],
  ])('sees who Sluice takes it for: %s from %s, %j: %s', (url, local, connection, state, text) => {
    const check = checkProxy(url, local, connection);
    expect(check.state).toBe(state);
    expect(check.text).toContain(text);
    expect(check.advice === undefined).toBe(state === 'ok');
  });

  it('compares clocks within what the network took', () => {
    const within = { sentAt: 10_000, receivedAt: 10_100 };
    expect(checkClock(10_050, within).state).toBe('ok');
    expect(checkClock(15_000, { sentAt: 10_000, receivedAt: 16_000 }).state).toBe('ok');
    expect(checkClock(70_050, within)).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('60 s ahead of'),
      advice: expect.stringContaining('timedatectl set-ntp true'),
    });
    expect(checkClock(4_050, within).text).toContain('6 s behind');
  });

  it.each([
    ['0.1.0', '0.1.0', '20.12.0', 'ok', undefined],
    ['0.1.0', '0.2.0', '22.1.0', 'warning', 'This command is older'],
    ['0.10.0', '0.9.3', '22.1.0', 'warning', 'The server is older'],
    ['0.1.0', undefined, '22.1.0', 'warning', 'The server is older'],
    ['0.1.0', '0.1.0', '20.9.1', 'failed', 'Install Node 20.12'],
    ['0.1.0', '0.1.0', '18.20.0', 'failed', 'Install Node 20.12'],
  ])('compares versions: command %s, server %s, Node %s', (own, server, node, state, advice) => {
    const check = checkVersions(own, server, node, '>=20.12');
    expect([check.state, check.advice?.startsWith(advice ?? '-')]).toEqual([state, advice && true]);
  });

  it('names the parts that are down or slow, with what to do', () => {
    const health = {
      database: { ok: true, kind: 'embedded', latency_ms: 0.2 },
      counter_store: { ok: true, kind: 'redis', latency_ms: 1 },
      breaker: { state: 'closed' },
    };
    const check = (changes: object) => checkParts({ status: 'ready' }, { ...health, ...changes });
    expect(check({})).toMatchObject({ state: 'ok', text: expect.stringContaining('Counters: redis, 1 ms') });
    const cluster = { ok: true, kind: 'redis', cluster: true, latency_ms: 1 };
    expect(check({ counter_store: cluster }).text).toContain('Counters: redis cluster, 1 ms');
    expect(check({ breaker: { state: 'open' } })).toMatchObject({
      text: expect.stringContaining('Down: breaker.'),
      advice: expect.stringContaining('run this again'),
    });
    expect(check({ counter_store: { ok: false }, breaker: { state: 'open' } })).toMatchObject({
      text: expect.stringContaining('Down: counter store, breaker.'),
      advice: expect.not.stringContaining('run this again'),
    });
    expect(check({ database: { ok: false } }).advice).toContain('DATABASE_URL');
    expect(check({ counter_store: { ok: true, kind: 'redis', latency_ms: 400 } }).state).toBe('warning');
    const skewed = { ok: true, kind: 'redis', latency_ms: 1, clock_skew_ms: -5_500 };
    expect(check({ counter_store: skewed })).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('5.5 s behind'),
    });
  });

  it('knows the parts without a token, from what the server tells everybody', () => {
    const parts = { database: { ok: true }, counter_store: { ok: false } };
    expect(checkParts({ status: 'degraded', parts }, null)).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('Down: counter store.'),
      advice: expect.stringContaining('REDIS_URL'),
    });
    expect(checkParts({ status: 'ready', parts: { database: { ok: true } } }, null).state).toBe('ok');
    expect(checkParts({ status: 'ready' }, null).state).toBe('ok');
  });

  it('tells a name that is unknown from a port that nobody listens on, and both from TLS', async () => {
    const last = async (url: string) => (await checkReachability(url, 5_000, Date.now())).checks.at(-1);
    expect(await last('https://nothing.invalid')).toMatchObject({ check: 'name', state: 'failed' });
    expect(await last(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      check: 'connection',
      state: 'failed',
      text: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('the proxies that the server trusts', () => {
  const overview = (widely_trusted?: readonly string[]) => ({
    at: '',
    health: {},
    ...(widely_trusted && { widely_trusted }),
  });

  it('are warned of where they are a part of the internet', () => {
    expect(checkTrustedProxies(overview(['0.0.0.0/0']))).toMatchObject({
      check: 'proxy',
      state: 'warning',
      text: expect.stringContaining('(0.0.0.0/0)'),
      advice: expect.stringContaining('SLUICE_TRUSTED_PROXIES'),
    });
  });

  it.each([[undefined], [[]]])('are passed over where the server says %j', (ranges) => {
    expect(checkTrustedProxies(overview(ranges))).toBeNull();
  });
});
