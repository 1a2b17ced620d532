import { type AuthorizationOutcome, isAccepted, type TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Fields, Probe } from '@/lib/oauth/assessment/probe';
import { type ControlVerdict, failed, inconclusive, passed, passedIf } from '@/lib/oauth/assessment/verdict';
import { type ControlText, defineControl, type Severity } from '@/lib/oauth/controls/control';

/** What became of requests that a server must refuse, by label. */
type Attempts<Outcome extends { kind: string } = { kind: string }> = Readonly<Record<string, Outcome>>;

/** Outcomes that leave open whether the server would accept, in the words of the verdict. */
const UNDECIDED = {
  page: 'The server showed a page, which leaves open whether it would accept',
  broken: 'The resource server failed on',
};

/** Sends one request per entry, one after the other: the order of the evidence is the order of the entries. */
export async function attemptEach<Input, Outcome extends { kind: string }>(
  inputs: Readonly<Record<string, Input>>,
  attempt: (label: string, input: Input) => Promise<Outcome>,
): Promise<Attempts<Outcome>> {
  const outcomes: Record<string, Outcome> = {};
  for (const [label, input] of Object.entries(inputs)) outcomes[label] = await attempt(label, input);
  return outcomes;
}

export function labelsWhere<Outcome extends { kind: string }>(
  attempts: Attempts<Outcome>,
  fits: (outcome: Outcome) => boolean,
): string[] {
  return Object.entries(attempts).flatMap(([label, outcome]) => (fits(outcome) ? [label] : []));
}

export function everyRefused(attempts: Attempts): ControlVerdict {
  const accepted = labelsWhere(attempts, isAccepted);
  if (accepted.length > 0) return failed(`The server accepted: ${accepted.join(', ')}.`);
  for (const [undecided, reason] of Object.entries(UNDECIDED)) {
    const labels = labelsWhere(attempts, ({ kind }) => kind === undecided);
    if (labels.length > 0) return inconclusive(`${reason}: ${labels.join(', ')}.`);
  }
  return passed(`The server refused: ${Object.keys(attempts).join(', ')}.`);
}

/** Declares controls that differ in a few properties. */
type Pattern<Properties> = (
  id: string,
  severity: Severity,
  title: string,
  properties: ControlText & Properties,
) => ReturnType<typeof defineControl>;

/** Requests of any kind, all of which must be refused. `requests` sends them. */
export const refusesRequests: Pattern<{ requests: (probe: Probe) => Promise<Attempts> }> = (
  id,
  severity,
  title,
  { requests, ...text },
) => defineControl(id, severity, title, { ...text, probe: requests, rule: everyRefused });

/** Authorization requests, each an otherwise valid one with some fields changed, all of which must be refused. */
export const refusesAuthorizations: Pattern<{ variants: (probe: Probe) => Record<string, Fields> }> = (
  id,
  severity,
  title,
  { variants, ...text },
) => {
  const requests = async (probe: Probe) =>
    attemptEach(variants(probe), (label, fields) => probe.authorize(label, fields));
  return refusesRequests(id, severity, title, { ...text, requests });
};

/** The same for redirect URIs, to which not even an error may be sent (RFC 6749 section 4.1.2.1). */
export const refusesRedirectUris: Pattern<{ uris: (registered: string) => Record<string, string> }> = (
  id,
  severity,
  title,
  { uris, ...text },
) =>
  defineControl(id, severity, title, {
    ...text,
    probe: (probe) =>
      attemptEach(uris(probe.target.client.redirectUri), (label, uri) => probe.authorize(label, { redirect_uri: uri })),
    rule(attempts) {
      const redirected = labelsWhere(
        attempts,
        (outcome) => outcome.kind === 'refused' && outcome.redirectedTo !== null,
      );
      if (redirected.length > 0) return failed(`An error was sent to the address: ${redirected.join(', ')}.`);
      return everyRefused(attempts);
    },
  });

/**
 * Access tokens, none of which may open the protected resource. `tokens` obtains or forges them; with `inQuery` they are
 * sent in the URL instead of the header.
 */
export const refusesAccessTokens: Pattern<{
  tokens: (probe: Probe) => Promise<Record<string, string>>;
  inQuery?: boolean;
}> = (id, severity, title, { tokens, inQuery, ...text }) => {
  const requests = async (probe: Probe) =>
    attemptEach(await tokens(probe), (label, token) => probe.presentToken(`Present ${label}`, token, { inQuery }));
  return refusesRequests(id, severity, title, { ...text, requests });
};

/** An authorization request that must be granted. `subject` is what was accepted or refused, for the verdict. */
export const acceptsAuthorization: Pattern<{
  request: (probe: Probe) => Promise<AuthorizationOutcome>;
  subject: string;
}> = (id, severity, title, { request, subject, ...text }) =>
  defineControl(id, severity, title, {
    ...text,
    probe: request,
    rule({ kind }) {
      if (kind === 'page') return inconclusive('The server showed a page.');
      return passedIf(kind === 'granted', `${subject} was accepted.`, `${subject} was refused.`);
    },
  });

/** Something that can be redeemed once. `uses` redeems it twice; the sentences say what came of it. */
export const worksOnce: Pattern<{
  uses: (probe: Probe) => Promise<[TokenOutcome, TokenOutcome]>;
  never: string;
  twice: string;
  once: string;
}> = (id, severity, title, { uses, never, twice, once, ...text }) =>
  defineControl(id, severity, title, {
    ...text,
    probe: uses,
    rule: ([first, second]) =>
      first.kind === 'issued' ? passedIf(second.kind !== 'issued', once, twice) : inconclusive(never),
  });
