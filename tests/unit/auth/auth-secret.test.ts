import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AUTH_SECRET_FILE, loadAuthSecret } from '@/lib/auth/auth-secret';
import { ConfigError } from '@/lib/config/config';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-secret-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the secret of sessions', () => {
  it('is AUTH_SECRET where it is set, and nothing is written', () => {
    expect(loadAuthSecret({ AUTH_SECRET: 's'.repeat(32) }, directory)).toBe('s'.repeat(32));
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is made once, for its owner alone, and kept', () => {
    const secret = loadAuthSecret({ AUTH_SECRET: undefined }, join(directory, 'made', 'here'));
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(loadAuthSecret({ AUTH_SECRET: undefined }, join(directory, 'made', 'here'))).toBe(secret);
    const path = join(directory, 'made', 'here', AUTH_SECRET_FILE);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, 'made', 'here'))).toEqual([AUTH_SECRET_FILE]);
    expect(readFileSync(path, 'utf8').trim()).toBe(secret);
  });

  it('names AUTH_SECRET when there is no place for a generated one, or the kept one is damaged', () => {
    const attempt = (place: string | null) => () => loadAuthSecret({ AUTH_SECRET: undefined }, place);
    expect(attempt(null)).toThrow(ConfigError);
    writeFileSync(join(directory, 'a-file'), '');
    expect(attempt(join(directory, 'a-file'))).toThrow(/^AUTH_SECRET /);
    writeFileSync(join(directory, AUTH_SECRET_FILE), 'short');
    expect(attempt(directory)).toThrow(/^AUTH_SECRET /);
  });
});
