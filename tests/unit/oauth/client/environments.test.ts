import { expect, it } from 'vitest';
import {
  ClientEnvironment,
  formatShareQuery,
  parseShareQuery,
  readEnvironment,
  removeSecrets,
} from '@/lib/oauth/client/environment';
import { forgetEnvironment, keepEnvironment, readEnvironments } from '@/lib/oauth/client/kept-environments';

const environment = ClientEnvironment.parse({
  name: 'Staging',
  issuer: 'https://login.example.com',
  client_id: 'app',
  authentication: 'basic',
  secret: 'a-secret',
  key: '{"kty":"EC","d":"private"}',
});

function shelf(): Pick<Storage, 'getItem' | 'setItem'> & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return { texts, getItem: (name) => texts.get(name) ?? null, setItem: (name, text) => void texts.set(name, text) };
}

it('keeps an environment without its secrets, unless asked to', () => {
  const browser = shelf();
  keepEnvironment(browser, environment);
  expect([...browser.texts.values()].join()).not.toMatch(/a-secret|private/);
  expect(readEnvironments(browser)).toEqual([removeSecrets(environment)]);
  keepEnvironment(browser, { ...environment, keep_secret: true });
  expect(readEnvironments(browser)).toEqual([{ ...environment, keep_secret: true }]);
});

it('keeps one environment for a name, and forgets it', () => {
  const browser = shelf();
  for (const client_id of ['one', 'two']) keepEnvironment(browser, { ...environment, client_id });
  keepEnvironment(browser, { ...environment, name: 'Live' });
  expect(readEnvironments(browser).map(({ name, client_id }) => [name, client_id])).toEqual([
    ['Live', 'app'],
    ['Staging', 'two'],
  ]);
  forgetEnvironment(browser, 'Staging');
  expect(readEnvironments(browser).map(({ name }) => name)).toEqual(['Live']);
});

it.each(['', 'null', '{', '[1, {"name": 7}]', '{"name":"x"}'])('reads nothing from %j in the storage', (text) => {
  expect(readEnvironments({ getItem: () => text, setItem: () => undefined })).toEqual([]);
});

it('puts no secret into a link, and takes none from one', () => {
  expect(decodeURIComponent(formatShareQuery(environment))).not.toMatch(/a-secret|private/);
  expect(parseShareQuery(formatShareQuery(environment))).toEqual(removeSecrets(environment));
  const planted = new URLSearchParams({
    environment: JSON.stringify({ issuer: 'https://x.example', secret: 'planted' }),
  });
  expect(parseShareQuery(planted.toString())?.secret).toBe('');
  expect(parseShareQuery('environment=nonsense')).toBeNull();
  expect(readEnvironment('{"issuer": 7}')).toBeNull();
});
