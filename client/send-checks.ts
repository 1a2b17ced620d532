import type { CheckAnswer } from '@/client/check-answer';
import type { Sendable } from '@/client/divide-checks';
import { buildError, SluiceError } from '@/client/error';
import type { Ask, OnCancel } from '@/client/exchange';
import { createUnexpectedAnswerError, parseBody, parseErrorBody } from '@/client/transport';

/**
 * Requests decisions for checks, each given as JSON. Answers keep the order, and each equals the answer to a single
 * check. A check that the server cannot read does not affect others, because a request that is refused as a whole
 * counts nothing.
 * @throws SluiceError if no check is decided
 */
export async function sendChecks(exchange: Ask, texts: readonly string[], onCancel: OnCancel): Promise<Sendable[]> {
  const isSingle = texts.length === 1;
  const path = isSingle ? '/v1/check' : '/v1/check/batch';
  const body = isSingle ? (texts[0] ?? '') : `[${texts.join(',')}]`;
  try {
    const received = await exchange(path, body, onCancel);
    if (received.status !== 200) throw buildError(received, parseErrorBody(received.text));
    const decoded = parseBody(received, received.text);
    const answers: unknown = isSingle ? [decoded] : decoded;
    if (isAnswers(answers) && answers.length === texts.length) return answers;
    throw createUnexpectedAnswerError(received, 'The server did not answer with the decisions that were asked for.');
  } catch (error) {
    if (!(error instanceof SluiceError) || !isUnread(error)) throw error;
    if (isSingle) return [error];
    // Loaded on demand, because few programs send invalid checks.
    const { divideChecks } = await import('@/client/divide-checks');
    return divideChecks(error, texts, (part) => sendChecks(exchange, part, onCancel));
  }
}

/** True if the server refused the whole request and decided nothing. */
export function isUnread({ code, status }: SluiceError): boolean {
  return (status === 400 && code === 'invalid_request') || status === 413;
}

function isAnswers(value: unknown): value is CheckAnswer[] {
  return Array.isArray(value) && value.every((answer) => typeof Object(answer).allowed === 'boolean');
}
