import type { KeptFindings } from '@/lib/contract/assessment-events';
import { parseResponseJson } from '@/lib/oauth/assessment/exchange';

/** State of a clause by what was observed, with the reason in a sentence. */
export interface Observation {
  state: 'met' | 'violated' | 'undecided';
  reason: string;
}

/** What the exchanges of an assessment show about a server, besides the verdicts. */
export interface ObservedServer {
  /** The server's metadata. Empty if none was read. */
  metadata: Readonly<Record<string, unknown>>;
  /** `token_type` of every issued access token, in lower case. */
  tokenTypes: ReadonlySet<string>;
  /** `expires_in` of every pushed authorization request that was accepted, in seconds. */
  requestLifetimes: readonly number[];
  /** Seconds after which the oldest code was tried and had expired. Null if none was. */
  expiredCodeAge: number | null;
  /** Seconds after which the oldest code was tried and still worked. Null if none did. */
  workingCodeAge: number | null;
}

type Source = Pick<KeptFindings[number], 'control' | 'verdict' | 'exchanges'>;

/** Reads the facts from the exchanges of findings. */
export function readFacts(findings: readonly Source[]): ObservedServer {
  const answers = findings.flatMap(({ exchanges }) =>
    exchanges.filter(({ response }) => response.status < 300).map((exchange) => parseResponseJson(exchange)),
  );
  const metadata = answers.find(({ issuer, token_endpoint }) => issuer !== undefined && token_endpoint !== undefined);
  const age = findings.flatMap(({ control, verdict, exchanges }) =>
    control === 'code-lifetime' && verdict !== 'not_applicable'
      ? exchanges.flatMap(({ label, response }) => {
          const seconds = Number(/ after (\d+) seconds$/.exec(label)?.[1] ?? Number.NaN);
          return Number.isNaN(seconds) ? [] : [{ seconds, isExpired: response.status >= 400 && verdict === 'passed' }];
        })
      : [],
  )[0];
  return {
    metadata: metadata ?? {},
    tokenTypes: new Set(
      answers.flatMap(({ token_type: type, access_token: token }) =>
        typeof type === 'string' && token !== undefined ? [type.toLowerCase()] : [],
      ),
    ),
    requestLifetimes: answers.flatMap(({ request_uri: uri, expires_in: seconds }) =>
      typeof uri === 'string' && typeof seconds === 'number' ? [seconds] : [],
    ),
    expiredCodeAge: age?.isExpired === true ? age.seconds : null,
    workingCodeAge: age !== undefined && !age.isExpired ? age.seconds : null,
  };
}

const createMet = (reason: string): Observation => ({ state: 'met', reason });
const createViolated = (reason: string): Observation => ({ state: 'violated', reason });
const createUndecided = (reason: string): Observation => ({ state: 'undecided', reason });

/** Returns a list of texts in the metadata. Null if it is missing. */
function readList({ metadata }: ObservedServer, name: string): string[] | null {
  const value = metadata[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;
}

/** Formats values that a server chose: the first five, at most 40 characters of each. */
function formatNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `“${name.slice(0, 40)}”`);
  return names.length > 5 ? `${shown.join(', ')} and ${names.length - 5} more` : shown.join(', ');
}

/** Judges that a list of the metadata names nothing but `allowed`. `byDefault` applies if the server does not state it. */
export const observeOnly =
  (name: string, allowed: readonly string[], byDefault: readonly string[] | null = null) =>
  (facts: ObservedServer): Observation => {
    if (Object.keys(facts.metadata).length === 0) return createUndecided('The server publishes no metadata.');
    const stated = readList(facts, name) ?? byDefault;
    if (stated === null) return createUndecided(`The metadata has no ${name}.`);
    const others = stated.filter((each) => !allowed.includes(each));
    if (others.length > 0) return createViolated(`${name} offers ${formatNames(others)}.`);
    return stated.length === 0
      ? createUndecided(`${name} is empty.`)
      : createMet(`${name} offers ${formatNames(stated)}.`);
  };

/** Judges that the metadata names `value` in a list. `byDefault` applies if the server does not state the list. */
export const observeOffer =
  (name: string, value: string, byDefault: readonly string[] = []) =>
  (facts: ObservedServer): Observation => {
    if (Object.keys(facts.metadata).length === 0) return createUndecided('The server publishes no metadata.');
    return (readList(facts, name) ?? byDefault).includes(value)
      ? createMet(`${name} offers “${value}”.`)
      : createViolated(`${name} does not offer “${value}”.`);
  };

/** Judges that the metadata has a URL of this name. */
export const observeEndpoint =
  (name: string) =>
  ({ metadata }: ObservedServer): Observation => {
    if (Object.keys(metadata).length === 0) return createUndecided('The server publishes no metadata.');
    return typeof metadata[name] === 'string'
      ? createMet(`The metadata has ${name}.`)
      : createViolated(`The metadata has no ${name}.`);
  };

/** Judges that the server publishes metadata. */
export const observeMetadata = ({ metadata }: ObservedServer): Observation =>
  Object.keys(metadata).length > 0
    ? createMet('The server publishes metadata.')
    : createUndecided('No metadata was read. Endpoints that are given by hand prove nothing.');

/** Judges that every issued token was bound to a key. */
export function observeBoundTokens({ tokenTypes, metadata }: ObservedServer): Observation {
  if (tokenTypes.size === 0) return createUndecided('No token was issued.');
  if (!tokenTypes.has('bearer')) return createMet('Every token was issued for a key (token_type DPoP).');
  return metadata.tls_client_certificate_bound_access_tokens === true
    ? createUndecided('Tokens of the type Bearer may be bound to a certificate, which cannot be seen from here.')
    : createViolated('A token of the type Bearer was issued without a proof of possession.');
}

/** Judges that a pushed request lives for less than ten minutes. */
export function observeRequestLifetime({ requestLifetimes }: ObservedServer): Observation {
  const longest = Math.max(...requestLifetimes);
  if (requestLifetimes.length === 0) return createUndecided('No pushed request was accepted.');
  return longest < 600
    ? createMet(`A request_uri lives for ${longest} s.`)
    : createViolated(`A request_uri lives for ${longest} s. The limit is 600 s.`);
}

/** Judges that a code lives for at most a minute. */
export function observeCodeMinute({ expiredCodeAge, workingCodeAge }: ObservedServer): Observation {
  if (workingCodeAge !== null && workingCodeAge > 60)
    return createViolated(`After ${workingCodeAge} s a code still worked. The limit is 60 s.`);
  if (expiredCodeAge === null) return createUndecided('No code was tried after a minute.');
  return expiredCodeAge <= 61
    ? createMet(`After ${expiredCodeAge} s a code had expired.`)
    : createUndecided(`A code had expired after ${expiredCodeAge} s. Whether after 60 s was not tried.`);
}
