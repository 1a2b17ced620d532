import { z } from 'zod';
import { resolveSecrets, type SecretSources } from '@/cli/assess/secrets';
import { createUsageFailure } from '@/cli/failure';
import { readYaml } from '@/cli/yaml';
import { type ServerTarget, ServerTargetInput } from '@/lib/contract/assessment-target';
import { TimestampText } from '@/lib/contract/fields/timestamp';
import { FAPI_REQUIREMENTS, SWITCHES } from '@/lib/contract/lab-switches';
import { type AllowedTargets, parseAllowedTarget } from '@/lib/http/allowed-targets';
import { findCertificateProblem } from '@/lib/oauth/assessment/client-certificate';
import type { ControlSwitch, FapiRequirement } from '@/lib/oauth/lab/controls';
import { isControl } from '@/lib/oauth/report/describe-control';

/** Severities for `--fail-on`, worst first. */
export const FAIL_ON = ['critical', 'high', 'medium', 'low'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** Acceptance of a failed control: the reason and the end. Null means forever. */
interface ConfiguredAcceptance {
  reason: string;
  until: string | null;
}

/** An assessment, as described by its file and options. */
export interface AssessmentConfiguration {
  name?: string;
  target: { lab: { off: ControlSwitch[]; requirements: FapiRequirement[] } } | { server: ServerTarget };
  allowed: AllowedTargets;
  failOn?: FailOn;
  accepted: ReadonlyMap<string, ConfiguredAcceptance>;
}

/** Choices on the command line. They override the file. */
export interface AssessmentChoices {
  /** An issuer, the URL of a protected resource, or `lab`. */
  address?: string;
  /** True if the address is a protected resource, such as an MCP server. */
  isResource?: boolean;
  name?: string;
  clientId?: string;
  redirectUri?: string;
  clientSecret?: { env: string } | { stdin: true };
  scope?: string;
  login?: string;
  cookie?: { env: string } | { stdin: true };
  allow?: readonly string[];
  off?: readonly string[];
  /** True to switch on every requirement of FAPI 2.0 in the lab. */
  isFapi?: boolean;
  failOn?: string;
}

/** Default redirect URI. */
export const LOOPBACK_REDIRECT_URI = 'http://127.0.0.1:8976/callback';

const Acceptance = z.strictObject({
  reason: z.string().trim().min(1).max(500),
  until: TimestampText.nullable().default(null),
});

const Own = z.object({
  name: z.string().trim().min(1).max(100).optional(),
  allow: z.array(z.string()).default([]),
  fail_on: z.enum(FAIL_ON, `must be one of ${FAIL_ON.join(', ')}`).optional(),
  accepted: z
    .record(
      z.string().refine(isControl, 'is not a control of the catalogue (`sluice oauth controls` lists them)'),
      Acceptance,
    )
    .default({}),
  off: z.array(z.enum(SWITCHES, 'must be a control that the lab can switch off')).default([]),
  requirements: z.array(z.enum(FAPI_REQUIREMENTS, 'must be a requirement that the lab can switch on')).default([]),
});
const OWN = Object.keys(Own.shape);

/** Parses a configuration file in YAML or JSON. @throws Failure */
export function parseDocument(text: string): Record<string, unknown> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(readYaml(text, 'It').value ?? {});
  if (!parsed.success) throw createUsageFailure('It must be a mapping, such as `issuer: https://login.example.com`.');
  return parsed.data;
}

/**
 * Combines file and command line into an assessment.
 * @throws Failure with a sentence
 */
