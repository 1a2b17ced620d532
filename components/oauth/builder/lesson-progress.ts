import { useSyncExternalStore } from 'react';
import { z } from 'zod';
import { type ControlSwitch, isControlSwitch } from '@/lib/oauth/lab/controls';

const KEY = 'sluice.oauth.lessons';
const Stored = z.array(z.string());
const listeners = new Set<() => void>();
const NONE: readonly ControlSwitch[] = [];
let current: { text: string; lessons: readonly ControlSwitch[] } = { text: '', lessons: NONE };

/** Returns the lessons that were opened in this browser. */
export function useOpenedLessons(): readonly ControlSwitch[] {
  return useSyncExternalStore(subscribe, readOpenedLessons, () => NONE);
}

/** Records that a lesson was opened. */
export function recordLesson(id: ControlSwitch): void {
  const lessons = new Set([...readOpenedLessons(), id]);
  try {
    localStorage.setItem(KEY, JSON.stringify([...lessons]));
  } catch {
    // A browser without storage shows lessons and records none.
  }
  for (const listener of listeners) listener();
}

/** Reads the lessons. The same text gives the same array, which React requires. */
function readOpenedLessons(): readonly ControlSwitch[] {
  try {
    const text = localStorage.getItem(KEY) ?? '[]';
    if (text !== current.text) current = { text, lessons: Stored.parse(JSON.parse(text)).filter(isControlSwitch) };
    return current.lessons;
  } catch {
    return NONE;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
