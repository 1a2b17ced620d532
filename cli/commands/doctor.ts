import { defineCommand } from '@/cli/command';
import { EXIT } from '@/cli/failure';
import type { Paint } from '@/cli/output/colour';
import { wrapText } from '@/cli/output/wrap-text';

const MARKS = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const;
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const satisfies Record<
  string,
  Parameters<Paint>[0]
>;
const WIDTH = 11;

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check the connection to the server',
  description:
    'Checks the name, the port and the certificate of the server, its health, the token, the versions, the clocks, and the address that the server sees for this machine. Every problem comes with its fix. The exit code is 3 if the server cannot be reached, and 1 if another check failed.',
  operations: ['readReadiness', 'whoAmI', 'readOverview'],
  examples: ['sluice doctor', 'sluice doctor --json', 'sluice doctor --url https://sluice.example.com'],
  async run(context) {
    const { examine } = await import('@/cli/doctor/examine');
    const { output, url } = context;
    const checks = await examine(context);
    const isReached = checks.some(({ check }) => check === 'server');
    if (output.json) await output.show({ url, checks });
    else {
      await output.printLine(output.paint('bold', url));
      const indent = ' '.repeat(WIDTH + 3);
      const wrapLines = (text: string) => wrapText(text, Math.max(WIDTH, (output.width ?? Infinity) - indent.length));
      for (const { check, state, text, advice } of checks) {
        const [first, ...rest] = wrapLines(text);
        await output.printLine(`${output.paint(COLOURS[state], MARKS[state])} ${check.padEnd(WIDTH)} ${first}`);
        for (const line of rest) await output.printLine(`${indent}${line}`);
        for (const line of advice === undefined ? [] : wrapLines(advice))
          await output.printLine(`${indent}${output.paint('dim', line)}`);
      }
    }
    if (!isReached) return EXIT.unreachable;
    return checks.some(({ state }) => state === 'failed') ? EXIT.refused : EXIT.done;
  },
});
