import type { CheckAnswer } from '@/client/check-answer';
import { errorOf, SluiceError } from '@/client/error';
import type { Ask, OnCancel } from '@/client/exchange';
import { jsonOr, parsed, unexpected } from '@/client/transport';

/** An answer, or the error of this check alone. */
export type Sendable = CheckAnswer | SluiceError;

/**
 * Asks for decisions on checks, each as JSON. The answers are in order, and each is what the check alone would get: one that
 * the server cannot read spoils no other, because a request that is refused as a whole has counted nothing.
 * @throws SluiceError where no check is decided
 */
export async function sendChecks(exchange: Ask, texts: readonly string[], onCancel: OnCancel): Promise<Sendable[]> {
  const alone = texts.length === 1;
  const path = alone ? '/v1/check' : '/v1/check/batch';
  const body = alone ? (texts[0] ?? '') : `[${texts.join(',')}]`;
  try {
    const received = await exchange(path, body, onCancel);
    if (received.status !== 200) throw errorOf(received, jsonOr(received.text));
    const decoded = parsed(received, received.text);
    const answers: unknown = alone ? [decoded] : decoded;
    if (isAnswers(answers) && answers.length === texts.length) return answers;
    throw unexpected(received, 'The server did not answer with the decisions that were asked for.');
  } catch (error) {
    if (!(error instanceof SluiceError) || !isUnread(error)) throw error;
    if (alone) return [error];
    const rejected = rejectedChecks(error, texts.length);
    const parts = rejected.size > 0 ? apart(texts, rejected) : halves(texts);
    const sent = await Promise.all(
      parts.map(async (indices) => {
        const own = rejected.get(indices[0] ?? -1);
        const asked = indices.map((i) => texts[i] ?? '');
        return own === undefined ? sendChecks(exchange, asked, onCancel) : [own];
      }),
    );
    const answers = new Map(parts.flatMap((indices, part) => indices.map((i, at) => [i, sent[part]?.[at]] as const)));
    return texts.map((_, i) => answers.get(i) ?? error);
  }
}

/** Whether the server refuses what was sent, and has decided nothing of it. */
export function isUnread({ code, status }: SluiceError): boolean {
  return (status === 400 && code === 'invalid_request') || status === 413;
}

/** The checks that an error of a batch names, each with the error that it alone would get. */
function rejectedChecks(error: SluiceError, count: number): Map<number, SluiceError> {
  const details = new Map<number, { path: string; message: string }[]>();
  for (const { path, message } of error.details) {
    const [, index, rest] = /^(\d+)\.?(.*)$/.exec(path) ?? [];
    if (index === undefined || Number(index) >= count) return new Map();
    details.set(Number(index), [...(details.get(Number(index)) ?? []), { path: rest || 'body', message }]);
  }
  const [first] = error.details;
  return new Map(
    [...details].map(([index, own]) => {
      const [ownFirst] = own;
      const named = `${first?.path} ${first?.message}`;
      const message = error.message.replace(named, () => `${ownFirst?.path} ${ownFirst?.message}`);
      return [index, new SluiceError(error.code, message, { ...error, details: own })];
    }),
  );
}

/** The others together, and each of the rejected by itself. */
function apart(texts: readonly string[], rejected: ReadonlyMap<number, SluiceError>): number[][] {
  const others = [...texts.keys()].filter((i) => !rejected.has(i));
  return [...(others.length === 0 ? [] : [others]), ...[...rejected.keys()].map((i) => [i])];
}

function halves(texts: readonly string[]): number[][] {
  const all = [...texts.keys()];
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}

function isAnswers(value: unknown): value is CheckAnswer[] {
  return Array.isArray(value) && value.every((answer) => typeof Object(answer).allowed === 'boolean');
}
