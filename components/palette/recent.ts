import { z } from 'zod';

const KEY = 'sluice.palette.recent';
const MOST = 8;
const Recent = z.array(
  z.strictObject({ id: z.string(), label: z.string(), href: z.string().startsWith('/').optional() }),
);
export type RecentCommand = z.infer<typeof Recent>[number];

/** Reads the commands chosen in this browser, newest first. Objects are stored by page, operations by id. */
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
    // A browser without storage has no recent commands.
  }
}
