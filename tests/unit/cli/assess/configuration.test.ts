import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configure, LOOPBACK_REDIRECT_URI, parseDocument } from '@/cli/assess/configuration';
import type { SecretSources } from '@/cli/assess/secrets';
import { Failure } from '@/cli/failure';
import { FAPI_REQUIREMENTS } from '@/lib/contract/lab-switches';

const nothing: SecretSources = {
  env: {},
  directory: '.',
  readStdin: async () => '',
  now: () => Date.UTC(2026, 10, 20),
};
const YAML = `
name: Staging
issuer: https://login.example.com
scope: openid profile
client:
  client_id: my-client
  redirect_uri: https://app.example.com/callback
  authentication: post
  secret: {env: CLIENT_SECRET}
allow: [10.20.0.0/16, login.internal]
fail_on: high
accepted:
  require-pkce: {reason: Legacy client, until: 2027-03-01T00:00:00+01:00}
`;

/** What a person is told. */
async function fault(work: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof Failure) return `${error.exitCode}: ${error.message}`;
    throw error;
  }
  return 'none';
}

describe('the file of an assessment', () => {
  it('describes the target with a secret that stands elsewhere', async () => {
    const sources = { ...nothing, env: { CLIENT_SECRET: 'of the environment\n' } };
    const { name, target, failOn, allowed, accepted } = await configure(parseDocument(YAML), {}, sources);
    expect({ name, failOn }).toEqual({ name: 'Staging', failOn: 'high' });
    expect(target).toMatchObject({
      server: {
        issuer: 'https://login.example.com',
        client: { authentication: 'post', secret: 'of the environment' },
        scope: 'openid profile',
      },
    });
    expect(allowed).toMatchObject({ ranges: [{ text: '10.20.0.0/16' }], hosts: ['login.internal'] });
    expect(accepted.get('require-pkce')).toEqual({ reason: 'Legacy client', until: '2027-03-01T00:00:00+01:00' });
  });

  it('has an example in the documentation that is right', async () => {
    const sources = { ...nothing, env: { OAUTH_CLIENT_SECRET: 'secret', OAUTH_COOKIE: 'session=1' } };
    const example = await configure(parseDocument(readFileSync('docs/automation/assess.yaml', 'utf8')), {}, sources);
    expect(example).toMatchObject({ failOn: 'high', target: { server: { cookie: 'session=1', login: 'cookie' } } });
  });

  it('may be JSON', () => {
    expect(parseDocument('{"issuer": "https://login.example.com"}')).toEqual({ issuer: 'https://login.example.com' });
  });

  it('takes secrets from files beside it and from standard input, and a cookie as well', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-assess-'));
    writeFileSync(join(directory, 'key.json'), '{"kty":"EC","d":"x","alg":"ES256"}');
    const document = parseDocument(`
      issuer: https://login.example.com
      client: {client_id: a, redirect_uri: 'https://a.example/', authentication: private_key_jwt, key: {file: key.json}}
      cookie: {stdin: true}`);
    const { target } = await configure(document, {}, { ...nothing, directory, readStdin: async () => 'session=1\n' });
    expect(target).toMatchObject({ server: { client: { key: { kty: 'EC', d: 'x' } }, cookie: 'session=1' } });
  });

  it.each([
    ['a: [', '2: It is neither YAML nor JSON: '],
    ['- a', '2: It must be a mapping'],
  ])('%j: %s', async (text, said) => {
    expect(await fault(() => parseDocument(text))).toContain(said);
  });

  const client = 'client: {client_id: a, redirect_uri: https://a.example/';
  it.each([
    ['scope: a', '2: issuer is required: the issuer, the URL of a resource, or endpoints.'],
    ['issuer: login.example.com', '2: issuer must be an http or https URL.'],
    ['issuer: https://a.example\nclinet: {}', '2: clinet is not known here.'],
    [`issuer: https://a.example\n${client}, authentication: basic}`, '2: client.secret is required for basic.'],
    [`issuer: https://a.example\n${client}, secret: in-the-file}`, '2: client.secret must say where the secret is'],
    [`issuer: https://a.example\n${client}, secret: {env: NONE}}`, '2: client.secret is empty: the variable NONE'],
    [`issuer: https://a.example\n${client}, secret: {file: none.txt}}`, 'cannot be read (ENOENT).'],
    [`issuer: https://a.example\n${client}, secret: {stdin: true}}\ncookie: {stdin: true}`, 'holds one secret'],
    ['issuer: https://a.example\nfail_on: bad', '2: fail_on must be one of critical, high, medium, low.'],
    ['issuer: https://a.example\naccepted: {no-control: {reason: a}}', 'is not a control of the catalogue'],
    [
      'issuer: https://a.example\nallow: [10.0.0.0/33]',
      'must be a CIDR range, an address or a host name, not "10.0.0.0/33"',
    ],
  ])('%j is refused: %s', async (text, said) => {
    const sources = { ...nothing, readStdin: async () => 'one' };
    expect(await fault(configure(parseDocument(text), {}, sources))).toContain(said);
  });
});

describe('the command line', () => {
  it('names an issuer in place of the one of the file, or a protected resource', async () => {
    const document = parseDocument(YAML.replace('{env: CLIENT_SECRET}', '{stdin: true}'));
    const sources = { ...nothing, readStdin: async () => 'piped' };
    const other = await configure(
      document,
      { address: 'https://other.example', name: 'Other', failOn: 'low' },
      sources,
    );
    expect(other).toMatchObject({
      name: 'Other',
      failOn: 'low',
      target: { server: { issuer: 'https://other.example' } },
    });
    const resource = await configure(document, { address: 'https://mcp.example/mcp', isResource: true }, sources);
    expect(resource.target).toMatchObject({ server: { resource_url: 'https://mcp.example/mcp' } });
    expect(resource.target).not.toHaveProperty('server.issuer');
  });

  it('describes a client whose browser comes back to this machine', async () => {
    const choices = { address: 'https://login.example.com', clientId: 'me', clientSecret: { env: 'S' } };
    const { target } = await configure({}, choices, { ...nothing, env: { S: 'secret' } });
    expect(target).toMatchObject({
      server: {
        client: { client_id: 'me', redirect_uri: LOOPBACK_REDIRECT_URI, authentication: 'basic', secret: 'secret' },
      },
    });
  });

  it('adds to what SLUICE_ASSESS_ALLOW allows', async () => {
    const choices = { address: 'https://login.example.com', allow: ['::1'] };
    const { allowed } = await configure({}, choices, {
      ...nothing,
      env: { SLUICE_ASSESS_ALLOW: '127.0.0.0/8, a.internal' },
    });
    expect(allowed.ranges.map(({ text }) => text)).toEqual(['127.0.0.0/8', '::1']);
    expect(allowed.hosts).toEqual(['a.internal']);
  });

  it('names the lab, with controls that are off', async () => {
    const { target } = await configure({}, { address: 'lab', off: ['require-pkce'] }, nothing);
    expect(target).toEqual({ lab: { off: ['require-pkce'], requirements: [] } });
    const strict = await configure({}, { address: 'lab', isFapi: true }, nothing);
    expect(strict.target).toEqual({ lab: { off: [], requirements: FAPI_REQUIREMENTS } });
    expect(await fault(configure({}, { address: 'lab', off: ['nothing'] }, nothing))).toContain(
      'off.0 must be a control',
    );
    expect(await fault(configure({}, { address: 'login.example.com' }, nothing))).toContain('must begin with https://');
  });
});
