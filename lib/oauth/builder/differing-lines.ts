import { diffLines } from 'diff';

export interface ComparedLine {
  text: string;
  /** It is not in the other answer. */
  differs: boolean;
}

/** Two texts line by line, with what differs marked on either side. */
export function differingLines(left: string, right: string): { left: ComparedLine[]; right: ComparedLine[] } {
  const sides = { left: [] as ComparedLine[], right: [] as ComparedLine[] };
  for (const part of diffLines(left, right)) {
    const lines = part.value.replace(/\n$/, '').split('\n');
    if (!part.added) sides.left.push(...lines.map((text) => ({ text, differs: part.removed })));
    if (!part.removed) sides.right.push(...lines.map((text) => ({ text, differs: part.added })));
  }
  return sides;
}
