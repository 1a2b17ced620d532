import { readFileSync } from 'node:fs';
import { script } from '@bomb.sh/tab';

/** What a shell reads to complete `sluice`; it calls `sluice complete -- <words>`. */
export function completionScript(shell: string): string {
  // Beside the bundle; see the file for what is wrong with the library's.
  if (shell === 'bash') return readFileSync(new URL('completion.bash', import.meta.url), 'utf8');
  const lines: string[] = [];
  const { log } = console;
  // The library prints.
  console.log = (text: string) => lines.push(text);
  try {
    script(shell, 'sluice', 'sluice');
  } finally {
    console.log = log;
  }
  return `${lines.join('\n')}\n`;
}
