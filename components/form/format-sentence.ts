/** Turns a message into a sentence: `is required for basic` becomes `Is required for basic.` */
export function formatSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
