import type { JSONWebKeySet } from 'jose';
import { parseJsonObject } from '@/lib/oauth/assessment/exchange';
import { type ClientCheck, check, createUnchecked } from '@/lib/oauth/client/client-check';
import type { ClientStep } from '@/lib/oauth/client/client-step';
import type { ClientEnvironment } from '@/lib/oauth/client/environment';
import { type ClientFlow, hasOpenidScope, type PlannedRequest, TOKEN_STEPS } from '@/lib/oauth/client/plan-request';
import { readClaims } from '@/lib/oauth/token/read-token';
import type { Seconds } from '@/lib/units';

/** An answer as received. */
export interface ClientAnswer {
  status: number;
  headers: readonly (readonly [string, string])[];
  body: string;
}

interface AnswerContext {
  planned: PlannedRequest;
  environment: ClientEnvironment;
  /** State of the flow when the request was sent. */
  flow: ClientFlow;
  keys: JSONWebKeySet | null;
  now: Seconds;
}

export const findHeader = ({ headers }: ClientAnswer, wanted: string): string | null =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Extracts the values that the next steps of the flow need from an answer. */
export function learnFrom(step: ClientStep, answer: ClientAnswer): Partial<ClientFlow> {
  if (answer.status >= 300) return {};
  const body = parseJsonObject(answer.body);
  if (step === 'par') return { requestUri: readText(body.request_uri) };
  if (!TOKEN_STEPS.has(step) && step !== 'authorize') return {};
  const learnt = {
    // The lab answers authorization requests of programs with JSON, and with tokens in the implicit grant.
    ...(step === 'authorize' ? { code: readText(body.code) } : {}),
    accessToken: readText(body.access_token),
    refreshToken: readText(body.refresh_token),
    idToken: readText(body.id_token),
  };
  return {
    ...Object.fromEntries(Object.entries(learnt).filter(([, token]) => token !== '')),
    tokenType: readText(body.token_type).toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer',
    // A code and a pushed request work once, so the used request_uri is dropped.
    ...(step === 'token' ? { requestUri: '' } : {}),
  };
}

/** Makes the checks that a client must make on an answer. Never throws. */
export async function checkAnswer(answer: ClientAnswer, context: AnswerContext): Promise<ClientCheck[]> {
  const { step } = context.planned;
  const body = parseJsonObject(answer.body);
  if (answer.status >= 300) return [buildErrorCheck(answer, body)];
  if (TOKEN_STEPS.has(step)) return checkTokens(answer, body, context);
  if (step === 'par') {
    const uri = readText(body.request_uri);
    return [
      check('status', 'RFC 9126 2.2', answer.status === 201, 'The status is 201.', `The status is ${answer.status}.`),
      check('request_uri', 'RFC 9126 2.2', uri !== '', 'A reference came back.', 'There is no request_uri.'),
    ];
  }
  if (step === 'userinfo') return [checkSubject(answer, body, context.flow.idToken)];
  if (step === 'introspect')
    return [
      check(
        'active',
        'RFC 7662 2.2',
        typeof body.active === 'boolean',
        describeActiveState(body),
        'The answer lacks active.',
      ),
    ];
  if (step === 'revoke')
    return [
      check(
        'status',
        'RFC 7009 2.2',
        answer.status === 200,
        'The server ended it, or never knew it.',
        'Not status 200.',
      ),
    ];
  return [];
}

const describeActiveState = (body: Readonly<Record<string, unknown>>): string =>
  body.active === true ? 'The token is active.' : 'The token is not active.';

