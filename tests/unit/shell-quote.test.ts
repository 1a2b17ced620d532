import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteForShell } from '@/lib/shell-quote';

it('quotes any text as one word that the shell leaves unchanged', () => {
  const hostile = fc.oneof(fc.constantFrom("'", "''", '"', '`id`', '$(id)', '\\', '\n', '!', '*', '~'), fc.string());
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), (parts) => {
      const texts = parts.map((text) => text.replaceAll('\0', ''));
      const script = `printf '%s\\0' ${texts.map(quoteForShell).join(' ')}`;
      expect(execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)).toEqual(texts);
    }),
    { numRuns: 30 },
  );
});
