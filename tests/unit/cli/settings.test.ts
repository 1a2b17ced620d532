import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chooseServerUrl, locateSettingsFile, readSettings } from '@/cli/settings';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-settings-'));
  mkdirSync(join(home, 'sluice'));
  writeFileSync(locateSettingsFile({ XDG_CONFIG_HOME: home }), '{"servers":');
});
afterEach(() => rmSync(home, { recursive: true }));

it('a damaged settings file stops a command only if it decides about the server', () => {
  const choose = (option: string | undefined, env: Record<string, string>) =>
    chooseServerUrl(option, env, () => readSettings({ XDG_CONFIG_HOME: home }));
  expect(choose('https://a.example', {})).toBe('https://a.example');
  expect(choose(undefined, { SLUICE_URL: 'https://b.example/' })).toBe('https://b.example');
  expect(() => choose(undefined, {})).toThrow('holds no settings of sluice.');
});
