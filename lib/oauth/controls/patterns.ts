import {
  type AcceptedRequest,
  type Comparison,
  compareAuthorizations,
  compareTokens,
  describeFault,
} from '@/lib/oauth/assessment/comparison';
import type { AuthorizationOutcome, TokenOutcome, Tokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { CodeGrant, Fields, TokenOptions } from '@/lib/oauth/assessment/requests';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { askInWay } from '@/lib/oauth/controls/ask-in-way';
import { type Control, type ControlDraft, defineControl, type Tries } from '@/lib/oauth/controls/control';
import { type Comparisons, judgeRefusals, listLabels } from '@/lib/oauth/controls/judge-refusals';
import { authorizeRefusably, redeemRefusably, repeatFault } from '@/lib/oauth/controls/repeat-fault';

/** Compares each variant of an authorization request with the valid request, which is sent first. */
export async function compareVariants(probe: Probe, variants: Readonly<Record<string, Fields>>): Promise<Comparisons> {
  const good = await probe.requireAccepted();
  const comparisons = new Map<string, Comparison>();
  for (const [label, fields] of Object.entries(variants)) {
    const outcome = await authorizeRefusably(probe, () => probe.authorize(label, fields));
    comparisons.set(label, compareAuthorizations(good, outcome));
  }
  return comparisons;
}

/**
 * Compares a request with a weaker challenge, or none, with the valid one, through to the redemption with this verifier.
 * Some servers issue a code for it that the verifier does not redeem.
 */
export async function compareRedemption(
  probe: Probe,
  good: AcceptedRequest,
  bad: AuthorizationOutcome,
  verifier: string | null = null,
  client = probe.requireClient(),
): Promise<Comparison> {
  const compared = compareAuthorizations(good, bad);
  const code = bad.kind === 'granted' ? bad.parameters.code : undefined;
  if (code === undefined) return compared;
  const grant = { code, verifier: '', lifetime: null, client };
  const how = verifier === null ? 'without a verifier' : 'with the challenge as the verifier';
  const redeem = () => probe.redeem(`Redeem it ${how}`, grant, { code_verifier: verifier });
  const redeemed = compareTokens(await redeemRefusably(probe, redeem));
  if (redeemed.kind !== 'refused') return redeemed;
  await redeemCorrectly(probe, await probe.requestCode({}, { client }));
  return { kind: 'refused', how: `a code that cannot be redeemed: ${redeemed.how}` };
}

/** Creates a control that sends authorization requests with changed fields. The server must refuse all of them. */
export function defineAuthorizationControl<const T extends Tries>({
  variants,
  ...description
}: ControlDraft<T> & { variants: (probe: Probe) => Record<keyof T & string, Fields> }): Control {
  return defineControl({
    ...description,
    probe: (probe) => compareVariants(probe, variants(probe)),
    rule: judgeRefusals,
  });
}

/**
 * Creates a control that sends other redirect URIs. A code that leaves for one of them is the defect. An error that is
 * sent there is a refusal, which `no-open-redirect-on-error` judges. A variant equal to the registered value is skipped.
 */
export function defineRedirectUriControl<const T extends Tries>({
  uris,
  byPost,
  isNarrow = false,
  ...description
}: ControlDraft<T> & {
  uris: (registered: string) => Partial<Record<keyof T, string>>;
  /** The variant in which an unregistered address is sent by POST. Some servers check only GET. */
  byPost?: keyof T & string;
  /** Skips the control if the server accepts any address, because a broader control fails then. */
  isNarrow?: boolean;
}): Control {
  return defineControl({
    ...description,
    async probe(probe) {
      const { redirectUri } = probe.requireClient();
      const good = await probe.requireAccepted();
      if (isNarrow && (await isAnyAddressAccepted(probe))) throw createBroaderControlError('strict-redirect-uri');
      const comparisons = new Map<string, Comparison>();
      for (const [label, uri] of Object.entries<string | undefined>(uris(redirectUri))) {
        if (uri === undefined || uri === redirectUri) continue;
        const outcome = await authorizeRefusably(probe, () => probe.authorize(label, { redirect_uri: uri }));
        comparisons.set(label, await compareRedirects(probe, good, outcome, uri));
      }
      if (byPost !== undefined) {
        const posted = await askInWay(probe, 'byPost', byPost, { redirect_uri: UNREGISTERED });
        if (posted !== null) comparisons.set(byPost, await compareRedirects(probe, good, posted, UNREGISTERED));
      }
      return comparisons;
    },
    rule: judgeRefusals,
  });
}

/**
 * Compares a request with another redirect URI. A code that goes to the registered address in spite of it counts as a
 * refusal. If both differ in their parameters only, this needs a server that ignores the redirect URI of a request.
 */
export async function compareRedirects(
  probe: Probe,
  good: AcceptedRequest,
  bad: AuthorizationOutcome,
  uri: string,
): Promise<Comparison> {
  const { redirectUri } = probe.requireClient();
  const compared = compareAuthorizations(good, bad);
  if (bad.kind === 'granted' && !hasAddedCode(bad.sentTo, uri)) return { kind: 'refused', how: 'no code was added' };
  if (bad.kind !== 'granted' || !isAt(bad.sentTo ?? redirectUri, redirectUri)) return compared;
  if (isAt(uri, redirectUri) && !(await hasFixedDestination(probe))) return compared;
  return { kind: 'refused', how: 'the registered URI was used' };
}

/** Returns whether a response has a code that its redirect URI did not bring along. */
function hasAddedCode(location: string | null, uri: string): boolean {
  const own = URL.canParse(uri) ? new URL(uri).searchParams.get('code') : null;
  if (own === null || location === null || !URL.canParse(location)) return true;
  return new URL(location).searchParams.getAll('code').some((code) => !code.startsWith(own));
}

const removeParameters = (url: string): string => url.replace(/[?#].*$/s, '');
const isAt = (url: string, address: string): boolean =>
  removeParameters(url) === removeParameters(address) || removeParameters(url) === new URL(address).href;

/** An address that no client has registered. */
export const UNREGISTERED = 'https://unregistered.example/landing';

/** Returns where the code of a request for an unregistered address goes, or null if there is none. */
async function findCodeDestination(probe: Probe): Promise<string | null> {
  const outcome = await probe.authorize('An unregistered address', { redirect_uri: UNREGISTERED });
  return outcome.kind === 'granted' ? (outcome.sentTo ?? probe.requireClient().redirectUri) : null;
}

/** Returns whether the server sends a code to an unregistered address. */
export const isAnyAddressAccepted = async (probe: Probe): Promise<boolean> =>
  (await findCodeDestination(probe))?.startsWith(UNREGISTERED) ?? false;

/** Returns whether the server sends every code to the registered address and ignores that of the request. */
const hasFixedDestination = async (probe: Probe): Promise<boolean> => {
  const destination = await findCodeDestination(probe);
  return destination !== null && isAt(destination, probe.requireClient().redirectUri);
};

/** Differences of a token request from the valid one. */
export interface TokenAttempt extends TokenOptions {
  fields?: Fields;
}

/** Differences of a refresh from the valid one. */
interface RefreshAttempt extends TokenOptions {
  /** Fields that replace the refresh token. Null if they would be the valid request. */
  spell?: (tokens: Tokens & { refreshToken: string }) => Fields | null;
}

/**
 * Creates a control for redemptions that must be refused. All are tried with one code, which is then redeemed
 * correctly: success shows that the refusals had no other cause. If a refused attempt ends the code, each attempt gets
 * a separate code.
 */
export function defineRedemptionControl({
  attempts,
  grant: grantOf = (probe) => probe.requestCode(),
  more,
  ...description
}: ControlDraft & {
  grant?: (probe: Probe) => Promise<CodeGrant>;
  /** Redemptions of codes of other clients. They are left out if those clients get no code. */
  more?: (probe: Probe) => Promise<Record<string, Comparison>>;
  attempts: (probe: Probe, grant: CodeGrant) => Record<string, TokenAttempt> | Promise<Record<string, TokenAttempt>>;
}): Control {
  return defineControl({
    ...description,
    async probe(probe) {
      let grant = await grantOf(probe);
      const comparisons = new Map<string, Comparison>();
      const faults = new Map<string, TokenOutcome>();
      for (const [label, { fields, ...options }] of Object.entries(await attempts(probe, grant))) {
        const outcome = await probe.redeem(`Redeem with ${label}`, grant, fields, options);
        comparisons.set(label, compareTokens(outcome));
        if (outcome.kind === 'issued') grant = await grantOf(probe);
        if (describeFault(outcome) !== null) faults.set(label, outcome);
      }
      const attemptAgain = async (label: string) => {
        const own = await grantOf(probe);
        const { fields, ...options } = (await attempts(probe, own))[label] ?? {};
        return probe.redeem(`Redeem with ${label}`, own, fields, options);
      };
      const others = Object.entries((await more?.(probe).catch(ignoreUndecided)) ?? {});
      const redeemed = await probe.redeem('Redeem it correctly', grant);
      if (redeemed.kind !== 'issued') {
        await redeemCorrectly(probe, await grantOf(probe));
        for (const label of listLabels(comparisons, 'refused'))
          comparisons.set(label, compareTokens(await attemptAgain(label)));
      }
      for (const [label, outcome] of faults)
        comparisons.set(label, compareTokens(await repeatFault(outcome, () => attemptAgain(label))));
      return new Map([...comparisons, ...others]);
    },
    rule: judgeRefusals,
  });
}

/** Redeems a code correctly. @throws CannotProbe inconclusive if it is refused */
export async function redeemCorrectly(probe: Probe, grant: CodeGrant) {
  const outcome = await probe.redeem('Redeem a code correctly', grant);
  if (outcome.kind === 'issued') return outcome;
  throw new CannotProbe('inconclusive', `A correct redemption is refused, too: ${outcome.error ?? outcome.status}.`);
}

/**
 * Creates a control for refreshes that must be refused. A valid refresh with the same token comes last. If it fails,
 * each refused attempt is repeated with a separate token.
 */
export function defineRefreshControl({
  attempts,
  client: clientOf,
  more,
  ...description
}: ControlDraft & {
  client?: (probe: Probe) => TargetClient;
  /** Refreshes with tokens of other clients. They are left out if those clients get no token. */
  more?: (probe: Probe) => Promise<Record<string, Comparison>>;
  attempts: (probe: Probe) => Record<string, RefreshAttempt> | Promise<Record<string, RefreshAttempt>>;
}): Control {
  return defineControl({
    ...description,
    async probe(probe) {
      const tried = await attempts(probe);
      const client = clientOf?.(probe) ?? probe.requireClient();
      const requestTokens = () => probe.runCodeFlowWithRefresh({}, { client });
      let tokens = await requestTokens();
      const attempt = (label: string, own = tokens) => {
        const { spell, ...options } = tried[label] ?? {};
        const fields = spell?.(own) ?? {};
        return probe.refresh(`Refresh with ${label}`, own.refreshToken, fields, { client, ...options });
      };
      const refreshCorrectly = (token: string) => probe.refresh('Refresh correctly', token, {}, { client });
      const comparisons = new Map<string, Comparison>();
      const faults = new Map<string, TokenOutcome>();
      for (const [label, { spell }] of Object.entries(tried)) {
        if (spell?.(tokens) === null) continue;
        const outcome = await attempt(label);
        comparisons.set(label, compareTokens(outcome));
        if (outcome.kind === 'issued') tokens = await requestTokens();
        if (describeFault(outcome) !== null) faults.set(label, outcome);
      }
      const attemptAgain = async (label: string) => attempt(label, await requestTokens());
      const others = Object.entries((await more?.(probe).catch(ignoreUndecided)) ?? {});
      if ((await refreshCorrectly(tokens.refreshToken)).kind !== 'issued') {
        const control = await refreshCorrectly((await requestTokens()).refreshToken);
        if (control.kind !== 'issued') throw new CannotProbe('inconclusive', 'A correct refresh is refused, too.');
        for (const label of listLabels(comparisons, 'refused'))
          comparisons.set(label, compareTokens(await attemptAgain(label)));
      }
      for (const [label, outcome] of faults)
        comparisons.set(label, compareTokens(await repeatFault(outcome, () => attemptAgain(label))));
      return new Map([...comparisons, ...others]);
    },
    rule: judgeRefusals,
  });
}

/** Creates the reason for not judging a control: a broader control covers it and fails. */
export const createBroaderControlError = (control: string): CannotProbe =>
  new CannotProbe('not_applicable', `A broader control fails here: see ${control}.`);

/**
 * Creates the reason for not judging controls that need a client secret: no such client was given, or the server has
 * none.
 */
export async function explainNoSecret(probe: Probe): Promise<CannotProbe> {
  const { token_endpoint_auth_methods_supported: methods } = await probe.fetchServerMetadata();
  return Array.isArray(methods) && !methods.some((method) => /^client_secret_(basic|post)$/.test(String(method)))
    ? new CannotProbe('not_applicable', 'No client has a secret here.')
    : new CannotProbe('inconclusive', 'A client with a secret is needed.');
}
