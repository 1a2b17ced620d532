import { type ClientCheck, check, createUnchecked } from '@/lib/oauth/client/client-check';
import type { ServerMetadata } from '@/lib/oauth/client/server-metadata';

/** Parameters of an authorization response, by name. */
export type ReturnedParameters = Readonly<Record<string, string | undefined>>;

/** Reads the parameters in the query or the fragment of a callback URL. Returns null if the text is not a URL. */
export function readReturnedParameters(address: string): ReturnedParameters | null {
  const text = address.trim();
  if (!URL.canParse(text)) return null;
  const { search, hash } = new URL(text);
  const query = new URLSearchParams(search);
  return Object.fromEntries(query.size > 0 ? query : new URLSearchParams(hash.slice(1)));
}

/** Makes the checks that a client must make before it redeems a code (RFC 6749 section 10.12, RFC 9207 section 2.4). */
export function checkAuthorizationResponse(
  response: ReturnedParameters,
  { state, issuer, metadata }: { state: string; issuer: string; metadata: ServerMetadata | null },
): ClientCheck[] {
  const answered = response.code !== undefined && response.error === undefined;
  const refused = `The server refused: ${response.error ?? 'there is no code'}.`;
  return [
    check('code', 'RFC 6749 4.1.2', answered, 'A code came back.', refused),
    check(
      'state',
      'RFC 9700 4.7',
      state !== '' && response.state === state,
      'The state is the one that this page sent.',
      'The state is not the one that this page sent: the response may belong to another browser.',
    ),
    checkIssuer(response.iss, issuer, metadata?.authorization_response_iss_parameter_supported === true),
  ];
}

function checkIssuer(iss: string | undefined, issuer: string, announced: boolean): ClientCheck {
  const source = 'RFC 9207 2.4';
  if (iss === undefined && !announced)
    return createUnchecked(
      'iss',
      source,
      'The server does not name itself in responses, and does not say that it would.',
    );
  return check(
    'iss',
    source,
    iss === issuer,
    'The response names the issuer that was asked.',
    iss === undefined
      ? 'The metadata announces iss, and the response has none.'
      : 'The response names another issuer: a mix-up.',
  );
}
