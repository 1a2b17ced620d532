import { z } from 'zod';

const PREFIX = 'sluice.draft.';
const MOST = 20;
const MOST_CHARACTERS = 100_000;
/** Names of fields that are never stored. */
const SECRET = /password|passphrase|secret|token$|cookie|private|otp|recovery|^key$/i;

const StoredDraft = z.object({
  /** Time of the draft's last edit. */
  at: z.iso.datetime(),
  /** Saved values at the time the draft was begun. */
  before: z.record(z.string(), z.unknown()),
  draft: z.record(z.string(), z.unknown()),
});
export type StoredDraft = z.infer<typeof StoredDraft>;

/** Returns sessionStorage, so that drafts end with the browser tab. Null if the browser forbids it. */
function findStorage(): Storage | null {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

export function readDraft(name: string): StoredDraft | null {
  try {
    return StoredDraft.parse(JSON.parse(findStorage()?.getItem(PREFIX + name) ?? 'null'));
  } catch {
    return null;
  }
}

/** Stores a draft without its secrets and keeps the newest twenty drafts. A draft that is too long is not stored. */
export function keepDraft(name: string, { at, before, draft }: StoredDraft): void {
  const text = JSON.stringify({ at, before: removeSecrets(before), draft: removeSecrets(draft) });
  dropDraft(name);
  if (text.length > MOST_CHARACTERS) return;
  try {
    for (const old of listNamesByAge().slice(0, -(MOST - 1))) dropDraft(old);
    findStorage()?.setItem(PREFIX + name, text);
  } catch {
    // The storage is full, so the draft lasts only as long as the page.
  }
}

export function dropDraft(name: string): void {
  findStorage()?.removeItem(PREFIX + name);
}

export function dropAllDrafts(): void {
  for (const name of listNamesByAge()) dropDraft(name);
}

function listNamesByAge(): string[] {
  const names = Object.keys(findStorage() ?? {}).filter((name) => name.startsWith(PREFIX));
  const drafts = names
    .map((name) => name.slice(PREFIX.length))
    .map((name) => ({ name, at: readDraft(name)?.at ?? '' }));
  return drafts.toSorted((one, other) => one.at.localeCompare(other.at)).map(({ name }) => name);
}

function removeSecrets(values: unknown): unknown {
  if (Array.isArray(values)) return values.map(removeSecrets);
  if (typeof values !== 'object' || values === null) return values;
  const open = Object.entries(values).filter(([name]) => !SECRET.test(name));
  return Object.fromEntries(open.map(([name, value]) => [name, removeSecrets(value)]));
}
