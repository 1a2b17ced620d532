import { z } from 'zod';
import { count, json, object, ok, resource } from '@/lib/contract/resource';

/**
 * Headers that the connection or a browser controls (forbidden request headers of the Fetch standard), in lower case.
 */
const FORBIDDEN_HEADER =
  /^(?:accept-charset|accept-encoding|connection|content-length|cookie2?|date|dnt|expect|forwarded|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|x-real-ip|(?:access-control|proxy|sec|x-forwarded)-.*)$/i;

const HeaderName = z
  .string()
  .max(128)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header')
  .refine((name) => !FORBIDDEN_HEADER.test(name), 'is a header that cannot be set');
const HeaderValue = z
  .string()
  .max(16_384)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

const Target = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(8_192)
  .refine((url) => {
    // Another check has already reported texts that are not URLs.
    if (!URL.canParse(url)) return true;
    const { username, password, hash } = new URL(url);
    return username + password + hash === '';
  }, 'must have no credentials and no fragment');

export const sendOAuthRequest = resource('/v1/oauth/requests', { tag: 'OAuth client' }).post(
  'sendOAuthRequest',
  'operator',
  {
    command: 'oauth request',
    summary: 'Send a request to an OAuth server',
    description:
      'For the OAuth client of the console: most servers do not answer browsers of other origins. Redirects are not followed, cookies are not sent, and private addresses are only reached where `SLUICE_ASSESS_ALLOW` names them. The audit log keeps host and method; nothing else is stored.',
    body: json(
      z
        .strictObject({
          method: z.enum(['GET', 'POST']),
          url: Target,
          headers: z
            .array(z.tuple([HeaderName, HeaderValue]))
            .max(32)
            .default([]),
          body: z.string().max(32_768).default('').describe('Sent with POST only.'),
        })
        .refine(({ method, body }) => method === 'POST' || body === '', {
          message: 'belongs to POST only',
          path: ['body'],
        })
        .meta({ id: 'OAuthRequest' }),
    ),
    example: {
      body: {
        method: 'POST',
        url: 'https://login.example.com/token',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: 'grant_type=client_credentials',
      },
    },
    response: ok(
      'The answer of the server.',
      object('OAuthAnswer', {
        status: z.int().min(100).max(599),
        headers: z.array(z.tuple([z.string(), z.string()])).describe('Without `Set-Cookie`.'),
        body: z.string(),
        duration_ms: count,
      }),
    ),
  },
);
