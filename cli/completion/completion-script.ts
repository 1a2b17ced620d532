import { script } from '@bomb.sh/tab';

/** What a shell reads to complete `sluice`; it calls `sluice complete -- <words>`. */
export function completionScript(shell: string): string {
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
