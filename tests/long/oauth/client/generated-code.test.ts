import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_KEY } from '@/lib/contract/lab-demo-key';
import type { ClientStep } from '@/lib/oauth/client/client-step';
import { type CodeInput, listVariables } from '@/lib/oauth/client/code/code-values';
import { formatCurlCode } from '@/lib/oauth/client/code/curl';
import { formatFetchCode } from '@/lib/oauth/client/code/fetch';
import { formatOpenidClientCode } from '@/lib/oauth/client/code/openid-client';
import { ClientEnvironment } from '@/lib/oauth/client/environment';
import { type ClientFlow, EMPTY_FLOW, NO_EDITS, planRequest, type RequestEdits } from '@/lib/oauth/client/plan-request';
import { listDiscoveryAddresses, readServerMetadata, type ServerMetadata } from '@/lib/oauth/client/server-metadata';
import { generateProofKey, type ProofKey } from '@/lib/oauth/client/sign';
import { startFlow } from '@/lib/oauth/client/start-flow';
import { buildWireRequest } from '@/lib/oauth/client/wire-request';
import { type LabServer, labServer } from '@/tests/fixtures/lab-server';
import { type OidcServer, oidcServer, REDIRECT_URI } from '@/tests/fixtures/oidc-server';
import { partsAreMissing } from '@/tests/fixtures/programs';

const run = promisify(execFile);
const SECRET = "it's a $ecret: 100 % & more";
const grants = {
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  scope: 'openid profile offline_access read',
};

/** A server that the code is run against. */
interface CodeServer {
  metadata: ServerMetadata;
  /** Headers of somebody who has signed in and agreed. */
  person: Record<string, string>;
}

let server: OidcServer;
let lab: LabServer;
let provider: CodeServer;
let labProvider: CodeServer;
let proofKey: ProofKey;
let clientKey: string;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const identity = { kid: 'client-key', alg: 'RS256', use: 'sig' };
  clientKey = JSON.stringify({ ...(await exportJWK(privateKey)), ...identity });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), ...identity }] };
  server = await oidcServer({
    consent: 'first-party',
    everyGrant: true,
    clients: [
      { client_id: 'with basic', client_secret: SECRET, token_endpoint_auth_method: 'client_secret_basic', ...grants },
      { client_id: 'with-post', client_secret: SECRET, token_endpoint_auth_method: 'client_secret_post', ...grants },
      { client_id: 'with-key', jwks, token_endpoint_auth_method: 'private_key_jwt', ...grants },
    ],
  });
  lab = await labServer();
  provider = { metadata: await metadataOf(server.issuer), person: { cookie: await server.signIn() } };
  labProvider = { metadata: await metadataOf(lab.origin), person: { 'sluice-lab-controls': 'user-consent=?0' } };
  proofKey = await generateProofKey();
});
afterAll(() => Promise.all([server[Symbol.asyncDispose](), lab[Symbol.asyncDispose]()]));

async function metadataOf(issuer: string): Promise<ServerMetadata> {
  const [address = ''] = listDiscoveryAddresses(issuer);
  return readServerMetadata(await (await fetch(address)).text(), issuer).metadata!;
}

const GENERATORS = { curl: formatCurlCode, fetch: formatFetchCode, 'openid-client': formatOpenidClientCode };
type Language = keyof typeof GENERATORS;

/** A client and where it is in its flow. */
class Runner {
  flow: ClientFlow = EMPTY_FLOW;
  constructor(
    readonly language: Language,
    readonly at: CodeServer,
    readonly environment: ClientEnvironment,
  ) {}

  /** Runs the code of a step as a person would who pastes it, its secrets in environment variables. */
  async step(step: ClientStep, edits: RequestEdits = NO_EDITS): Promise<string> {
    const { environment, flow } = this;
    const { metadata } = this.at;
    const planned = planRequest(step, { environment, metadata, flow, thumbprint: proofKey.thumbprint, edits });
    const input: CodeInput = {
      planned,
      environment,
      metadata,
      flow,
      proofKey: JSON.stringify(proofKey.jwk),
      showSecrets: false,
    };
    const code = GENERATORS[this.language](input);
    const about = planned.parameters.find(([name]) => name === 'token')?.[1] ?? '';
    const values: Record<string, string> = {
      CODE: flow.code,
      CODE_VERIFIER: flow.codeVerifier,
      ACCESS_TOKEN: flow.accessToken,
      REFRESH_TOKEN: flow.refreshToken,
      TOKEN: about,
      // Basic credentials are form-encoded by whoever writes them by hand.
      CLIENT_SECRET:
        environment.authentication === 'basic' && this.language !== 'openid-client'
          ? new URLSearchParams({ '': environment.secret }).toString().slice(1)
          : environment.secret,
      CLIENT_KEY: environment.key,
      DPOP_KEY: input.proofKey,
    };
    for (const name of ['CODE', 'CODE_VERIFIER', 'ACCESS_TOKEN', 'REFRESH_TOKEN', 'DPOP_KEY'] as const) {
      if (values[name] !== '') expect(code).not.toContain(values[name]);
    }
    const set = listVariables(code).filter((name) => name in values);
    const env: NodeJS.ProcessEnv = {
      NODE_ENV: 'test',
      PATH: process.env.PATH,
      ...Object.fromEntries(set.map((name) => [name, values[name] ?? ''])),
    };
    const [command, args] =
      this.language === 'curl' ? ['sh', ['-ec', code]] : ['node', ['--input-type=module', '-e', code]];
    const { stdout } = await run(command as string, args as string[], { env, timeout: 240_000 });
    return stdout;
  }

