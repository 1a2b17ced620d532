import type { CheckAnswer } from '@/client/check-answer';
import { SluiceError } from '@/client/error';

/** An answer, or the error of this check. */
export type Sendable = CheckAnswer | SluiceError;

/**
 * Retries a batch that was refused as a whole. Checks that the error names get their own refusal, and the others are
 * sent without them. If it names none, each half is sent separately.
 * @param ask sends checks
 * @throws any error of `ask`
 */
export async function divideChecks(
  error: SluiceError,
  texts: readonly string[],
  ask: (texts: readonly string[]) => Promise<Sendable[]>,
): Promise<Sendable[]> {
  const rejected = findRejected(error, texts.length);
  const parts = rejected.size > 0 ? splitRejected(texts, rejected) : splitInHalf(texts);
  const sent = await Promise.all(
    parts.map(async (indices) => {
      const own = rejected.get(indices[0] ?? -1);
      return own === undefined ? ask(indices.map((i) => texts[i] ?? '')) : [own];
    }),
  );
  const answers = new Map(parts.flatMap((indices, part) => indices.map((i, at) => [i, sent[part]?.[at]] as const)));
  return texts.map((_, i) => answers.get(i) ?? error);
}

/** Returns the checks that a batch's error names, each with the error of a single check. */
function findRejected(error: SluiceError, count: number): Map<number, SluiceError> {
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

/** Splits the indices: the other checks together, each rejected check separately. */
function splitRejected(texts: readonly string[], rejected: ReadonlyMap<number, SluiceError>): number[][] {
  const others = [...texts.keys()].filter((i) => !rejected.has(i));
  return [...(others.length === 0 ? [] : [others]), ...[...rejected.keys()].map((i) => [i])];
}

function splitInHalf(texts: readonly string[]): number[][] {
  const all = [...texts.keys()];
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}
