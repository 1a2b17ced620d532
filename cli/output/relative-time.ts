const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** True if the text is a time as the API writes it. */
export function isTimestamp(value: unknown): value is string {
  return typeof value === 'string' && TIMESTAMP.test(value);
}

/** Share within which a duration counts as the next unit: a day that has just begun is a day. */
const NEARLY = 0.02;

/** Formats a distance in whole units, rounded down: "in 3 hours", "2 minutes ago", "now". @param now in milliseconds */
export function formatRelativeTime(timestamp: string, now: number): string {
  const seconds = (Date.parse(timestamp) - now) / 1000;
  const distance = Math.abs(seconds);
  for (const [name, length] of UNITS) {
    const count = Math.floor(distance / length + NEARLY);
    if (count === 0) continue;
    const words = `${count} ${name}${count === 1 ? '' : 's'}`;
    return seconds > 0 ? `in ${words}` : `${words} ago`;
  }
  return 'now';
}
