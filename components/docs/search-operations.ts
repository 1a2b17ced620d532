import type { IndexedOperation } from '@/components/docs/openapi-model';

/** How many results are shown. */
const MOST = 12;

/**
 * Operations that hold every word: in path, summary or method, or in the name of a field. Those whose path or summary
 * holds all words come first.
 */
export function searchOperations(index: readonly IndexedOperation[], text: string): IndexedOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holds = (where: string) => words.every((word) => where.toLowerCase().includes(word));
  const near = index.filter(({ method, path, summary }) => holds(`${method} ${path} ${summary}`));
  const far = index.filter(
    (operation) =>
      !near.includes(operation) &&
      holds(`${operation.method} ${operation.path} ${operation.summary} ${operation.names}`),
  );
  return [...near, ...far].slice(0, MOST);
}
