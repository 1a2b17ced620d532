import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigError, chooseTracingProtocol, parseConfig, VARIABLES } from '@/lib/config/config';
import { listSecrets } from '@/lib/config/secrets';
import { listUnknownVariables } from '@/lib/config/unknown-variables';
import { refusedBy } from '../../fixtures/refused-by';

const failure = (environment: Record<string, string>) =>
  refusedBy(ConfigError, () => parseConfig(environment))?.message ?? '';

describe('the configuration', () => {
  it('of an empty environment is complete', () => {
    expect(parseConfig({})).toMatchObject({
      PORT: 3000,
      DATABASE_URL: 'file:./data/sluice.db',
      SLUICE_ADMIN_EMAIL: 'admin@localhost',
      SLUICE_TRUSTED_PROXIES: [],
      SLUICE_IETF_HEADERS: false,
      SLUICE_LAB: true,
    });
  });

  it('takes an empty value as none', () => {
    expect(parseConfig({ PORT: '', REDIS_URL: ' ', SLUICE_ADMIN_TOKEN: '' })).toMatchObject({
      PORT: 3000,
      REDIS_URL: undefined,
    });
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', '70000'],
    ['DATABASE_URL', 'postgres://localhost/x'],
    ['DATABASE_URL', 'file:'],
    ['REDIS_URL', 'http://localhost'],
    ['AUTH_SECRET', 'short'],
    ['SLUICE_ADMIN_TOKEN', 'short'],
    ['SLUICE_ADMIN_EMAIL', 'nobody'],
    ['SLUICE_ADMIN_PASSWORD', 'short'],
    ['SLUICE_TRUSTED_PROXIES', '10.0.0.0/8, 10.0.0.0/33'],
    ['SLUICE_TRUSTED_PROXIES', 'true'],
    ['SLUICE_UPSTREAM', 'localhost:8080'],
    ['SLUICE_UPSTREAM', 'http://localhost:8080/path'],
    ['SLUICE_POLICIES', '{'],
    ['SLUICE_POLICIES', '{"classes":{"read":{"ip":{"limit":-1}}}}'],
    ['SLUICE_POLICIES', '{"classes":{"reed":{}}}'],
    ['SLUICE_POLICIES', '{"tiers":{"free":"many"}}'],
    ['SLUICE_IETF_HEADERS', 'yes'],
    ['SLUICE_LAB', '1'],
    ['SLUICE_LOG_LEVEL', 'loud'],
    ['OIDC_ISSUER', 'id.example.com'],
    ['SLUICE_DRAIN_SECONDS', '-1'],
    ['SLUICE_DRAIN_SECONDS', '601'],
    ['SLUICE_DRAIN_SECONDS', 'five'],
    ['SLUICE_SMTP_URL', 'mail.example.com:587'],
    ['SLUICE_SMTP_URL', 'https://mail.example.com'],
    ['SLUICE_SMTP_URL', 'smtp://user@mail.example.com'],
    ['SLUICE_SMTP_URL', 'smtp://mail.example.com?secure=yes'],
    ['SLUICE_SMTP_FROM', 'Sluice'],
    ['SLUICE_SMTP_FROM', 'a@example.com\r\nBcc: b@example.com'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('names %s when it is %j, without repeating the value', (variable, value) => {
    const message = failure({ [variable]: value });
    expect(message).toContain(variable);
    if (value.length > 6) expect(message).not.toContain(value);
  });

  it('wants both halves of a provider', () => {
    expect(failure({ GITHUB_CLIENT_ID: 'x' })).toContain('GITHUB_CLIENT_SECRET');
    expect(failure({ OIDC_CLIENT_ID: 'x' })).toContain('OIDC_ISSUER');
  });

  it('wants an address to send mail from, and hides the password of the mail server', () => {
    const SLUICE_SMTP_URL = 'smtp://ops%40example.com:a%2Fsecret@mail.example.com';
    expect(failure({ SLUICE_SMTP_URL })).toBe('SLUICE_SMTP_FROM is missing: SLUICE_SMTP_URL is set.');
    expect(failure({ SLUICE_SMTP_FROM: 'Sluice <a@example.com>' })).toContain('SLUICE_SMTP_URL is missing');
    expect(listSecrets({ SLUICE_SMTP_URL })).toEqual(['a/secret']);
  });

  it('takes the drain in whole seconds and in parts of one', () => {
    expect(parseConfig({}).SLUICE_DRAIN_SECONDS).toBe(5);
    expect(parseConfig({ SLUICE_DRAIN_SECONDS: '0' }).SLUICE_DRAIN_SECONDS).toBe(0);
    expect(parseConfig({ SLUICE_DRAIN_SECONDS: '0.5' }).SLUICE_DRAIN_SECONDS).toBe(0.5);
  });

  it('wants a secret where there is no file to keep one beside', () => {
    expect(failure({ DATABASE_URL: 'libsql://db.example.com' })).toContain('AUTH_SECRET is missing');
    expect(failure({ DATABASE_URL: 'libsql://db.example.com', AUTH_SECRET: 's'.repeat(32) })).toBe('');
  });

  it('knows names that nothing reads, and what was probably meant', () => {
    const environment = {
      SLUICE_UPSTREM: 'http://localhost:8080',
      SLUICE_TRUSTED_PROXY: '127.0.0.1',
      SLUICE_BANANAS: '3',
      SLUICE_LAB: 'on',
      SLUICE_TOKEN: 'of a gateway',
      SLUICE_TEST_REQUIRE_ALL: '1',
      HOME: '/root',
    };
    expect(listUnknownVariables(environment)).toEqual([
      { name: 'SLUICE_BANANAS', meant: null },
      { name: 'SLUICE_TRUSTED_PROXY', meant: 'SLUICE_TRUSTED_PROXIES' },
      { name: 'SLUICE_UPSTREM', meant: 'SLUICE_UPSTREAM' },
    ]);
  });

  it('is documented whole in .env.example', () => {
    const documented = new Set(
      [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]),
    );
    expect(documented).toEqual(new Set(VARIABLES));
  });
});

describe('traces', () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const protocol = (environment: Record<string, string>) => chooseTracingProtocol(parseConfig(environment));

  it.each([
    [{}, null],
    [ENDPOINT, 'http/protobuf'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, 'http/protobuf'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http/protobuf'],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, null],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, null],
  ])('with %j are sent by %s', (environment, expected) => {
    expect(protocol(environment)).toBe(expected);
  });

  it('keep the credentials for their collector out of the log', () => {
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20a-secret-of-ours==,api-key=another=secret';
    expect(listSecrets({ OTEL_EXPORTER_OTLP_HEADERS })).toEqual(['a-secret-of-ours==', 'another=secret']);
  });
});
