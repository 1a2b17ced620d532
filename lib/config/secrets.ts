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
