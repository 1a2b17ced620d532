/** Columns of the terminal, as cli-table3 counts them or more: what is counted short would be cut. */
export function lengthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** The far east from its radicals on, what of it is elsewhere, and pictures. */
const WIDE = /[\u1100-\u115f\u2329\u232a\u2e80-\u{10ffff}\p{Emoji_Presentation}]/u;

/** Lines of at most so many columns, broken at spaces; inside a word only where it is longer than a line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (lengthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (lengthOf(line + character) > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return [...lines, line];
}
