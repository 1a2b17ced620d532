import { z } from 'zod';

const KEY = 'sluice.palette.recent';
const MOST = 8;
const Recent = z.array(
  z.strictObject({ id: z.string(), label: z.string(), href: z.string().startsWith('/').optional() }),
);
export type RecentCommand = z.infer<typeof Recent>[number];

/** What was chosen in this browser, the newest first. An object is remembered by its page, an operation by its id. */
export function readRecent(): RecentCommand[] {
  try {
    return Recent.parse(JSON.parse(localStorage.getItem(KEY) ?? '[]'));
  } catch {
    return [];
  }
}

export function remember(command: RecentCommand): void {
  const { id, label, href } = command;
  const rest = readRecent().filter((other) => other.id !== id);
  try {
    localStorage.setItem(KEY, JSON.stringify([{ id, label, ...(href ? { href } : {}) }, ...rest].slice(0, MOST)));
  } catch {
    // A browser that keeps nothing has no recent commands.
  }
}
