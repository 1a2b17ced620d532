import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Success } from '@/lib/oauth/assessment/sender';
import { type ControlVerdict, createInconclusive } from '@/lib/oauth/assessment/verdict';
import { REMEDIES } from '@/lib/oauth/controls/remedies/remedies';
import type { Remedy } from '@/lib/oauth/controls/remedies/remedy';

/** Severity of a missing control, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Area of a control in the flow. It is also the name of the file or folder that defines the control. */
export const AREAS = ['authorization', 'code', 'token', 'resource', 'transport'] as const;
export type Area = (typeof AREAS)[number];

/**
 * Cost of probing a control, the cheapest first. An assessment follows this order. `harmless` ends nothing. `waits`
 * waits until codes and tokens expire. `ends-grant` may cause the server to revoke the user's grant.
 */
export const COSTS = ['harmless', 'waits', 'ends-grant'] as const;
type Cost = (typeof COSTS)[number];

/**
 * Inputs that a person may give in addition to the issuer. `login`: a person signs in, or gives a session cookie.
 * `server key`: the target can sign any token, like the lab. `patience`: time to wait until codes and tokens expire.
 */
const NEEDS = [
  'client',
  'login',
  'second client',
  'confidential client',
  'client with a key',
  'client with a certificate',
  'native client',
  'several redirect URIs',
  'post-logout redirect URI',
  'resource',
  'resource scope',
  'server key',
  'patience',
] as const;
export type Need = (typeof NEEDS)[number];

/** A control without its code. */
export interface ControlDescription {
  id: string;
  /** Correct behaviour of a server, shown as the title. */
  title: string;
  /** Wrong behaviour of a server that fails the control. */
  wrong: string;
  severity: Severity;
  area: Area;
  /** Sections of specifications, such as `RFC 9700 2.1`. */
  source: readonly string[];
  /** The corresponding OAuch test, if there is one. */
  oauch?: string;
  /** Whether the lab can switch it off. */
  switchable: boolean;
  /** Inputs needed to decide it. Empty if the issuer is enough. */
  needs: readonly Need[];
  cost: Cost;
  /** The attack it prevents, in one sentence. */
  protectsFrom: string;
  /** Instructions to fix a server that fails the control. */
  remedy: Remedy;
  tries: Tries;
}

/**
 * Everything that a control tries or reads, by its label in verdicts and evidence, with the public finding that it
 * stems from: advisories (`CVE-...`, `GHSA-...`), or else the section of the specification that forbids it.
 */
export type Tries = Readonly<Record<string, string>>;

/**
 * Success that must be observed before a control passes: an authorization request was accepted, a token was issued, or
 * a resource opened. `answer`: the answers themselves show the property, such as a header or a published key.
 */
type Evidence = Success | 'answer';

/** Description of a control as its file defines it. */
export type ControlDraft<T extends Tries = Tries> = Omit<ControlDescription, 'remedy' | 'cost' | 'tries'> & {
  cost?: Cost;
  tries: T;
  /** Default by the needs: access to the resource, else a token, else an accepted request. */
  evidence?: Evidence;
};

/** A control as its file defines it: what to send, and what to expect. */
type ControlDefinition<Seen> = ControlDraft & {
  /** Exchanges requests with the target and returns the observations. @throws CannotProbe */
  probe(probe: Probe): Promise<Seen>;
  /** Judges the observations. Pure function. */
  rule(seen: Seen): ControlVerdict;
};

/** A control as an assessment uses it. */
export interface Control extends ControlDescription {
  /** @throws CannotProbe */
  evaluate(probe: Probe): Promise<ControlVerdict>;
}

/**
 * Creates a control. It passes only if a valid request succeeds: a server that refuses every request passes no control.
 */
export function defineControl<Seen>(definition: ControlDefinition<Seen>): Control {
  const { probe: observe, rule, cost = 'harmless', evidence = chooseEvidence(definition), ...description } = definition;
  const remedy = REMEDIES[description.id];
  if (remedy === undefined) throw new TypeError(`The control ${description.id} has no remedy.`);
  return {
    ...description,
    remedy,
    cost,
    async evaluate(probe) {
      const verdict = rule(await observe(probe));
      if (verdict.kind !== 'passed' || evidence === 'answer' || probe.hasSucceeded(evidence)) return verdict;
      return createInconclusive(`No ${MISSING[evidence]}, so a refusal proves nothing.`);
    },
  };
}

const MISSING: Readonly<Record<Success, string>> = {
  authorization: 'valid authorization request was accepted',
  token: 'token was issued',
  access: 'token opened the resource',
};

function chooseEvidence({ area, needs }: Pick<ControlDraft, 'area' | 'needs'>): Evidence {
  if (needs.includes('resource') && needs.includes('login')) return 'access';
  if (area !== 'authorization' && needs.includes('login')) return 'token';
  return needs.some((need) => need.endsWith('client')) ? 'authorization' : 'answer';
}
