import type { Latest } from '@/components/oauth/builder/builder-state';
import type { SentRequest } from '@/components/oauth/builder/sent-request';

const KEY = 'sluice.oauth.builder';
/** A session keeps no longer texts than this, in characters. */
const LONGEST = 1_000_000;

interface Memory {
  history: readonly SentRequest[];
  latest: Latest;
}

/** What the builder remembers of this browser tab's session, or null. */
export function readSession(): Memory | null {
  try {
    const memory: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    // Only this page writes the key; a version of it that wrote something else is forgotten.
    return isMemory(memory) ? memory : null;
  } catch {
    return null;
  }
}

/** Keeps the session's requests; the oldest go first when there is no room. */
export function writeSession({ history, latest }: Memory): void {
  for (let from = 0; from <= history.length; from = from * 2 + 1) {
    const text = JSON.stringify({ history: history.slice(from), latest });
    if (text.length > LONGEST) continue;
    try {
      sessionStorage.setItem(KEY, text);
      return;
    } catch {
      // No room: try with less.
    }
  }
}

/** Forgets the session. */
export function clearSession(): void {
  sessionStorage.removeItem(KEY);
}

function isMemory(value: unknown): value is Memory {
  if (typeof value !== 'object' || value === null || !('history' in value) || !('latest' in value)) return false;
  const { history, latest } = value;
  return (
    Array.isArray(history) &&
    history.every(
      (one) => typeof one?.id === 'string' && typeof one?.answer?.kind === 'string' && Array.isArray(one?.raw?.headers),
    ) &&
    typeof latest === 'object' &&
    latest !== null &&
    'accessToken' in latest
  );
}
