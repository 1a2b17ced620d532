import { describe, expect, it } from 'vitest';
import { matchJsonTokens } from '@/components/oauth/safe-text';

const tokens = (text: string) => [...matchJsonTokens(text)].map(([token]) => token);

describe('the tokens of a JSON text', () => {
  it('are its strings, names of members, numbers and words', () => {
    expect(tokens('{"a\\"b": ["c", -1.5e3, true, null]}')).toEqual(['"a\\"b":', '"c"', '-1.5e3', 'true', 'null']);
  });

  it.each(['["a, 1, true', '["a\\"b', '["a\\', '["a\\\nb", 1'])('an unclosed string goes on to the end: %j', (text) => {
    expect(tokens(text)[0]).toBe(text === '["a\\\nb", 1' ? '"a\\\nb"' : text.slice(1));
  });

  it('are found in one pass over a text that another server made up', () => {
    // Looking again from each quotation mark would take hours.
    const text = `["${'\\"'.repeat(2 ** 19)}`;
    expect(tokens(text)).toEqual([text.slice(1)]);
  });
});
