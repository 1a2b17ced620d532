import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { ExplainQuestion } from '@/components/links/explain-question';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const text = parseAsString.withDefault('');

const PARAMETERS = {
  request_id: text,
  method: parseAsString.withDefault('GET'),
  path: text,
  class: parseAsStringLiteral(ENDPOINT_CLASSES),
  ip: text,
  user_id: text,
  api_key_id: text,
  client_id: text,
  /** Name of a named limit, and the subject that it is asked for. */
  limit: text,
  subject: text,
};

/** Stores the question in the page's URL, so that a link shows others the same explanation. */
export function useQuestionUrl() {
  return useQueryStates(PARAMETERS, { history: 'push' });
}

export type AskedQuestion = ReturnType<typeof useQuestionUrl>[0];

/** Converts the URL's question for the API. Null if it names no limit, and no caller or no request. */
export function parseQuestion(question: AskedQuestion): ExplainQuestion | null {
  const { method, path, class: endpointClass, ip, user_id, api_key_id, client_id, limit } = question;
  // The API key is the subject of a limit that is asked for without one.
  const subject = question.subject || api_key_id;
  const isLimited = limit !== '' && subject !== '';
  if (!isLimited && [ip, user_id, api_key_id, client_id].every((one) => one === '')) return null;
  if (!isLimited && endpointClass === null && path === '') return null;
  return {
    ...(endpointClass === null ? {} : { class: endpointClass }),
    ...(path === '' ? {} : { method, path }),
    ...(ip === '' ? {} : { ip }),
    ...(user_id === '' ? {} : { user_id }),
    ...(api_key_id === '' ? {} : { api_key_id }),
    ...(client_id === '' ? {} : { client_id }),
    ...(isLimited ? { limits: [{ name: limit, subject }] } : {}),
  };
}

/** Converts a question into form values. Inverse of `parseQuestion`, which reads one named limit. */
export function formatQuestion(question: ExplainQuestion): Omit<AskedQuestion, 'request_id'> {
  return {
    method: question.method ?? 'GET',
    path: question.path ?? '',
    class: question.class ?? null,
    ip: question.ip ?? '',
    user_id: question.user_id ?? '',
    api_key_id: question.api_key_id ?? '',
    client_id: question.client_id ?? '',
    limit: question.limits?.[0]?.name ?? '',
    subject: question.limits?.[0]?.subject ?? '',
  };
}

/** Links to the page with a question. */
export function buildExplainHref(question: Partial<Record<keyof AskedQuestion, string | null | undefined>>): string {
  const entries = Object.entries(question).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `/limits/explain?${new URLSearchParams(entries)}`;
}
