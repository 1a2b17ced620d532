import { capitalize } from '@/lib/capitalize';

/** Turns a message into a sentence: `is required for basic` becomes `Is required for basic.` */
export function formatSentence(message: string): string {
  const text = capitalize(message);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
