import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Fields, Probe } from '@/lib/oauth/assessment/probe';
import { type ControlVerdict, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, type ControlDescription, defineControl } from '@/lib/oauth/controls/control';

/** Requests that a server must refuse, by label, and what became of each. */
type Attempts<Outcome> = ReadonlyMap<string, Outcome>;

/** Runs one attempt per entry, one after the other: the order of the evidence is the order of the entries. */
async function attemptEach<Input, Outcome>(
  inputs: Readonly<Record<string, Input>>,
  attempt: (label: string, input: Input) => Promise<Outcome>,
): Promise<Attempts<Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const [label, input] of Object.entries(inputs)) outcomes.set(label, await attempt(label, input));
  return outcomes;
}

/** Labels of the attempts whose outcome fits, for a sentence. */
function labelsWhere<Outcome>(attempts: Attempts<Outcome>, holds: (outcome: Outcome) => boolean): string {
  return [...attempts].flatMap(([label, outcome]) => (holds(outcome) ? [label] : [])).join(', ');
}

function everyRefused<Outcome>(
  attempts: Attempts<Outcome>,
  isAccepted: (outcome: Outcome) => boolean,
  isUndecided: (outcome: Outcome) => boolean,
  undecided: string,
): ControlVerdict {
  const accepted = labelsWhere(attempts, isAccepted);
  if (accepted !== '') return failed(`The server accepted: ${accepted}.`);
  const unclear = labelsWhere(attempts, isUndecided);
  if (unclear !== '') return inconclusive(`${undecided}: ${unclear}.`);
  return passed(`The server refused: ${labelsWhere(attempts, () => true)}.`);
}

/** Authorization requests, each an otherwise valid one with some fields changed, all of which must be refused. */
export function refusesAuthorizations({
  variants,
  ...description
}: ControlDescription & { variants: (probe: Probe) => Record<string, Fields> }): Control {
  return defineControl({
    ...description,
    probe: async (probe) => attemptEach(variants(probe), (label, fields) => probe.authorize(label, fields)),
    rule: everyAuthorizationRefused,
  });
}

/** The same for redirect URIs, to which not even an error may be sent (RFC 6749 section 4.1.2.1). */
export function refusesRedirectUris({
  uris,
  ...description
}: ControlDescription & { uris: (registered: string) => Record<string, string> }): Control {
  return defineControl({
    ...description,
    probe: async (probe) =>
      attemptEach(uris(probe.target.client.redirectUri), (label, uri) => probe.authorize(label, { redirect_uri: uri })),
    rule(attempts) {
      const redirected = labelsWhere(
        attempts,
        (outcome) => outcome.kind === 'refused' && outcome.redirectedTo !== null,
      );
      if (redirected !== '') return failed(`An error was sent to the address: ${redirected}.`);
      return everyAuthorizationRefused(attempts);
    },
  });
}

export function everyAuthorizationRefused(attempts: Attempts<AuthorizationOutcome>): ControlVerdict {
  return everyRefused(
    attempts,
    (outcome) => outcome.kind === 'granted',
    (outcome) => outcome.kind === 'page',
    'The server showed a page, which leaves open whether it would accept',
  );
}

/** Token requests, all of which must be refused. `requests` sends them. */
export function refusesTokenRequests({
  requests,
  ...description
}: ControlDescription & { requests: (probe: Probe) => Promise<Record<string, TokenOutcome>> }): Control {
  return defineControl({
    ...description,
    probe: async (probe) => new Map(Object.entries(await requests(probe))),
    rule: everyTokenRefused,
  });
}

export function everyTokenRefused(attempts: Attempts<TokenOutcome>): ControlVerdict {
  return everyRefused(
    attempts,
    (outcome) => outcome.kind === 'issued',
    () => false,
    '',
  );
}

/** Access tokens, none of which may open the protected resource. `tokens` obtains or forges them. */
export function refusesAccessTokens({
  tokens,
  inQuery,
  ...description
}: ControlDescription & {
  tokens: (probe: Probe) => Promise<Record<string, string>>;
  /** Sends them in the URL instead of the header. */
  inQuery?: boolean;
}): Control {
  return defineControl({
    ...description,
    probe: async (probe) =>
      attemptEach(await tokens(probe), (label, token) => probe.presentToken(`Present ${label}`, token, { inQuery })),
    rule: (attempts) =>
      everyRefused(
        attempts,
        (outcome) => outcome.accepted,
        (outcome) => outcome.status >= 500,
        'The resource server failed on',
      ),
  });
}
