import { diffArrays } from 'diff';

/** A displayed line, and the text used to compare it. */
export interface ComparableLine {
  text: string;
  compared: string;
}

export interface ComparedLine {
  text: string;
  /** True if the other answer lacks this line. */
  differs: boolean;
}

/** Compares two texts line by line, and marks the differences on both sides. */
export function compareLines(left: readonly ComparableLine[], right: readonly ComparableLine[]) {
  const sides = { left: [] as ComparedLine[], right: [] as ComparedLine[] };
  const take = (side: ComparedLine[], lines: readonly ComparableLine[], count: number, differs: boolean) => {
    side.push(...lines.slice(side.length, side.length + count).map(({ text }) => ({ text, differs })));
  };
  const listComparedTexts = (lines: readonly ComparableLine[]) => lines.map((line) => line.compared);
  for (const { added, removed, value } of diffArrays(listComparedTexts(left), listComparedTexts(right))) {
    if (!added) take(sides.left, left, value.length, removed);
    if (!removed) take(sides.right, right, value.length, added);
  }
  return sides;
}
