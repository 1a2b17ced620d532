import { CERTIFICATE_BOUND, type ObservedServer } from '@/lib/oauth/report/profiles/observed-server';

/** State of a clause, judged by the observed server. The reason is a sentence. */
export interface Observation {
  state: 'met' | 'violated' | 'undecided';
  reason: string;
}

export type Observe = (server: ObservedServer) => Observation;

const createMet = (reason: string): Observation => ({ state: 'met', reason });
const createViolated = (reason: string): Observation => ({ state: 'violated', reason });
const createUndecided = (reason: string): Observation => ({ state: 'undecided', reason });

type Metadata = NonNullable<ObservedServer['metadata']>;

/** Creates an observation of the metadata. Without metadata it is undecided. */
const readMetadata =
  (judge: (metadata: Metadata) => Observation): Observe =>
  ({ metadata }) =>
    metadata === null ? createUndecided('No metadata was read.') : judge(metadata);

/** Returns a list of texts in the metadata. Null if it is missing. */
function readList(metadata: Metadata, name: string): string[] | null {
  const value = metadata[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;
}

/** Formats values that a server chose: the first five, at most 40 characters of each. */
function formatNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `“${name.slice(0, 40)}”`);
  return names.length > 5 ? `${shown.join(', ')} and ${names.length - 5} more` : shown.join(', ');
}

/** Judges that a list of the metadata names nothing but `allowed`. `byDefault` applies if the server does not state it. */
export const observeSubset = (name: string, allowed: readonly string[], byDefault: readonly string[] = []): Observe =>
  readMetadata((metadata) => {
    const offered = readList(metadata, name) ?? byDefault;
    if (offered.length === 0) return createUndecided(`The metadata has no ${name}.`);
    const others = offered.filter((each) => !allowed.includes(each));
    return others.length > 0
      ? createViolated(`${name} offers ${formatNames(others)}.`)
      : createMet(`${name} offers ${formatNames(offered)}.`);
  });

/** Judges that the metadata names `value` in a list. `byDefault` applies if the server does not state the list. */
export const observeOffer = (name: string, value: string, byDefault: readonly string[] = []): Observe =>
  readMetadata((metadata) =>
    (readList(metadata, name) ?? byDefault).includes(value)
      ? createMet(`${name} offers “${value}”.`)
      : createViolated(`${name} does not offer “${value}”.`),
  );

/** Judges that the metadata names an endpoint. */
export const observeEndpoint = (name: string): Observe =>
  readMetadata((metadata) =>
    typeof metadata[name] === 'string'
      ? createMet(`The metadata has ${name}.`)
      : createViolated(`The metadata has no ${name}.`),
  );

/** Judges that the server publishes metadata. */
export const observeMetadata = readMetadata(() => createMet('The server publishes metadata.'));

/** Judges that access tokens can be bound to a key or to a certificate. */
export const observeBinding: Observe = ({ metadata, tokenTypes }) => {
  if (tokenTypes.has('dpop')) return createMet('A token was issued for a key (token_type DPoP).');
  if (tokenTypes.has(CERTIFICATE_BOUND)) return createMet('A token was issued for a certificate (cnf x5t#S256).');
  if (metadata === null) return createUndecided('No metadata was read.');
  if (metadata.tls_client_certificate_bound_access_tokens === true)
    return createMet('The metadata offers tokens that are bound to a certificate.');
  return (readList(metadata, 'dpop_signing_alg_values_supported') ?? []).length > 0
    ? createMet('The metadata offers DPoP.')
    : createViolated('The metadata offers neither DPoP nor tokens that are bound to a certificate.');
};

/** Types of tokens that are bound, in words. */
const BINDINGS: Readonly<Record<string, string>> = {
  dpop: 'a key (token_type DPoP)',
  [CERTIFICATE_BOUND]: 'a certificate (cnf x5t#S256)',
};

