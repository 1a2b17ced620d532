import { z } from 'zod';
import { type MemberRole, MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { PoliciesPatch } from '@/lib/contract/policies';
import { parseRedisUrl, RedisUrlError } from '@/lib/counters/redis/redis-url';
import { parseRestEndpoint } from '@/lib/counters/redis/rest-endpoint';
import { type AllowedTargets, parseAllowedTarget } from '@/lib/http/allowed-targets';
import { parseJson } from '@/lib/json';
import { parseRange } from '@/lib/limiter/address';
import { parseSmtpUrl, SmtpUrlError } from '@/lib/mail/smtp-url';

const EMPTY_IS_UNSET = (value: unknown) => (typeof value === 'string' && value.trim() === '' ? undefined : value);

export function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess(EMPTY_IS_UNSET, schema.optional());
}

export function addDefault<T extends z.ZodType>(schema: T, value: z.input<T>) {
  return z.preprocess((input) => EMPTY_IS_UNSET(input) ?? value, schema);
}

export const onOff = z.enum(['on', 'off'], { error: 'must be "on" or "off"' }).transform((value) => value === 'on');

const DATABASE_PROTOCOLS = ['file:', 'libsql:', 'https:', 'http:', 'wss:', 'ws:'];

export const databaseUrl = z.string().refine((value) => {
  if (value.startsWith('file:')) return value.length > 'file:'.length;
  return URL.canParse(value) && DATABASE_PROTOCOLS.includes(new URL(value).protocol);
}, 'must be file:<path>, libsql://, https:// or http://');

/** A text that a parser accepts. The message is that of its `Refusal`, or `otherwise` for any other error. */
function buildTextSchema(
  parse: (text: string) => unknown,
  Refusal: abstract new (...args: never[]) => Error,
  otherwise: string,
) {
  return z.string().superRefine((value, context) => {
    try {
      parse(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Refusal ? error.message : otherwise });
    }
  });
}

const parseRedisAddress = (address: string) => parseRestEndpoint(address) ?? parseRedisUrl(address);
export const redisUrl = buildTextSchema(parseRedisAddress, RedisUrlError, 'is not a valid Redis address');
export const restUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => /^[^?#@]+$/.test(url), 'must have no credentials and no query');
export const bearerToken = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');
export const smtpUrl = buildTextSchema(parseSmtpUrl, SmtpUrlError, 'is not the address of a mail server');

export const sender = z
  .string()
  .trim()
  .max(320)
  .regex(
    /^(?:[^\s@<>,;"]+@[^\s@<>,;"]+|[^\p{Cc}@<>,;"]+ <[^\s@<>,;"]+@[^\s@<>,;"]+>)$/u,
    'must be an e-mail address, or a name and the address in angle brackets',
  );

export const trustedProxies = z
  .string()
  .transform((value) => value.split(',').flatMap((part) => part.trim() || []))
  .superRefine((ranges, context) => {
    for (const [index, range] of ranges.entries()) {
      if (parseRange(range) !== null) continue;
      context.addIssue({ code: 'custom', message: `entry ${index + 1} is not an IP address or CIDR range` });
    }
  });

export const allowedTargets = z.string().transform((value, context): AllowedTargets => {
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

export const policies = z.string().transform((value, context): PoliciesPatch => {
  const parsed = parseJson(value);
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

export const origin = z
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

export const userHeader = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
  .refine((name) => !RESERVED_HEADERS.includes(name.toLowerCase()), 'must not be a header with another meaning');

export const roleMap = z.string().transform((value, context): Readonly<Record<string, MemberRole>> => {
  const result = z.record(z.string().min(1), MemberRoleSchema).safeParse(parseJson(value));
  if (result.success && Object.keys(result.data).length > 0) return result.data;
  const message = 'must be a JSON object of roles by group, such as {"sre": "operator", "leads": "owner"}';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
export const otlpProtocol = z.enum(['http/protobuf', 'http/json'], {
  error: 'must be "http/protobuf" or "http/json": gRPC is not supported',
});
export const SAMPLERS = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
];