  /** Follows the address that the code prints, as somebody who has signed in. */
  async authorize(): Promise<void> {
    this.flow = (await startFlow())!;
    const printed = await this.step('authorize');
    const { environment, flow } = this;
    const planned = planRequest('authorize', {
      ...{ environment, flow, edits: NO_EDITS },
      ...{ metadata: this.at.metadata, thumbprint: proofKey.thumbprint },
    });
    const { url } = buildWireRequest(planned);
    if (this.language === 'curl') expect(printed).toMatch(/^HTTP\/1\.1 (?:200|303)/);
    else
      expect(Object.fromEntries(new URL(printed.trim()).searchParams)).toEqual(
        Object.fromEntries(new URL(url).searchParams),
      );
    let next = url;
    const { cookie = '', ...headers } = this.at.person;
    let jar = cookie;
    for (let hop = 0; hop < 6 && !next.startsWith(REDIRECT_URI); hop++) {
      const answer = await fetch(next, { redirect: 'manual', headers: { ...headers, cookie: jar } });
      jar = [jar, ...answer.headers.getSetCookie().map((set) => set.split(';')[0])].join('; ');
      next = new URL(answer.headers.get('location') ?? '', next).href;
    }
    this.flow = { ...this.flow, code: new URL(next).searchParams.get('code') ?? '' };
    expect(this.flow.code).not.toBe('');
  }

  learn(output: string): void {
    const find = (name: string) => output.match(new RegExp(`${name}"?: ?["']([^"']+)["']`))?.[1] ?? '';
    this.flow = {
      ...this.flow,
      accessToken: find('access_token'),
      refreshToken: find('refresh_token') || this.flow.refreshToken,
      idToken: find('id_token') || this.flow.idToken,
      tokenType: /token_type"?: ?["']dpop/i.test(output) ? 'DPoP' : 'Bearer',
    };
    expect(this.flow.accessToken, output).not.toBe('');
  }
}

function environmentOf(fields: Partial<ClientEnvironment>): ClientEnvironment {
  const scope = 'openid profile offline_access read';
  return ClientEnvironment.parse({ issuer: server.issuer, redirect_uri: REDIRECT_URI, scope, ...fields });
}

const languages = (Object.keys(GENERATORS) as Language[]).filter(
  (language) => language !== 'curl' || !partsAreMissing('the curl commands of the client', 'curl'),
);

describe.each(languages)('generated %s code', (language) => {
  it('completes the flow of a public client with DPoP', async () => {
    const runner = new Runner(
      language,
      provider,
      environmentOf({
        client_id: 'main',
        dpop: true,
        resource_url: server.resource,
        parameters: { resource: server.resource },
      }),
    );
    await runner.authorize();
    runner.learn(await runner.step('token'));
    expect(runner.flow.tokenType).toBe('DPoP');
    expect(await runner.step('userinfo')).toContain('A person');
    runner.learn(await runner.step('refresh', { parameters: { resource: server.resource } }));
    expect(await runner.step('resource')).toContain('"sub":"someone"');
    await runner.step('revoke');
    const afterwards = await runner.step('refresh').catch((error: Error) => error.message);
    expect(afterwards).toContain('invalid_grant');
  });

  it.each([
    ['with basic', 'basic'],
    ['with-post', 'post'],
    ['with-key', 'private_key_jwt'],
  ] as const)('authenticates the client %s', async (client_id, authentication) => {
    const credentials = authentication === 'private_key_jwt' ? { key: clientKey } : { secret: SECRET };
    const runner = new Runner(language, provider, environmentOf({ client_id, authentication, ...credentials }));
    runner.flow = (await startFlow())!;
    expect(decodeURIComponent(await runner.step('par'))).toContain('urn:ietf:params:oauth:request_uri:');
    runner.learn(await runner.step('client_credentials'));
    expect(await runner.step('introspect')).toMatch(/active"?: ?true/);
    await runner.step('revoke');
  });

  it.each([
    ['demo-client', 'none', {}],
    ['demo-confidential', 'basic', { secret: 'demo-secret' }],
    ['demo-confidential', 'post', { secret: 'demo-secret' }],
    ['demo-key', 'private_key_jwt', { key: JSON.stringify(DEMO_KEY) }],
  ] as const)(
    'takes the client %s of the lab (%s) through the flow, with PAR and DPoP',
    async (client_id, authentication, credentials) => {
      const runner = new Runner(
        language,
        labProvider,
        ClientEnvironment.parse({
          ...{ issuer: lab.origin, redirect_uri: REDIRECT_URI, scope: 'openid profile offline_access' },
          ...{ resource_url: `${lab.origin}/api/data`, dpop: true, client_id, authentication, ...credentials },
        }),
      );
      await runner.authorize();
      expect(decodeURIComponent(await runner.step('par'))).toContain('urn:ietf:params:oauth:request_uri:');
      runner.learn(await runner.step('token'));
      expect(runner.flow.tokenType).toBe('DPoP');
      expect(await runner.step('userinfo')).toContain('demo@example.com');
      expect(await runner.step('resource')).toContain('demo@example.com');
      runner.learn(await runner.step('refresh'));
      if (authentication !== 'none') expect(await runner.step('introspect')).toMatch(/active"?: ?true/);
      await runner.step('revoke');
      const afterwards = await runner.step('refresh').catch((error: Error) => error.message);
      expect(afterwards).toContain('invalid_grant');
    },
  );
});
