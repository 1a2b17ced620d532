import type { ClientEnvironment } from '@/lib/oauth/client/environment';
import type { ClientFlow, PlannedRequest } from '@/lib/oauth/client/plan-request';
import type { ServerMetadata } from '@/lib/oauth/client/server-metadata';

/** What a request can be written in. */
export const CODE_LANGUAGES = ['curl', 'fetch', 'openid-client'] as const;

/** What code is written from. */
export interface CodeInput {
  planned: PlannedRequest;
  environment: ClientEnvironment;
  metadata: ServerMetadata | null;
  flow: ClientFlow;
  /** The private JWK of the DPoP client, as text; empty where there is none. */
  proofKey: string;
  /** The DPoP nonce that the server gave last. */
  nonce?: string;
  /** Whether secrets stand in the code. Otherwise it reads environment variables. */
  showSecrets: boolean;
}

/** A value in code: a text, or the environment variable that holds it. */
export type CodeValue = { kind: 'text'; text: string } | { kind: 'variable'; name: string };

const SECRET_PARAMETER = /^(?:code|code_verifier|client_secret|client_assertion|password|(?:\w+_)?token)$/;

/** A parameter's value, behind a variable of its name where it opens something. */
export function parameterValue(name: string, text: string, showSecrets: boolean): CodeValue {
  return secretValue(name.toUpperCase(), text, showSecrets || !SECRET_PARAMETER.test(name));
}

export function secretValue(name: string, text: string, showSecrets: boolean): CodeValue {
  return showSecrets ? { kind: 'text', text } : { kind: 'variable', name };
}

/** A value as JavaScript: a literal, or `process.env`. */
export function jsValue(value: CodeValue): string {
  return value.kind === 'text' ? jsLiteral(value.text) : `process.env.${value.name}`;
}

/** A text as JavaScript that is safe wherever it is pasted: U+2028 and `</` are legal in JSON only. */
export function jsLiteral(text: string): string {
  return JSON.stringify(text)
    .replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`)
    .replaceAll('</', '<\\/');
}

/** An object literal over several lines. Its values are code. */
export function jsObject(members: readonly (readonly [string, string])[], indent = ''): string {
  if (members.length === 0) return '{}';
  const name = (text: string) => {
    // A plain member of this name would set the prototype.
    if (text === '__proto__') return '["__proto__"]';
    return /^[A-Za-z_$][\w$]*$/.test(text) ? text : jsLiteral(text);
  };
  const lines = members.map(([member, code]) => `${indent}  ${name(member)}: ${code},\n`);
  return `{\n${lines.join('')}${indent}}`;
}

/** A value as one word of a POSIX shell, after `prefix`. Whatever is in it, nothing of it is run. */
export function shellWord(prefix: string, value: CodeValue): string {
  if (value.kind === 'text') return shellQuote(prefix + value.text);
  return /^[\w .:=/%+*-]*$/.test(prefix) ? `"${prefix}$${value.name}"` : `${shellQuote(prefix)}"$${value.name}"`;
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The names that stand in code as variables, in order: what has to be set before it runs. */
export function variablesIn(code: string): readonly string[] {
  const found = [...code.matchAll(/(?:process\.env\.|\$)([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name);
  return [...new Set(found)];
}