/** Judges that every issued token was bound to a key or to a certificate. */
export const observeBoundTokens: Observe = ({ tokenTypes, metadata }) => {
  if (tokenTypes.size === 0) return createUndecided('No token was issued.');
  if (!tokenTypes.has('bearer'))
    return [...tokenTypes].every((type) => type in BINDINGS)
      ? createMet(`Every token was issued for ${[...tokenTypes].map((type) => BINDINGS[type]).join(' or ')}.`)
      : createUndecided('Some tokens are of an unknown type.');
  return metadata?.tls_client_certificate_bound_access_tokens === true
    ? createUndecided('Tokens of the type Bearer may be bound to a certificate. That cannot be seen from here.')
    : createViolated('A token of the type Bearer was issued without a proof of possession.');
};

/** Judges that only pushed authorization requests get a code. */
export const observePushedOnly: Observe = ({ findings, hasPlainGrant }) => {
  const verdict = findings.get('par-required')?.verdict;
  if (hasPlainGrant || verdict === 'failed') return createViolated('A request that was not pushed got a code.');
  return verdict === 'passed'
    ? createMet('A request that was not pushed was refused.')
    : createUndecided('No request was refused because it was not pushed.');
};

/** Judges that a pushed request is valid for less than ten minutes. */
export const observeRequestLifetime: Observe = ({ requestLifetimes }) => {
  if (requestLifetimes.length === 0) return createUndecided('No pushed request was accepted.');
  const longest = Math.max(...requestLifetimes);
  return longest < 600
    ? createMet(`A request_uri is valid for ${longest} s.`)
    : createViolated(`A request_uri is valid for ${longest} s. It must be less than 600 s.`);
};

/** Judges that a code is valid for at most a minute. */
export const observeCodeMinute: Observe = ({ triedCode }) => {
  if (triedCode === null) return createUndecided('No code was tried after a minute.');
  const { age, isExpired } = triedCode;
  if (isExpired)
    return age <= 61
      ? createMet(`After ${age} s a code had expired.`)
      : createUndecided(`After ${age} s a code had expired. It was not tried after 60 s.`);
  return age > 60
    ? createViolated(`After ${age} s a code still worked. The limit is 60 s.`)
    : createUndecided(`After ${age} s a code still worked. It was not tried after 60 s.`);
};

/** Judges that refresh tokens do not rotate. */
export const observeNoRotation: Observe = ({ rotations }) => {
  if (rotations.length === 0) return createUndecided('No refresh token was used.');
  return rotations.some((rotated) => rotated)
    ? createViolated('The use of a refresh token brought another one.')
    : createMet('The use of a refresh token brought no other one.');
};

/** Bits of the curves that are registered for JOSE (RFC 7518 section 7.6, RFC 8037, RFC 8812). */
const CURVE_BITS: Readonly<Record<string, number>> = {
  ...{ 'P-256': 256, 'P-384': 384, 'P-521': 521, secp256k1: 256 },
  ...{ Ed25519: 255, Ed448: 448, X25519: 255, X448: 448 },
};

/** Judges that the published keys of elliptic curves have at least 224 bits. */
export const observeCurves: Observe = ({ curves }) => {
  if (curves === null) return createUndecided('No published keys were read.');
  const names = [...curves];
  if (names.length === 0) return createMet('No key of an elliptic curve is published.');
  return names.every((name) => (CURVE_BITS[name] ?? 0) >= 224)
    ? createMet(`The published keys use ${formatNames(names)}.`)
    : createUndecided(`The strength of ${formatNames(names)} is not known.`);
};

/** Checks the outcomes of requests of a control, by their labels: each must be the expected one. */
export const observeOutcomes =
  (control: string, expected: Readonly<Record<string, 'accepted' | 'refused'>>): Observe =>
  (server) => {
    const outcomes = Object.entries(expected).map(([label, wanted]) => {
      return { label, wanted, seen: server.findOutcome(control, label) };
    });
    const wrong = outcomes.find(({ wanted, seen }) => seen !== null && seen !== wanted);
    if (wrong !== undefined) return createViolated(`“${wrong.label}” was ${wrong.seen}.`);
    const open = outcomes.find(({ seen }) => seen === null);
    return open === undefined
      ? createMet(outcomes.map(({ label, seen }) => `“${label}” was ${seen}.`).join(' '))
      : createUndecided(`“${open.label}” was not decided.`);
  };
