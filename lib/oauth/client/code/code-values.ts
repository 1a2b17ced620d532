import type { ClientEnvironment } from '@/lib/oauth/client/environment';
import type { ClientFlow, PlannedRequest } from '@/lib/oauth/client/plan-request';
import type { ServerMetadata } from '@/lib/oauth/client/server-metadata';
import { quoteForShell } from '@/lib/shell-quote';

/** Languages in which a request can be shown as code. */
export const CODE_LANGUAGES = ['curl', 'fetch', 'openid-client'] as const;

/** Input of the code generators. */
export interface CodeInput {
  planned: PlannedRequest;
  environment: ClientEnvironment;
  metadata: ServerMetadata | null;
  flow: ClientFlow;
  /** Private JWK of the DPoP client, as text. Empty if there is none. */
  proofKey: string;
  /** Latest DPoP nonce from the server. */
  nonce?: string;
  /** True if the code contains secrets. Otherwise it reads them from environment variables. */
  showSecrets: boolean;
}

/** A value in code: a text, or the environment variable that contains it. */
export type CodeValue = { kind: 'text'; text: string } | { kind: 'variable'; name: string };

const SECRET_PARAMETER = /^(?:code|code_verifier|client_secret|client_assertion|password|(?:\w+_)?token)$/;

/**
 * Returns the value of a parameter. Unless secrets are shown, a secret becomes an environment variable named after it.
 */
export function buildParameterValue(name: string, text: string, showSecrets: boolean): CodeValue {
  return buildSecretValue(name.toUpperCase(), text, showSecrets || !SECRET_PARAMETER.test(name));
}

export function buildSecretValue(name: string, text: string, showSecrets: boolean): CodeValue {
  return showSecrets ? { kind: 'text', text } : { kind: 'variable', name };
}

/** Formats a value as JavaScript: a literal, or `process.env`. */
export function formatJsValue(value: CodeValue): string {
  return value.kind === 'text' ? formatJsLiteral(value.text) : `process.env.${value.name}`;
}

/**
 * Formats a text as a JavaScript literal that can be pasted anywhere. It escapes U+2028 and `</`, which JSON leaves
 * unescaped.
 */
export function formatJsLiteral(text: string): string {
  return JSON.stringify(text)
    .replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`)
    .replaceAll('</', '<\\/');
}

/** Formats an object literal over several lines. Its values are code. */
export function formatJsObject(members: readonly (readonly [string, string])[], indent = ''): string {
  if (members.length === 0) return '{}';
  const name = (text: string) => {
    // A plain member with this name would set the prototype.
    if (text === '__proto__') return '["__proto__"]';
    return /^[A-Za-z_$][\w$]*$/.test(text) ? text : formatJsLiteral(text);
  };
  const lines = members.map(([member, code]) => `${indent}  ${name(member)}: ${code},\n`);
  return `{\n${lines.join('')}${indent}}`;
}

/** Quotes a value as one word of a POSIX shell, after `prefix`, so that the shell executes none of it. */
export function quoteShellWord(prefix: string, value: CodeValue): string {
  if (value.kind === 'text') return quoteForShell(prefix + value.text);
  return /^[\w .:=/%+*-]*$/.test(prefix) ? `"${prefix}$${value.name}"` : `${quoteForShell(prefix)}"$${value.name}"`;
}

/** Lists the variables in the code, in order. They must be set before the code runs. */
export function listVariables(code: string): readonly string[] {
  const found = [...code.matchAll(/(?:process\.env\.|\$)([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name);
  return [...new Set(found)];
}
