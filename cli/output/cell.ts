import { formatRelativeTime, isTimestamp } from '@/cli/output/relative-time';

/** Style of values as text: friendly for a person, exact for a program. */
export interface CellStyle {
  /** Current time for relative times. Null prints times as the API sends them. */
  now: number | null;
}

/** Formats a value on one line. */
export function formatCell(value: unknown, style: CellStyle): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (isTimestamp(value)) return style.now === null ? value : formatRelativeTime(value, style.now);
  if (typeof value === 'string') return escapeControlCharacters(value);
  if (Array.isArray(value) && value.every((member) => typeof member !== 'object')) {
    return value.length === 0 ? '-' : value.map((member) => formatCell(member, style)).join(', ');
  }
  return escapeControlCharacters(JSON.stringify(value));
}

/** Escapes control characters, because values of others must not move the cursor or change colours. */
export function escapeControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
