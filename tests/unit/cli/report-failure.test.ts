import { expect, it } from 'vitest';
import { EXIT, Failure } from '@/cli/failure';
import { reportFailure } from '@/cli/report-failure';

it('a failure shows what a server sent, without its control characters', () => {
  let written = '';
  const stderr = { write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
  const details = [{ path: 'a\u001b[2J', message: 'must be\u202e b' }];
  const failure = new Failure(EXIT.refused, 'conflict', 'No.\u001b]0;title\u0007', { details, hint: 'Look again.' });
  expect(reportFailure(failure, false, stderr, { NO_COLOR: '1' })).toBe(EXIT.refused);
  expect(written).toBe('error: No.\\u001b]0;title\\u0007\n  a\\u001b[2J must be\\u202e b\nLook again.\n');
});
