import { z } from 'zod';
import { formatSentence } from '@/components/form/format-sentence';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { ASSESSED_AUTHENTICATIONS, CERTIFICATE_AUTHENTICATIONS } from '@/lib/contract/client-authentications';
import { FAPI_REQUIREMENTS, SWITCHES } from '@/lib/contract/lab-switches';

/** Endpoints that can be entered manually: metadata names (RFC 8414 section 2) with labels. */
export const ENDPOINTS = {
  authorization_endpoint: 'Authorization endpoint',
  token_endpoint: 'Token endpoint',
  jwks_uri: 'JWKS',
  introspection_endpoint: 'Introspection endpoint',
  revocation_endpoint: 'Revocation endpoint',
  pushed_authorization_request_endpoint: 'PAR endpoint',
  userinfo_endpoint: 'Userinfo endpoint',
} as const;
export const ENDPOINT_NAMES = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'introspection_endpoint',
  'revocation_endpoint',
  'pushed_authorization_request_endpoint',
  'userinfo_endpoint',
] as const satisfies (keyof typeof ENDPOINTS)[];

const text = z.string().catch('');

const createClientSchema = (authentication: (typeof ASSESSED_AUTHENTICATIONS)[number]) => {
  const fields = z.object({
    client_id: text,
    redirect_uri: text,
    post_logout_redirect_uri: text,
    authentication: z.enum(ASSESSED_AUTHENTICATIONS).catch(authentication),
    secret: text,
    /** Private JWK as JSON, or PEM for a certificate. */
    key: text,
    /** PEM. */
    certificate: text,
    bound_tokens: z.enum(['unknown', 'yes', 'no']).catch('unknown'),
  });
  return fields.catch(() => fields.parse({}));
};

/** Optional parts of a server that the form can add. */
const PARTS = ['client', 'other_client', 'resource', 'native_client'] as const;
export type Part = (typeof PARTS)[number];

const added = z.object({
  client: z.boolean(),
  other_client: z.boolean(),
  resource: z.boolean(),
  native_client: z.boolean(),
});
const endpoints = z.record(z.enum(ENDPOINT_NAMES), text);

/**
 * Form values. Names equal those of `ServerTargetInput`, so that errors find their fields. It parses any input: missing
 * or invalid values become those of an empty form.
 */
export const AssessmentValues = z.object({
  /** `url`: any address, whose kind Sluice finds, and at which it registers clients. */
  where: z.enum(['url', 'issuer', 'resource_url', 'endpoints', 'lab']).catch('url'),
  name: text,
  off: z.array(z.enum(SWITCHES)).catch([]),
  requirements: z.array(z.enum(FAPI_REQUIREMENTS)).catch([]),
  url: text,
  issuer: text,
  resource_url: text,
  endpoints: endpoints.catch(
    () => Object.fromEntries(ENDPOINT_NAMES.map((name) => [name, ''])) as z.output<typeof endpoints>,
  ),
  added: added.catch({ client: false, other_client: false, resource: false, native_client: false }),
  client: createClientSchema('none'),
  other_client: createClientSchema('basic'),
  native_client: createClientSchema('none'),
  several_redirect_uris: z.enum(['unknown', 'yes', 'no']).catch('unknown'),
  resource: z.object({ url: text, scope: text }).catch({ url: '', scope: '' }),
  login: z.enum(['browser', 'cookie', 'none']).catch('browser'),
  cookie: text,
  scope: z.string().catch('openid'),
  /** Lines of `name=value`. */
  parameters: text,
  requests_per_second: text,
  patience_seconds: text,
});
export type AssessmentValues = z.output<typeof AssessmentValues>;
export type ClientValues = AssessmentValues['client'];

export const EMPTY_VALUES: AssessmentValues = AssessmentValues.parse({});

/** Removes what must not be stored: secrets, private keys, the cookie. */
export function removeSecrets(values: AssessmentValues): AssessmentValues {
  const open = (client: ClientValues): ClientValues => ({ ...client, secret: '', key: '', certificate: '' });
  const { client, other_client, native_client } = values;
  return {
    ...values,
    client: open(client),
    other_client: open(other_client),
    native_client: open(native_client),
    cookie: '',
  };
}

export type FieldErrors = { path: string; message: string }[];

/** Converts the form for the API, or returns its errors by field. @param redirectUri that of registered clients */
export function buildServer(
  values: AssessmentValues,
  redirectUri: string,
): { server: z.input<typeof ServerTargetInput> } | { errors: FieldErrors } {
  const errors: FieldErrors = [];
  const server = draftServer(values, redirectUri, errors);
  const parsed = ServerTargetInput.safeParse(server);
  for (const { path, code, message } of parsed.error?.issues ?? []) {
    const field = path.join('.');
    const missing =
      code === 'invalid_type' ||
      code === 'too_small' ||
      (code === 'custom' && (field === 'issuer' || message.startsWith('is required'))) ||
      (field === 'resource.url' && server.resource?.url === '');
    const place = findField(field, values);
    // Only the first error of a field is kept; it says what to do.
    if (errors.some((error) => error.path === place)) continue;
    errors.push({ path: place, message: missing ? 'Required.' : formatSentence(message) });
  }
  return errors.length > 0 || !parsed.success ? { errors } : { server };
}

