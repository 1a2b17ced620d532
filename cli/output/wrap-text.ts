/** Returns the display width as counted by cli-table3, or more. A lower count would cut text. */
export function measureWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** East Asian scripts from the radicals on, their other blocks, and emoji. */
const WIDE = /[\u1100-\u115f\u2329\u232a\u2e80-\u{10ffff}\p{Emoji_Presentation}]/u;

/** Wraps text at spaces to lines of at most `width` columns. Longer words are split. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measureWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (measureWidth(line + character) > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return [...lines, line];
}
