import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AssessmentChoices,
  type AssessmentConfiguration,
  configure,
  parseDocument,
} from '@/cli/assess/configuration';
import { type Input, isOn, readList, readText } from '@/cli/command';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure, Failure } from '@/cli/failure';
import { createAssessmentNetwork } from '@/lib/oauth/assessment/guarded-fetch';
import { isResource } from '@/lib/oauth/assessment/is-resource';

/** Reads the assessment from file and command line. `file` is the name of the file. @throws Failure */
export async function readOrder(
  context: CommandContext,
  input: Input,
): Promise<{ order: AssessmentConfiguration; file: string | undefined }> {
  const file = readText(input, 'config');
  const choices = readChoices(input);
  const { address } = choices;
  if (file === undefined && address === undefined)
    throw createUsageFailure('Nothing to assess is named.', 'Give an issuer, the URL of a resource, or --config FILE.');
  const document = file === undefined ? {} : readConfigurationDocument(file);
  const sources = {
    env: context.env,
    directory: file === undefined ? '.' : dirname(file),
    readStdin: () => context.readAllStdin(),
    now: () => context.now(),
  };
  const order = await configure(document, choices, sources).catch((fault: unknown) => {
    throw file === undefined ? fault : addFileName(file, fault);
  });
  if (address === undefined || choices.isResource === true || 'lab' in order.target) return { order, file };
  const { transport } = createAssessmentNetwork({ allowed: order.allowed });
  const found = await isResource(address, transport);
  return { order: found ? await configure(document, { ...choices, isResource: true }, sources) : order, file };
}

function readChoices(input: Input): AssessmentChoices {
  const buildSecretSource = (name: string | undefined, byStdin: boolean) =>
    byStdin ? { stdin: true as const } : name === undefined ? undefined : { env: name };
  const readFlag = (flag: string) => readText(input, flag);
  const choices = {
    address: input.arguments.address,
    isResource: isOn(input, 'resource') || undefined,
    name: readFlag('name'),
    clientId: readFlag('client-id'),
    redirectUri: readFlag('redirect-uri'),
    clientSecret: buildSecretSource(readFlag('client-secret-env'), isOn(input, 'client-secret-stdin')),
    scope: readFlag('scope'),
    login: readFlag('login'),
    cookie: buildSecretSource(readFlag('cookie-env'), false),
    allow: readList(input, 'allow'),
    off: readList(input, 'off'),
    isFapi: isOn(input, 'fapi') || undefined,
    failOn: readFlag('fail-on'),
  };
  // Exact optional members must be absent, so undefined choices are removed.
  return Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
}

function readConfigurationDocument(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'fault';
    throw createUsageFailure(`${file} cannot be read (${code}).`);
  }
  try {
    return parseDocument(text);
  } catch (fault) {
    throw addFileName(file, fault);
  }
}

/** Adds the name of the file to a failure about the description. */
function addFileName(file: string, fault: unknown): unknown {
  if (!(fault instanceof Failure)) return fault;
  return new Failure(fault.exitCode, fault.code, `${file}: ${fault.message}`, fault.more);
}
