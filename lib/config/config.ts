import { z } from 'zod';
import { resolveStores } from '@/lib/config/resolve-stores';
import {
  addDefault,
  allowedTargets,
  bearerToken,
  databaseUrl,
  httpUrl,
  onOff,
  optional,
  origin,
  otlpProtocol,
  policies,
  redisUrl,
  restUrl,
  roleMap,
  SAMPLERS,
  sender,
  smtpUrl,
  trustedProxies,
  userHeader,
} from '@/lib/config/values';

/** The environment is invalid. `message` is a sentence that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const Environment = z.object({
  PORT: addDefault(z.coerce.number('must be a number').int().min(0).max(65_535), 3000),
  HOSTNAME_BIND: optional(z.string()),
  DATABASE_URL: optional(databaseUrl),
  DATABASE_AUTH_TOKEN: optional(z.string()),
  TURSO_DATABASE_URL: optional(databaseUrl),
  TURSO_AUTH_TOKEN: optional(z.string()),
  REDIS_URL: optional(redisUrl),
  UPSTASH_REDIS_REST_URL: optional(restUrl),
  UPSTASH_REDIS_REST_TOKEN: optional(bearerToken),
  KV_REST_API_URL: optional(restUrl),
  KV_REST_API_TOKEN: optional(bearerToken),
  AUTH_SECRET: optional(z.string().min(32, 'must have at least 32 characters')),
  AUTH_SECRET_PREVIOUS: optional(
    z
      .string()
      .refine((value) => value === 'lost' || value.length >= 32, 'must be "lost" or have at least 32 characters'),
  ),
  SLUICE_ADMIN_TOKEN: optional(z.string().min(32, 'must have at least 32 characters').max(512)),
  SLUICE_ADMIN_EMAIL: addDefault(
    z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
      .max(254),
    'admin@localhost',
  ),
  // Creates the first owner only, and is checked then: an older installation may keep a shorter one, unused.
  SLUICE_ADMIN_PASSWORD: optional(z.string().min(8, 'must have at least 8 characters').max(1024)),
  SLUICE_TRUSTED_PROXIES: addDefault(trustedProxies, ''),
  SLUICE_UPSTREAM: optional(origin),
  SLUICE_POLICIES: optional(policies),
  SLUICE_IETF_HEADERS: addDefault(onOff, 'off'),
  SLUICE_LAB: addDefault(onOff, 'on'),
  SLUICE_ASSESS_ALLOW: addDefault(allowedTargets, ''),
  SLUICE_DEMO: addDefault(onOff, 'off'),
  SLUICE_DRAIN_SECONDS: addDefault(
    z.coerce.number('must be a number of seconds').min(0, 'must be 0 or more').max(600, 'must be 600 or less'),
    5,
  ),
  SLUICE_PUBLIC_URL: optional(origin),
  SLUICE_SMTP_URL: optional(smtpUrl),
  SLUICE_SMTP_FROM: optional(sender),
  SLUICE_USER_HEADER: optional(userHeader),
  SLUICE_LOG_LEVEL: addDefault(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { error: 'must be a pino level' }),
    'info',
  ),
  OTEL_SDK_DISABLED: addDefault(z.stringbool({ error: 'must be "true" or "false"' }), 'false'),
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
  OIDC_NAME: addDefault(z.string().max(40), 'single sign-on'),
  OIDC_SCOPE: addDefault(
    z
      .string()
      .max(1_000)
      .refine((scope) => scope.split(' ').includes('openid'), 'must have the scope openid among its names'),
    'openid email profile',
  ),
  OIDC_ROLE_CLAIM: optional(z.string().max(200)),
  OIDC_ROLE_MAP: optional(roleMap),
  CRON_SECRET: optional(z.string().min(16, 'must have at least 16 characters')),
  VERCEL: addDefault(
    z.string().transform((value) => value === '1'),
    '',
  ),
});

/** Names of all variables that are read. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** Configuration of the process. `.env.example` documents every variable. */
export interface Config extends z.output<typeof Environment> {
  readonly DATABASE_URL: string;
  /** Set by `server.mjs`. Undefined without it. */
  readonly peerNonce?: string | undefined;
  /**
   * Directory of the product, with its migrations and recipes. The database and the .env files are in the working
   * directory.
   */
  readonly directory: string;
}

const PAIRS = [
  ['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN'],
  ['KV_REST_API_URL', 'KV_REST_API_TOKEN'],
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_SECRET'],
  ['SLUICE_SMTP_URL', 'SLUICE_SMTP_FROM'],
] as const;

/** Pairs of variables that are set together. */
const NEEDS = [
  ['OIDC_ROLE_CLAIM', 'OIDC_ISSUER'],
  ['OIDC_ROLE_MAP', 'OIDC_ROLE_CLAIM'],
] as const;

/**
 * Reads the environment once.
 * @throws ConfigError with one sentence for each wrong variable; it never repeats values
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
  const { data } = result;
  for (const pair of PAIRS) {
    const present = pair.find((name) => data[name] !== undefined);
    const missing = pair.find((name) => data[name] === undefined);
    if (present !== undefined && missing !== undefined)
      throw new ConfigError(`${missing} is missing: ${present} is set.`);
  }
  for (const [name, needed] of NEEDS) {
    if (data[name] !== undefined && data[needed] === undefined)
      throw new ConfigError(`${needed} is missing: ${name} is set.`);
  }
  const config = { ...data, ...resolveStores(data), peerNonce, directory };
  if (data.TURSO_AUTH_TOKEN !== undefined && data.TURSO_DATABASE_URL === undefined && data.DATABASE_URL === undefined)
    throw new ConfigError('TURSO_DATABASE_URL is missing: TURSO_AUTH_TOKEN is set.');
  if (!isEmbedded(config) && config.AUTH_SECRET === undefined)
    throw new ConfigError(
      'AUTH_SECRET is missing: DATABASE_URL names a server, so there is no place to keep a generated one.',
    );
  return config;
}

/**
 * Returns the protocol of traces, or null if they are off. It reads standard variables of OpenTelemetry. The SDK reads
 * the rest of them.
 */
export function chooseTracingProtocol(config: Config): 'http/protobuf' | 'http/json' | null {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER: exporter } = config;
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (OTEL_SDK_DISABLED || exporter === 'none' || (exporter === undefined && endpoint === undefined)) return null;
  return config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf';
}

/** Returns whether the database is a file of this machine, opened by this process. */
export function isEmbedded(config: Pick<Config, 'DATABASE_URL'>): boolean {
  return config.DATABASE_URL.startsWith('file:');
}
