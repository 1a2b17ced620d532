import { readFileSync } from 'node:fs';
import { script } from '@bomb.sh/tab';

/** Returns the completion script of a shell. It calls `sluice complete -- <words>`. */
export function buildCompletionScript(shell: string): string {
  // Bash has its own file next to the bundle, which explains what is wrong with the library's script.
  if (shell === 'bash') return readFileSync(new URL('completion.bash', import.meta.url), 'utf8');
  const lines: string[] = [];
  const { log } = console;
  // The library prints its script, so console.log is captured.
  console.log = (text: string) => lines.push(text);
  try {
    script(shell, 'sluice', 'sluice');
  } finally {
    console.log = log;
  }
  return `${lines.join('\n')}\n`;
}
