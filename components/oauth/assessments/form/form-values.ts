import { z } from 'zod';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { CLIENT_AUTHENTICATIONS } from '@/lib/contract/client-authentications';
import { SWITCHES } from '@/lib/contract/lab-switches';

/** Endpoints that can be given by hand: their names in metadata (RFC 8414 section 2), with labels. */
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

const clientValues = (authentication: (typeof CLIENT_AUTHENTICATIONS)[number]) => {
  const fields = z.object({
    client_id: text,
    redirect_uri: text,
    authentication: z.enum(CLIENT_AUTHENTICATIONS).catch(authentication),
    secret: text,
    /** A private JWK as JSON. */
    key: text,
  });
  return fields.catch(() => fields.parse({}));
};

/** The parts of a server that a person adds one by one. */
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
 * What the form holds. Its names are those of `ServerTargetInput`, so that errors find their fields. Parses anything:
 * what is absent or damaged is as in an empty form.
 */
export const AssessmentValues = z.object({
  where: z.enum(['issuer', 'resource_url', 'endpoints', 'lab']).catch('issuer'),
  name: text,
  off: z.array(z.enum(SWITCHES)).catch([]),
  issuer: text,
  resource_url: text,
  endpoints: endpoints.catch(
    () => Object.fromEntries(ENDPOINT_NAMES.map((name) => [name, ''])) as z.output<typeof endpoints>,
  ),
  added: added.catch({ client: false, other_client: false, resource: false, native_client: false }),
  client: clientValues('none'),
  other_client: clientValues('basic'),
  native_client: clientValues('none'),
  several_redirect_uris: z.enum(['unknown', 'yes', 'no']).catch('unknown'),
  resource: z.object({ url: text, scope: text }).catch({ url: '', scope: '' }),
  login: z.enum(['browser', 'cookie', 'none']).catch('browser'),
  cookie: text,
  scope: z.string().catch('openid'),
  /** `name=value`, one per line. */
  parameters: text,
  requests_per_second: text,
  patience_seconds: text,
});
export type AssessmentValues = z.output<typeof AssessmentValues>;
export type ClientValues = AssessmentValues['client'];

export const EMPTY_VALUES: AssessmentValues = AssessmentValues.parse({});

/** The values without what must not be kept: secrets, private keys, the cookie. */
export function withoutSecrets(values: AssessmentValues): AssessmentValues {
  const open = (client: ClientValues): ClientValues => ({ ...client, secret: '', key: '' });
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

/** The server as the API takes it, or what is wrong with the form, by its fields. */
export function serverOf(
  values: AssessmentValues,
): { server: z.input<typeof ServerTargetInput> } | { errors: FieldErrors } {
  const errors: FieldErrors = [];
  const server = draftOf(values, errors);
  const parsed = ServerTargetInput.safeParse(server);
  for (const { path, code, message } of parsed.error?.issues ?? []) {
    const field = path.join('.');
    const missing =
      code === 'invalid_type' ||
      code === 'too_small' ||
      (code === 'custom' && (field === 'issuer' || message.startsWith('is required'))) ||
      (field === 'resource.url' && server.resource?.url === '');
    const place = placeOf(field, values);
    // The first error of a field says what to do.
    if (errors.some((error) => error.path === place)) continue;
    errors.push({ path: place, message: missing ? 'Required.' : sentence(message) });
  }
  return errors.length > 0 || !parsed.success ? { errors } : { server };
}

/** The form's field of a path of the API. Nothing but `where` says which address is missing. */
export function placeOf(path: string, { where }: AssessmentValues): string {
  if (path === 'issuer' && where !== 'issuer')
    return where === 'endpoints' ? 'endpoints.authorization_endpoint' : where;
  // Members of what is typed as one text.
  return path.replace(/^(parameters|\w+\.key)\..*/, '$1');
}

/** `is required for basic` as `Is required for basic.` */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const given = (text: string) => text.trim() || undefined;

function draftOf(values: AssessmentValues, errors: FieldErrors): z.input<typeof ServerTargetInput> {
  const { where, added, login } = values;
  const endpoints = ENDPOINT_NAMES.flatMap((name) => {
    const address = given(values.endpoints[name]);
    return address === undefined ? [] : [[name, address]];
  });
  const number = (name: 'requests_per_second' | 'patience_seconds') => {
    const text = given(values[name]);
    if (text !== undefined && !Number.isFinite(Number(text))) errors.push({ path: name, message: 'Enter a number.' });
    return text === undefined || !Number.isFinite(Number(text)) ? undefined : Number(text);
  };
  const signsIn = added.client ? login : 'none';
  return {
    issuer: where === 'resource_url' ? undefined : given(values.issuer),
    resource_url: where === 'resource_url' ? given(values.resource_url) : undefined,
    endpoints: where === 'endpoints' && endpoints.length > 0 ? Object.fromEntries(endpoints) : undefined,
    client: added.client ? clientOf(values.client, 'client', errors) : undefined,
    other_client: added.other_client ? clientOf(values.other_client, 'other_client', errors) : undefined,
    native_client: added.native_client ? clientOf(values.native_client, 'native_client', errors) : undefined,
    several_redirect_uris:
      values.several_redirect_uris === 'unknown' ? undefined : values.several_redirect_uris === 'yes',
    resource: added.resource ? { url: values.resource.url.trim(), scope: given(values.resource.scope) } : undefined,
    login: signsIn,
    cookie: signsIn === 'cookie' ? cookieOf(values.cookie, errors) : undefined,
    scope: given(values.scope),
    parameters: parametersOf(values.parameters, errors),
    requests_per_second: number('requests_per_second'),
    patience_seconds: number('patience_seconds'),
  };
}

function clientOf(values: ClientValues, place: string, errors: FieldErrors) {
  const { client_id, redirect_uri, authentication, secret, key } = values;
  const hasSecret = authentication === 'basic' || authentication === 'post';
  return {
    client_id,
    redirect_uri,
    authentication,
    secret: hasSecret && secret !== '' ? secret : undefined,
    key: authentication === 'private_key_jwt' ? keyOf(key, `${place}.key`, errors) : undefined,
  };
}

type PrivateKey = NonNullable<NonNullable<z.input<typeof ServerTargetInput>['client']>['key']>;

/** A private JWK. Its own members are checked with the rest. */
function keyOf(text: string, path: string, errors: FieldErrors): PrivateKey | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as PrivateKey;
  } catch {
    errors.push({ path, message: 'Enter a private JWK as JSON.' });
    return undefined;
  }
}

function cookieOf(cookie: string, errors: FieldErrors): string | undefined {
  if (given(cookie) === undefined) errors.push({ path: 'cookie', message: 'Required.' });
  return given(cookie);
}

function parametersOf(lines: string, errors: FieldErrors): Record<string, string> | undefined {
  const pairs = lines
    .split('\n')
    .flatMap((line) => (given(line) === undefined ? [] : [line.trim().split(/=(.*)/s, 2)]));
  if (pairs.some(([name, value]) => !name || value === undefined)) {
    errors.push({ path: 'parameters', message: 'Enter name=value, one per line.' });
  }
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