/** Maps an API path to a form field. If the issuer is missing, `where` decides which address field is meant. */
export function findField(path: string, { where }: AssessmentValues): string {
  if (path === 'issuer' && where !== 'issuer')
    return where === 'endpoints' ? 'endpoints.authorization_endpoint' : where;
  // Maps members of a value that is typed as one text to its field.
  return path.replace(/^(parameters|\w+\.key)\..*/, '$1');
}

const omitEmpty = (text: string) => text.trim() || undefined;

function draftServer(
  values: AssessmentValues,
  redirectUri: string,
  errors: FieldErrors,
): z.input<typeof ServerTargetInput> {
  const { where, added, login } = values;
  const endpoints = ENDPOINT_NAMES.flatMap((name) => {
    const address = omitEmpty(values.endpoints[name]);
    return address === undefined ? [] : [[name, address]];
  });
  const readNumber = (name: 'requests_per_second' | 'patience_seconds') => {
    const text = omitEmpty(values[name]);
    if (text !== undefined && !Number.isFinite(Number(text))) errors.push({ path: name, message: 'Enter a number.' });
    return text === undefined || !Number.isFinite(Number(text)) ? undefined : Number(text);
  };
  const always = {
    parameters: parseParameters(values.parameters, errors),
    requests_per_second: readNumber('requests_per_second'),
    patience_seconds: readNumber('patience_seconds'),
  };
  if (where === 'url') {
    return { ...always, url: omitEmpty(values.url), register: { redirect_uri: redirectUri }, login: 'browser' };
  }
  const signsIn = added.client ? login : 'none';
  return {
    ...always,
    issuer: where === 'resource_url' ? undefined : omitEmpty(values.issuer),
    resource_url: where === 'resource_url' ? omitEmpty(values.resource_url) : undefined,
    endpoints: where === 'endpoints' && endpoints.length > 0 ? Object.fromEntries(endpoints) : undefined,
    client: added.client ? buildClient(values.client, 'client', errors) : undefined,
    other_client: added.other_client ? buildClient(values.other_client, 'other_client', errors) : undefined,
    native_client: added.native_client ? buildClient(values.native_client, 'native_client', errors) : undefined,
    several_redirect_uris:
      values.several_redirect_uris === 'unknown' ? undefined : values.several_redirect_uris === 'yes',
    resource: added.resource ? { url: values.resource.url.trim(), scope: omitEmpty(values.resource.scope) } : undefined,
    login: signsIn,
    cookie: signsIn === 'cookie' ? parseCookie(values.cookie, errors) : undefined,
    scope: omitEmpty(values.scope),
  };
}

function buildClient(values: ClientValues, place: string, errors: FieldErrors) {
  const { client_id, redirect_uri, post_logout_redirect_uri, authentication, secret, key } = values;
  const { certificate, bound_tokens: isBound } = values;
  const isCertified = isCertificateMethod(authentication);
  const hasSecret = authentication === 'basic' || authentication === 'post';
  return {
    client_id,
    redirect_uri,
    post_logout_redirect_uri: omitEmpty(post_logout_redirect_uri),
    authentication,
    secret: hasSecret && secret !== '' ? secret : undefined,
    key:
      authentication === 'private_key_jwt' || (isCertified && !key.includes('-----BEGIN'))
        ? parseKey(key, `${place}.key`, errors)
        : isCertified
          ? key
          : undefined,
    certificate: isCertified ? omitEmpty(certificate) : undefined,
    tls_client_certificate_bound_access_tokens: isCertified && isBound !== 'unknown' ? isBound === 'yes' : undefined,
  };
}

/** Returns whether a method takes a certificate in the TLS handshake. */
export const isCertificateMethod = (authentication: string): boolean =>
  CERTIFICATE_AUTHENTICATIONS.some((method) => method === authentication);

type PrivateKey = NonNullable<NonNullable<z.input<typeof ServerTargetInput>['client']>['key']>;

/** Parses a private JWK. Its members are validated with the rest. */
function parseKey(text: string, path: string, errors: FieldErrors): PrivateKey | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as PrivateKey;
  } catch {
    errors.push({ path, message: 'Enter a private JWK as JSON.' });
    return undefined;
  }
}

function parseCookie(cookie: string, errors: FieldErrors): string | undefined {
  if (omitEmpty(cookie) === undefined) errors.push({ path: 'cookie', message: 'Required.' });
  return omitEmpty(cookie);
}

function parseParameters(lines: string, errors: FieldErrors): Record<string, string> | undefined {
  const pairs = lines
    .split('\n')
    .flatMap((line) => (omitEmpty(line) === undefined ? [] : [line.trim().split(/=(.*)/s, 2)]));
  if (pairs.some(([name, value]) => !name || value === undefined)) {
    errors.push({ path: 'parameters', message: 'Enter name=value, one per line.' });
  }
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