export async function configure(
  document: Readonly<Record<string, unknown>>,
  choices: AssessmentChoices,
  sources: SecretSources,
): Promise<AssessmentConfiguration> {
  const isOwn = ([key]: [string, unknown]) => OWN.includes(key);
  const entries = Object.entries(document);
  const own = parseOrFail(Own, {
    ...Object.fromEntries(entries.filter(isOwn)),
    ...omitUndefined({
      name: choices.name,
      fail_on: choices.failOn,
      off: choices.off?.length === 0 ? undefined : choices.off,
      requirements: choices.isFapi === true ? FAPI_REQUIREMENTS : undefined,
    }),
  });
  const described = Object.fromEntries(entries.filter((entry) => !isOwn(entry)));
  const allow = [...(sources.env.SLUICE_ASSESS_ALLOW ?? '').split(','), ...own.allow, ...(choices.allow ?? [])];
  return {
    ...(own.name === undefined ? {} : { name: own.name }),
    ...(own.fail_on === undefined ? {} : { failOn: own.fail_on }),
    target:
      choices.address === 'lab'
        ? { lab: { off: own.off, requirements: own.requirements } }
        : { server: await describeServer(described, choices, sources) },
    allowed: parseAllowedTargets(allow.map((entry) => entry.trim()).filter((entry) => entry !== '')),
    accepted: new Map(Object.entries(own.accepted)),
  };
}

async function describeServer(
  described: Readonly<Record<string, unknown>>,
  choices: AssessmentChoices,
  sources: SecretSources,
): Promise<ServerTarget> {
  const { address, isResource = false, scope, login, cookie } = choices;
  if (address !== undefined && !/^https?:\/\//.test(address))
    throw createUsageFailure(
      'The address must begin with https:// (or http://): an issuer, or the URL of a protected resource.',
    );
  // An address on the command line replaces every address in the file.
  const { issuer, resource_url, endpoints, ...rest } = described;
  const where =
    address === undefined
      ? omitUndefined({ issuer, resource_url, endpoints })
      : isResource
        ? { resource_url: address }
        : { issuer: address, ...omitUndefined({ resource_url, endpoints }) };
  const client = describeClient(described.client, choices);
  const server = { ...rest, ...where, ...omitUndefined({ client, scope, login, cookie }) };
  const parsed = parseOrFail(ServerTargetInput, await resolveSecrets(server, sources));
  const problem = findCertificateProblem(parsed, sources.now());
  if (problem !== null) throw createUsageFailure(`${problem.path} ${problem.message}.`);
  return parsed;
}

function describeClient(described: unknown, { clientId, redirectUri, clientSecret }: AssessmentChoices): unknown {
  const changes = omitUndefined({ client_id: clientId, redirect_uri: redirectUri, secret: clientSecret });
  if (described === undefined && Object.keys(changes).length === 0) return undefined;
  const client: Record<string, unknown> = {
    redirect_uri: LOOPBACK_REDIRECT_URI,
    ...(typeof described === 'object' ? described : {}),
    ...changes,
  };
  return client.secret === undefined ? client : { authentication: 'basic', ...client };
}

/** @throws Failure for an entry that is neither a range nor a host name */
function parseAllowedTargets(entries: readonly string[]): AllowedTargets {
  const parsed = entries.map((entry) => {
    const target = parseAllowedTarget(entry);
    if (target === null)
      throw createUsageFailure(
        `What may be reached must be a CIDR range, an address or a host name, not ${JSON.stringify(entry)}.`,
      );
    return target;
  });
  return {
    ranges: parsed.filter((target) => typeof target !== 'string'),
    hosts: parsed.filter((target) => typeof target === 'string'),
  };
}

/** Omits members that are undefined. */
function omitUndefined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** @throws Failure with a sentence for each error */
function parseOrFail<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw createUsageFailure(parsed.error.issues.map(describeIssue).join(' '));
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return `${[...issue.path, ''].join('.')}${issue.keys.join(', ')} is not known here.`;
  const [first] = issue.code === 'invalid_key' ? issue.issues : [];
  const message = first?.message ?? issue.message;
  return /^(must|is|has)\b/.test(message)
    ? `${place === '' ? 'The file' : place} ${message}.`
    : `${place === '' ? 'The file' : place}: ${message}.`;
}
