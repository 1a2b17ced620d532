const SECRETS = [
  'AUTH_SECRET',
  'AUTH_SECRET_PREVIOUS',
  'CRON_SECRET',
  'DATABASE_AUTH_TOKEN',
  'KV_REST_API_TOKEN',
  'TURSO_AUTH_TOKEN',
  'UPSTASH_REDIS_REST_TOKEN',
  'GITHUB_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET',
  'SLUICE_ADMIN_PASSWORD',
  'SLUICE_ADMIN_TOKEN',
] as const;

const URLS_WITH_PASSWORDS = ['DATABASE_URL', 'REDIS_URL', 'SLUICE_SMTP_URL'] as const;

/** Variables that hold the credentials for the collector. */
const OTLP_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;

/** Lists the secrets in the configuration, including passwords in URLs. No log may contain them. */
export function listSecrets(
  config: Partial<
    Record<(typeof SECRETS)[number] | (typeof URLS_WITH_PASSWORDS)[number] | (typeof OTLP_HEADERS)[number], string>
  >,
): string[] {
  const passwords = URLS_WITH_PASSWORDS.map((name) => readPassword(config[name]));
  const headers = OTLP_HEADERS.flatMap((name) => parseHeaderValues(config[name] ?? ''));
  // `lost` is a keyword in place of a lost secret.
  const secrets = SECRETS.map((name) => config[name]).filter((secret) => secret !== 'lost');
  return [...secrets, ...passwords, ...headers].flatMap((secret) => secret || []);
}

/**
 * Returns the values of headers, without the scheme, which is no secret. @param pairs in the SDK's form:
 * `authorization=Bearer%20...,other=...`
 */
function parseHeaderValues(pairs: string): string[] {
  return pairs.split(',').map((pair) => decodePassword(pair.slice(pair.indexOf('=') + 1)).replace(/^\s*\w+\s+/, ''));
}

function readPassword(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return decodePassword(new URL(url).password);
}

function decodePassword(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