function buildErrorCheck(answer: ClientAnswer, body: Readonly<Record<string, unknown>>): ClientCheck {
  const challenge = findHeader(answer, 'www-authenticate')?.match(/error="?([\w.-]+)/)?.[1];
  const code = readText(body.error) || challenge;
  const text = `The server refused with status ${answer.status}${code ? ` and ${code}` : ''}.`;
  return check('answer', 'RFC 6749 5.2', false, '', text);
}

type Json = Readonly<Record<string, unknown>>;

async function checkTokens(answer: ClientAnswer, body: Json, context: AnswerContext): Promise<ClientCheck[]> {
  const { planned, environment, flow } = context;
  const tokenType = readText(body.token_type);
  const accessToken = readText(body.access_token);
  const idToken = readText(body.id_token);
  const store = /no-store/i.test(findHeader(answer, 'cache-control') ?? '');
  const checks = [
    check(
      'access_token',
      'RFC 6749 5.1',
      accessToken !== '',
      'An access token came back.',
      'There is no access token.',
    ),
    check(
      'token_type',
      planned.proof ? 'RFC 9449 5' : 'RFC 6749 5.1',
      tokenType.toLowerCase() === (planned.proof ? 'dpop' : 'bearer'),
      `The token is of the type that was asked for (${tokenType}).`,
      planned.proof
        ? 'The token is not bound to the key: the server ignored the DPoP proof.'
        : 'The type of the token is not Bearer.',
    ),
    check('Cache-Control', 'RFC 6749 5.1', store, 'The answer may not be stored.', 'The answer lacks no-store.'),
    checkScope(body, environment.scope, planned.step),
  ];
  if (idToken !== '') {
    const { client_id: clientId, issuer, secret } = environment;
    const { checkIdToken } = await import('@/lib/oauth/client/check-id-token');
    const nonce = planned.step === 'token' && flow.nonce !== '' ? flow.nonce : null;
    checks.push(
      ...(await checkIdToken(idToken, { ...context, issuer, clientId, nonce, accessToken, secret })),
      ...(planned.step === 'refresh' ? [checkSameSubject(idToken, flow.idToken)] : []),
    );
  } else if (planned.step === 'token' && hasOpenidScope(environment.scope)) {
    checks.push(
      check('ID token', 'OpenID Connect Core 3.1.3.3', false, '', 'The scope openid was asked for; no ID token came.'),
    );
  }
  return checks;
}

function checkScope(body: Json, requestedScope: string, step: ClientStep): ClientCheck {
  const about = ['scope', 'RFC 6749 5.1'] as const;
  if (typeof body.scope !== 'string')
    return createUnchecked(...about, 'The answer names no scope: it is the one that was asked for.');
  if (step !== 'token') return check(...about, true, `Granted: ${body.scope || 'none'}.`, '');
  const granted = body.scope.split(' ');
  const more = granted.filter((name) => name !== '' && !requestedScope.split(' ').includes(name));
  const fewer = requestedScope.split(' ').filter((name) => !granted.includes(name));
  return check(
    ...about,
    more.length === 0,
    fewer.length === 0 ? 'The requested scope was granted.' : `Granted without ${fewer.join(', ')}.`,
    `More was granted than asked for: ${more.join(', ')}.`,
  );
}

function readSubject(idToken: string): unknown {
  return readClaims(idToken)?.sub;
}

function checkSameSubject(idToken: string, before: string): ClientCheck {
  const about = ['ID token sub', 'OpenID Connect Core 12.2'] as const;
  const expected = readSubject(before);
  if (expected === undefined) return createUnchecked(...about, 'There was no ID token before.');
  return check(...about, readSubject(idToken) === expected, 'Same person as before.', 'Another person.');
}

function checkSubject(answer: ClientAnswer, body: Json, idToken: string): ClientCheck {
  const about = ['sub', 'OpenID Connect Core 5.3.2'] as const;
  const signed = /^application\/jwt/i.test(findHeader(answer, 'content-type') ?? '');
  const subject = signed ? readSubject(answer.body) : body.sub;
  if (typeof subject !== 'string') return check(...about, false, '', 'The answer has no sub.');
  const expected = readSubject(idToken);
  if (expected === undefined) return createUnchecked(...about, 'There is no ID token to compare the subject with.');
  return check(...about, subject === expected, 'The person of the ID token.', 'Another person than in the ID token.');
}
