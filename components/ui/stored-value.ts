import { useSyncExternalStore } from 'react';
import { parseJson } from '@/lib/json';

interface StoredValue<T> {
  read: () => T;
  write: (value: T) => void;
  /** Reads the value and follows its changes. @param onServer value during server rendering, by default the absent one */
  use: (onServer?: T) => T;
}

/**
 * Keeps a value in this browser. If the browser forbids that, it lasts as long as the page. A string is stored as it is,
 * any other value as JSON.
 * @param parse returns undefined for a text that is not from this version of the page
 */
export function createStoredValue<T>(
  key: string,
  parse: (stored: unknown) => T | undefined,
  absent: T,
): StoredValue<T> {
  const listeners = new Set<() => void>();
  /** The same text gives the same value, which React requires. */
  let cached: { text: string | null; value: T } = { text: null, value: absent };

  const readText = (): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return cached.text;
    }
  };
  const read = (): T => {
    const text = readText();
    if (text !== cached.text) cached = { text, value: text === null ? absent : parseText(text) };
    return cached.value;
  };
  const parseText = (text: string): T => parse(parseJson(text) ?? text) ?? absent;
  const write = (value: T) => {
    try {
      if (value === absent) localStorage.removeItem(key);
      else localStorage.setItem(key, typeof value === 'string' ? value : JSON.stringify(value));
    } catch {
      // The storage is full or forbidden.
    }
    cached = { text: readText(), value };
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    addEventListener('storage', listener);
    return () => {
      listeners.delete(listener);
      removeEventListener('storage', listener);
    };
  };
  return { read, write, use: (onServer = absent) => useSyncExternalStore(subscribe, read, () => onServer) };
}
