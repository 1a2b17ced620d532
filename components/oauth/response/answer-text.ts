import type { Answer } from '@/components/oauth/builder/sent-request';
import { prettyJson } from '@/components/oauth/exchange/json-text';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** Compared answers are cut here, in characters: a comparison of lines takes its time. */
const LONGEST = 20_000;
/** Headers that differ between any two answers and say nothing about the request. */
const NOISE = new Set([
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'connection',
  'keep-alive',
  'vary',
  'sluice-lab-off',
]);

/** An answer as lines for comparison: its status, the headers that tell something, its body. Safe to show. */
export function answerText(answer: Answer): string {
  if (answer.kind === 'fault') return answer.text;
  const headers = answer.headers.filter(([name]) => !NOISE.has(name)).map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP ${answer.status}`, ...headers, '', prettyJson(answer.body)].join('\n');
  return visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
