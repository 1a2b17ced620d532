import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '@/lib/config/config';
import { listSecrets } from '@/lib/config/secrets';
import { refusedBy } from '../../fixtures/refused-by';

const AUTH_SECRET = 's'.repeat(32);
const FILE = 'file:./data/sluice.db';
const UPSTASH = {
  UPSTASH_REDIS_REST_URL: 'https://eu1-cat.upstash.io',
  UPSTASH_REDIS_REST_TOKEN: 'AX+a/token==',
};
const KV = { KV_REST_API_URL: 'https://us1-dog.upstash.io/', KV_REST_API_TOKEN: 'kv-token' };
const TURSO = { TURSO_DATABASE_URL: 'libsql://db.turso.io', TURSO_AUTH_TOKEN: 'turso-token' };
const REDIS_URL = 'rediss://default:other@eu1-cat.upstash.io:6379';
const OVER_UPSTASH = 'https://:AX%2Ba%2Ftoken%3D%3D@eu1-cat.upstash.io/';
const OVER_KV = 'https://:kv-token@us1-dog.upstash.io/';

const failure = (environment: Record<string, string>) =>
  refusedBy(ConfigError, () => parseConfig({ AUTH_SECRET, ...environment }))?.message ?? '';

describe('the stores', () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [UPSTASH, OVER_UPSTASH],
    [KV, OVER_KV],
    [{ ...KV, ...UPSTASH }, OVER_UPSTASH],
    // The Upstash integration of Vercel sets all of these for one database.
    [{ ...KV, ...UPSTASH, REDIS_URL }, REDIS_URL],
    [{ ...UPSTASH, REDIS_URL: ' ' }, OVER_UPSTASH],
    [{ UPSTASH_REDIS_REST_URL: '', UPSTASH_REDIS_REST_TOKEN: '' }, undefined],
    [{ REDIS_URL: OVER_UPSTASH }, OVER_UPSTASH],
  ])('%j counts in %s', (environment, expected) => {
    expect(parseConfig(environment).REDIS_URL).toBe(expected);
  });

  it.each<[Record<string, string>, string, string | undefined]>([
    [{}, FILE, undefined],
    [TURSO, 'libsql://db.turso.io', 'turso-token'],
    [{ TURSO_DATABASE_URL: 'http://127.0.0.1:8080' }, 'http://127.0.0.1:8080', undefined],
    [{ ...TURSO, DATABASE_AUTH_TOKEN: 'own' }, 'libsql://db.turso.io', 'own'],
    [{ ...TURSO, DATABASE_URL: 'libsql://db.turso.io' }, 'libsql://db.turso.io', 'turso-token'],
    [{ ...TURSO, DATABASE_URL: '' }, 'libsql://db.turso.io', 'turso-token'],
    // No other server may receive the token of Turso.
    [{ ...TURSO, DATABASE_URL: 'http://db.internal:8080' }, 'http://db.internal:8080', undefined],
    [{ ...TURSO, DATABASE_URL: FILE }, FILE, undefined],
  ])('%j keeps the rules in %s', (environment, url, token) => {
    const { DATABASE_URL, DATABASE_AUTH_TOKEN } = parseConfig({ AUTH_SECRET, ...environment });
    expect([DATABASE_URL, DATABASE_AUTH_TOKEN]).toEqual([url, token]);
  });

  it.each<[Record<string, string>, string]>([
    [{ UPSTASH_REDIS_REST_URL: 'https://x' }, 'UPSTASH_REDIS_REST_TOKEN is missing: UPSTASH_REDIS_REST_URL is set.'],
    [{ UPSTASH_REDIS_REST_TOKEN: 'x' }, 'UPSTASH_REDIS_REST_URL is missing: UPSTASH_REDIS_REST_TOKEN is set.'],
    [{ KV_REST_API_URL: 'https://x', REDIS_URL }, 'KV_REST_API_TOKEN is missing: KV_REST_API_URL is set.'],
    [{ ...UPSTASH, KV_REST_API_TOKEN: 'x' }, 'KV_REST_API_URL is missing: KV_REST_API_TOKEN is set.'],
    [{ TURSO_AUTH_TOKEN: 'x' }, 'TURSO_DATABASE_URL is missing: TURSO_AUTH_TOKEN is set.'],
    [{ ...UPSTASH, UPSTASH_REDIS_REST_URL: 'redis://eu1-cat.upstash.io' }, 'UPSTASH_REDIS_REST_URL must be'],
    [{ ...UPSTASH, UPSTASH_REDIS_REST_URL: 'https://a:b@eu1-cat.upstash.io' }, 'UPSTASH_REDIS_REST_URL must have no'],
    [{ ...UPSTASH, UPSTASH_REDIS_REST_TOKEN: 'two words' }, 'UPSTASH_REDIS_REST_TOKEN must be'],
    [{ ...KV, KV_REST_API_TOKEN: 'line\nfeed' }, 'KV_REST_API_TOKEN must be'],
    [{ TURSO_DATABASE_URL: 'postgres://x' }, 'TURSO_DATABASE_URL must be'],
    [{ REDIS_URL: 'https://cache' }, 'REDIS_URL names no token'],
  ])('%j is refused', (environment, sentence) => {
    expect(failure(environment)).toContain(sentence);
  });

  it('wants a secret where Turso keeps the database', () => {
    expect(refusedBy(ConfigError, () => parseConfig(TURSO))?.message).toContain('AUTH_SECRET is missing');
  });

  it('keeps the tokens out of the log, as they were set and as they are used', () => {
    const environment = { ...UPSTASH, ...KV, ...TURSO, AUTH_SECRET };
    for (const token of ['AX+a/token==', 'kv-token', 'turso-token']) {
      expect(listSecrets(environment)).toContain(token);
      expect(listSecrets(parseConfig(environment))).toContain(token);
    }
    expect(listSecrets({ REDIS_URL: OVER_UPSTASH })).toEqual(['AX+a/token==']);
  });
});
