import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { createUsageFailure } from '@/cli/failure';
import { isJsonObject } from '@/lib/json';
import type { Millis } from '@/lib/units';

/** Sources of secrets. */
export interface SecretSources {
  env: Readonly<Record<string, string | undefined>>;
  /** Directory that relative file names start from. */
  directory: string;
  /** Reads all of standard input, at most once. */
  readStdin: () => Promise<string>;
  /** Milliseconds since the epoch, against which certificates are checked. */
  now: () => Millis;
}

/** Secrets are referenced, so that the file never contains them. */
const Reference = z.union([
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ stdin: z.literal(true) }),
]);
type SecretReference = z.output<typeof Reference>;

const CLIENTS = ['client', 'other_client', 'native_client'];
/** Paths of secrets in the description of a server. */
const PLACES = [
  ...CLIENTS.flatMap((client) => [`${client}.secret`, `${client}.key`, `${client}.certificate`]),
  'cookie',
];

/**
 * Replaces references (`{env: NAME}`, `{file: PATH}`, `{stdin: true}`) in the description of a server by their secrets.
 * @throws Failure if the file itself contains a secret, or if one cannot be read
 */
export async function resolveSecrets(
  server: Readonly<Record<string, unknown>>,
  sources: SecretSources,
): Promise<Record<string, unknown>> {
  const filled: Record<string, unknown> = { ...server };
  const byStdin: string[] = [];
  for (const place of PLACES) {
    const [first = '', member] = place.split('.');
    const holder = member === undefined ? filled : filled[first];
    const name = member ?? first;
    if (!isJsonObject(holder) || holder[name] === undefined) continue;
    const reference = Reference.safeParse(holder[name]);
    if (!reference.success)
      throw createUsageFailure(
        `${place} must say where the secret is: {env: NAME}, {file: PATH} or {stdin: true}. Do not put secrets into the file.`,
      );
    if ('stdin' in reference.data) byStdin.push(place);
    if (byStdin.length > 1) throw createUsageFailure(`Standard input holds one secret, not ${byStdin.join(' and ')}.`);
    const secret = await readSecret(place, reference.data, sources);
    const value = name === 'key' ? parsePrivateKey(place, secret) : secret;
    if (member === undefined) filled[first] = value;
    else filled[first] = { ...holder, ...(isJsonObject(filled[first]) ? filled[first] : {}), [name]: value };
  }
  return filled;
}

async function readSecret(place: string, reference: SecretReference, sources: SecretSources): Promise<string> {
  const { env, directory, readStdin } = sources;
  const [text, source] =
    'env' in reference
      ? [env[reference.env] ?? '', `the variable ${reference.env}`]
      : 'stdin' in reference
        ? [await readStdin(), 'standard input']
        : [readSecretFile(place, resolve(directory, reference.file)), `the file ${reference.file}`];
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw createUsageFailure(`${place} is empty: ${source} holds nothing.`);
  return secret;
}

function readSecretFile(place: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
    throw createUsageFailure(`${place}: ${path} cannot be read (${code}).`);
  }
}

function parsePrivateKey(place: string, text: string): unknown {
  if (text.includes('-----BEGIN')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw createUsageFailure(`${place} must be a private key as JSON (JWK), or as PEM for a certificate.`);
  }
}
