import { z } from 'zod';
import { type MemberRole, MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { PoliciesPatch } from '@/lib/contract/policies';
import { RedisUrlError, redisConnection } from '@/lib/counters/redis/redis-url';
import { type AllowedTargets, parseAllowedTarget } from '@/lib/http/allowed-targets';
import { parseRange } from '@/lib/limiter/address';
import { SmtpUrlError, smtpServer } from '@/lib/mail/smtp-url';

/** The environment is invalid; `message` is a sentence that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const EMPTY_IS_UNSET = (value: unknown) => (typeof value === 'string' && value.trim() === '' ? undefined : value);

function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess(EMPTY_IS_UNSET, schema.optional());
}

function withDefault<T extends z.ZodType>(schema: T, value: z.input<T>) {
  return z.preprocess((input) => EMPTY_IS_UNSET(input) ?? value, schema);
}

const onOff = z.enum(['on', 'off'], { error: 'must be "on" or "off"' }).transform((value) => value === 'on');

const DATABASE_PROTOCOLS = ['file:', 'libsql:', 'https:', 'http:', 'wss:', 'ws:'];

const databaseUrl = z.string().refine((value) => {
  if (value.startsWith('file:')) return value.length > 'file:'.length;
  return URL.canParse(value) && DATABASE_PROTOCOLS.includes(new URL(value).protocol);
}, 'must be file:<path>, libsql://, https:// or http://');

const redisUrl = z.string().superRefine((value, context) => {
  try {
    redisConnection(value);
  } catch (error) {
    const message = error instanceof RedisUrlError ? error.message : 'is not a valid Redis address';
    context.addIssue({ code: 'custom', message });
  }
});

const smtpUrl = z.string().superRefine((value, context) => {
  try {
    smtpServer(value);
  } catch (error) {
    const message = error instanceof SmtpUrlError ? error.message : 'is not the address of a mail server';
    context.addIssue({ code: 'custom', message });
  }
});

const sender = z
  .string()
  .trim()
  .max(320)
  .regex(
    /^(?:[^\s@<>,;"]+@[^\s@<>,;"]+|[^\p{Cc}@<>,;"]+ <[^\s@<>,;"]+@[^\s@<>,;"]+>)$/u,
    'must be an e-mail address, or a name and the address in angle brackets',
  );

const trustedProxies = z
  .string()
  .transform((value) => value.split(',').flatMap((part) => part.trim() || []))
  .superRefine((ranges, context) => {
    for (const [index, range] of ranges.entries()) {
      if (parseRange(range) !== null) continue;
      context.addIssue({ code: 'custom', message: `entry ${index + 1} is not an IP address or CIDR range` });
    }
  });

const allowedTargets = z.string().transform((value, context): AllowedTargets => {
  const entries = value.split(',').flatMap((part) => part.trim() || []);
  const parsed = entries.map(parseAllowedTarget);
  for (const [index, target] of parsed.entries()) {
    if (target !== null) continue;
    const message = `entry ${index + 1} is neither an IP address, a CIDR range nor a host name (without scheme, port and path)`;
    context.addIssue({ code: 'custom', message });
  }
  return {
    ranges: parsed.filter((target) => typeof target === 'object' && target !== null),
    hosts: parsed.filter((target) => typeof target === 'string'),
  };
});

const policies = z.string().transform((value, context): PoliciesPatch => {
  const parsed = jsonOf(value);
  if (parsed === undefined) {
    context.addIssue({ code: 'custom', message: 'is not valid JSON' });
    return z.NEVER;
  }
  const result = PoliciesPatch.safeParse(parsed);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    context.addIssue({ code: 'custom', message: `${issue.path.join('.') || 'the document'}: ${issue.message}` });
  }
  return z.NEVER;
});

const origin = z
  .string()
  .refine(
    (value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol),
    'must be an http or https origin',
  )
  .transform((value) => new URL(value))
  .refine(
    (url) => url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '',
    'must be an origin without path, query or credentials',
  )
  .transform((url) => url.origin);

/** Headers that clients send for other purposes, in lower case. */
const RESERVED_HEADERS = ['authorization', 'cookie', 'host', 'x-admin-token', 'x-api-key', 'x-forwarded-for'];

const userHeader = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
  .refine((name) => !RESERVED_HEADERS.includes(name.toLowerCase()), 'must not be a header with another meaning');

const roleMap = z.string().transform((value, context): Readonly<Record<string, MemberRole>> => {
  const result = z.record(z.string().min(1), MemberRoleSchema).safeParse(jsonOf(value));
  if (result.success && Object.keys(result.data).length > 0) return result.data;
  const message = 'must be a JSON object of roles by group, such as {"sre": "operator", "leads": "owner"}';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const otlpProtocol = z.enum(['http/protobuf', 'http/json'], {
  error: 'must be "http/protobuf" or "http/json": gRPC is not supported',
});
const SAMPLERS = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
];

const Environment = z.object({
  PORT: withDefault(z.coerce.number('must be a number').int().min(0).max(65_535), 3000),
  HOSTNAME_BIND: optional(z.string()),
  DATABASE_URL: withDefault(databaseUrl, 'file:./data/sluice.db'),
  DATABASE_AUTH_TOKEN: optional(z.string()),
  REDIS_URL: optional(redisUrl),
  AUTH_SECRET: optional(z.string().min(32, 'must have at least 32 characters')),
  AUTH_SECRET_PREVIOUS: optional(
    z
      .string()
      .refine((value) => value === 'lost' || value.length >= 32, 'must be "lost" or have at least 32 characters'),
  ),
  SLUICE_ADMIN_TOKEN: optional(z.string().min(32, 'must have at least 32 characters').max(512)),
  SLUICE_ADMIN_EMAIL: withDefault(
    z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
      .max(254),
    'admin@localhost',
  ),
  SLUICE_ADMIN_PASSWORD: optional(z.string().min(8, 'must have at least 8 characters').max(1024)),
  SLUICE_TRUSTED_PROXIES: withDefault(trustedProxies, ''),
  SLUICE_UPSTREAM: optional(origin),
  SLUICE_POLICIES: optional(policies),
  SLUICE_IETF_HEADERS: withDefault(onOff, 'off'),
  SLUICE_LAB: withDefault(onOff, 'on'),
  SLUICE_ASSESS_ALLOW: withDefault(allowedTargets, ''),
  SLUICE_DEMO: withDefault(onOff, 'off'),
  SLUICE_DRAIN_SECONDS: withDefault(
    z.coerce.number('must be a number of seconds').min(0, 'must be 0 or more').max(600, 'must be 600 or less'),
    5,
  ),
  SLUICE_PUBLIC_URL: optional(origin),
  SLUICE_SMTP_URL: optional(smtpUrl),
  SLUICE_SMTP_FROM: optional(sender),
  SLUICE_USER_HEADER: optional(userHeader),
  SLUICE_LOG_LEVEL: withDefault(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { error: 'must be a pino level' }),
    'info',
  ),
  OTEL_SDK_DISABLED: withDefault(z.stringbool({ error: 'must be "true" or "false"' }), 'false'),
  OTEL_TRACES_EXPORTER: optional(z.enum(['otlp', 'none'], { error: 'must be "otlp" or "none"' })),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpUrl),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(httpUrl),
  OTEL_EXPORTER_OTLP_PROTOCOL: optional(otlpProtocol),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional(otlpProtocol),
  OTEL_EXPORTER_OTLP_HEADERS: optional(z.string()),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: optional(z.string()),
  OTEL_SERVICE_NAME: optional(z.string()),
  OTEL_RESOURCE_ATTRIBUTES: optional(z.string()),
  OTEL_TRACES_SAMPLER: optional(z.enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` })),
  OTEL_TRACES_SAMPLER_ARG: optional(
    z.coerce.number('must be a number').min(0, 'must be 0 to 1').max(1, 'must be 0 to 1'),
  ),
  GITHUB_CLIENT_ID: optional(z.string()),
  GITHUB_CLIENT_SECRET: optional(z.string()),
  OIDC_ISSUER: optional(z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })),
  OIDC_CLIENT_ID: optional(z.string()),
  OIDC_CLIENT_SECRET: optional(z.string()),
  OIDC_NAME: withDefault(z.string().max(40), 'single sign-on'),
  OIDC_SCOPE: withDefault(
    z
      .string()
      .max(1_000)
      .refine((scope) => scope.split(' ').includes('openid'), 'must have the scope openid among its names'),
    'openid email profile',
  ),
  OIDC_ROLE_CLAIM: optional(z.string().max(200)),
  OIDC_ROLE_MAP: optional(roleMap),
  CRON_SECRET: optional(z.string().min(16, 'must have at least 16 characters')),
  VERCEL: withDefault(
    z.string().transform((value) => value === '1'),
    '',
  ),
});

const SECRETS = [
  'AUTH_SECRET',
  'AUTH_SECRET_PREVIOUS',
  'CRON_SECRET',
  'DATABASE_AUTH_TOKEN',
  'GITHUB_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET',
  'SLUICE_ADMIN_PASSWORD',
  'SLUICE_ADMIN_TOKEN',
] as const;

const URLS_WITH_PASSWORDS = ['DATABASE_URL', 'REDIS_URL', 'SLUICE_SMTP_URL'] as const;

/** They hold the credentials for the collector. */
const OTLP_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;

/** The names of all variables that are read. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** The configuration of the process. Every variable is documented in `.env.example`. */
export interface Config extends z.output<typeof Environment> {
  /** Made by `server.mjs`; undefined without it. */
  readonly peerNonce?: string | undefined;
  /** Of the product: its migrations and recipes are there. The database and the .env files are in the working directory. */
  readonly directory: string;
}

const PAIRS = [
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_SECRET'],
  ['SLUICE_SMTP_URL', 'SLUICE_SMTP_FROM'],
] as const;

/** Variables that are nothing without another one. */
const NEEDS = [
  ['OIDC_ROLE_CLAIM', 'OIDC_ISSUER'],
  ['OIDC_ROLE_MAP', 'OIDC_ROLE_CLAIM'],
] as const;

/**
 * Reads the environment once.
 * @throws ConfigError with one sentence for each variable that is wrong; values are never repeated in it
 */
export function parseConfig(
  environment: Record<string, string | undefined>,
  peerNonce?: string,
  directory = process.cwd(),
): Config {
  const result = Environment.safeParse(environment);
  if (!result.success) {
    const sentences = result.error.issues.map((issue) => {
      const [variable, ...rest] = issue.path;
      return `${String(variable)} ${rest.length > 0 ? `(${rest.join('.')}) ` : ''}${issue.message}.`;
    });
    throw new ConfigError(sentences.join('\n'));
  }
  const config = { ...result.data, peerNonce, directory };
  for (const pair of PAIRS) {
    const given = pair.find((name) => config[name] !== undefined);
    const missing = pair.find((name) => config[name] === undefined);
    if (given !== undefined && missing !== undefined) throw new ConfigError(`${missing} is missing: ${given} is set.`);
  }
  for (const [name, needed] of NEEDS) {
    if (config[name] !== undefined && config[needed] === undefined)
      throw new ConfigError(`${needed} is missing: ${name} is set.`);
  }
  if (!isEmbedded(config) && config.AUTH_SECRET === undefined)
    throw new ConfigError(
      'AUTH_SECRET is missing: DATABASE_URL names a server, so there is no place to keep a generated one.',
    );
  return config;
}

/** How traces are sent, or null where they are off: standard variables of OpenTelemetry, of which the SDK reads the rest. */
export function tracingProtocol(config: Config): 'http/protobuf' | 'http/json' | null {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER: exporter } = config;
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (OTEL_SDK_DISABLED || exporter === 'none' || (exporter === undefined && endpoint === undefined)) return null;
  return config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf';
}

/** Variables with our prefix that other programs read: the command line, the gateways' recipes. */
const OF_OTHERS = /^SLUICE_(URL|TOKEN|API_KEY|SOCKET|FROM_REDIS_URL|TEST_\w+)$/;

/** The variables with our prefix that nothing reads (misspelt, or of another version), with those probably meant. */
export function unknownVariables(environment: Record<string, string | undefined>) {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('SLUICE_') && !VARIABLES.includes(name) && !OF_OTHERS.test(name),
  );
  return unknown.sort().map((name) => ({ name, meant: nearest(name) }));
}

/** The nearest known variable within an edit distance of three. */
function nearest(name: string): string | null {
  const distances = VARIABLES.map((variable) => ({ variable, distance: editDistance(name, variable) }));
  const near = distances.filter(({ distance }) => distance <= 3).sort((a, b) => a.distance - b.distance);
  return near[0]?.variable ?? null;
}

/** Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const letter of from) {
    let diagonal = row[0] ?? 0;
    const next = [diagonal + 1];
    for (const [index, other] of [...to].entries()) {
      const above = row[index + 1] ?? 0;
      next.push(Math.min(above + 1, (next[index] ?? 0) + 1, diagonal + (letter === other ? 0 : 1)));
      diagonal = above;
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Whether the database is a file of this machine, opened by this process. */
export function isEmbedded(config: Pick<Config, 'DATABASE_URL'>): boolean {
  return config.DATABASE_URL.startsWith('file:');
}

/** The secrets in the configuration, passwords in URLs included: no log may hold them. */
export function secretsOf(
  config: Partial<
    Record<(typeof SECRETS)[number] | (typeof URLS_WITH_PASSWORDS)[number] | (typeof OTLP_HEADERS)[number], string>
  >,
): string[] {
  const passwords = URLS_WITH_PASSWORDS.map((name) => passwordOf(config[name]));
  const headers = OTLP_HEADERS.flatMap((name) => headerValues(config[name] ?? ''));
  // A word, in place of a secret that nobody has.
  const secrets = SECRETS.map((name) => config[name]).filter((secret) => secret !== 'lost');
  return [...secrets, ...passwords, ...headers].flatMap((secret) => secret || []);
}

/** @param pairs as the SDK reads them: `authorization=Bearer%20...,other=...`; without the scheme, which is no secret */
function headerValues(pairs: string): string[] {
  return pairs.split(',').map((pair) => decoded(pair.slice(pair.indexOf('=') + 1)).replace(/^\s*\w+\s+/, ''));
}

function passwordOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return decoded(new URL(url).password);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
