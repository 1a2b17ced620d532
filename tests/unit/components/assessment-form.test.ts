import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type AssessmentValues, buildServer, EMPTY_VALUES } from '@/components/oauth/assessments/form/form-values';
import { buildOrder } from '@/components/oauth/assessments/form/order';
import { readStoredForm, rememberForm } from '@/components/oauth/assessments/form/remembered-form';
import { countUnlocked, listNeeds, selectDecidable } from '@/components/oauth/assessments/form/unlocks';
import { sumRequests } from '@/lib/oauth/assessment/sum-requests';
import { CONTROLS } from '@/lib/oauth/report/describe-control';

const ISSUER = 'https://login.example.com';
const CALLBACK = 'https://sluice.example.com/oauth/callback';
const CLIENT = { client_id: 'a', redirect_uri: 'https://app.example.com/callback', secret: '', key: '' };

const filled = (part: Partial<AssessmentValues>): AssessmentValues => ({
  ...EMPTY_VALUES,
  where: 'issuer',
  issuer: ISSUER,
  ...part,
});
const withClient = (part: Partial<AssessmentValues['client']>) =>
  filled({
    added: { ...EMPTY_VALUES.added, client: true },
    client: { ...EMPTY_VALUES.client, ...CLIENT, ...part },
  });
const errorsOf = (values: AssessmentValues) => {
  const result = buildServer(values, CALLBACK);
  return 'errors' in result ? result.errors.map(({ path }) => path) : [];
};

describe('the form of an assessment', () => {
  it('orders the issuer alone, which nobody signs in at', () => {
    expect(buildOrder(filled({}), CALLBACK)).toMatchObject({
      name: 'login.example.com',
      body: { target: { server: { issuer: ISSUER, login: 'none' } } },
    });
  });

  it('orders one address, at which clients are registered and a person signs in, at its pace', () => {
    const values = { ...EMPTY_VALUES, url: ' https://mcp.example.com/mcp ', requests_per_second: '2' };
    expect(buildOrder(values, CALLBACK)).toEqual({
      name: 'mcp.example.com',
      target: 'https://mcp.example.com/mcp',
      remembered: 'https://mcp.example.com/mcp',
      body: {
        name: undefined,
        target: {
          server: {
            url: 'https://mcp.example.com/mcp',
            register: { redirect_uri: CALLBACK },
            login: 'browser',
            requests_per_second: 2,
          },
        },
      },
    });
  });

  it('orders a client with its secret, parameters and pace', () => {
    const values = {
      ...withClient({ authentication: 'post', secret: 's' }),
      parameters: 'audience=https://api.example.com/?a=b\n\nprompt=consent',
      requests_per_second: '2.5',
    };
    expect(buildServer(values, CALLBACK)).toMatchObject({
      server: {
        client: { client_id: 'a', authentication: 'post', secret: 's' },
        login: 'browser',
        parameters: { audience: 'https://api.example.com/?a=b', prompt: 'consent' },
        requests_per_second: 2.5,
      },
    });
  });

  it.each([
    ['no address', filled({ where: 'url' }), ['url']],
    ['an address without a scheme', filled({ where: 'url', url: 'login.example.com' }), ['url']],
    ['no issuer', filled({ issuer: '' }), ['issuer']],
    ['an address of another kind', filled({ issuer: 'ftp://example.com' }), ['issuer']],
    ['no resource', filled({ where: 'resource_url', issuer: '' }), ['resource_url']],
    ['no endpoint', filled({ where: 'endpoints', issuer: '' }), ['endpoints.authorization_endpoint']],
    ['a client without an id', withClient({ client_id: ' ' }), ['client.client_id']],
    ['a missing secret', withClient({ authentication: 'basic' }), ['client.secret']],
    ['a key that is no JSON', withClient({ authentication: 'private_key_jwt', key: 'x' }), ['client.key']],
    ['a missing cookie', { ...withClient({}), login: 'cookie' as const }, ['cookie']],
    ['a pace that is no number', filled({ requests_per_second: 'fast' }), ['requests_per_second']],
    ['parameters without a value', filled({ parameters: 'audience' }), ['parameters']],
  ])('lays the error at its field: %s', (_, values, paths) => {
    expect(errorsOf(values)).toEqual(paths);
  });
});

describe('what is added', () => {
  it('decides more, and sends more', () => {
    const alone = listNeeds(filled({}));
    const more = listNeeds(withClient({}));
    expect(selectDecidable(CONTROLS, alone).length).toBeGreaterThanOrEqual(12);
    expect(selectDecidable(CONTROLS, more).length - selectDecidable(CONTROLS, alone).length).toBe(
      countUnlocked(CONTROLS, alone, ['client', 'login']),
    );
    expect(sumRequests(CONTROLS, more)).toBeGreaterThan(sumRequests(CONTROLS, alone));
  });
});

describe('what a browser remembers', () => {
  let kept: Map<string, string>;
  beforeEach(() => {
    kept = new Map();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => kept.set(name, text),
    });
    return () => vi.unstubAllGlobals();
  });

  it('is the form of a target, without secrets, keys and cookies', () => {
    const secrets = { authentication: 'post', secret: 'my-secret', key: 'my-key' } as const;
    rememberForm(ISSUER, { ...withClient(secrets), cookie: 'my-cookie' });
    expect([...kept.values()].join()).not.toMatch(/my-/);
    expect(readStoredForm(ISSUER).client).toMatchObject({ ...CLIENT, authentication: 'post' });
  });

  it('is nothing of another target, and nothing that somebody else wrote', () => {
    rememberForm(ISSUER, withClient({}));
    // The command line may have assessed an issuer or a resource there.
    const other = 'https://other.example/mcp';
    expect(readStoredForm(other)).toEqual({ ...EMPTY_VALUES, where: 'url', url: other, issuer: other });
    for (const name of kept.keys()) kept.set(name, '[["lab", {"where": 7}]]');
    expect(readStoredForm('lab')).toEqual(EMPTY_VALUES);
    for (const name of kept.keys()) kept.set(name, 'no JSON');
    expect(readStoredForm('lab')).toEqual({ ...EMPTY_VALUES, where: 'lab' });
  });
});
