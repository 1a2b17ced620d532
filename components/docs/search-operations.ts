import type { IndexedOperation } from '@/components/docs/openapi-model';

/** Maximum number of results shown. */
const MOST = 12;

/**
 * Finds operations that contain every word in their path, summary, method or field names. Operations that match by path
 * or summary come first.
 */
export function searchOperations(index: readonly IndexedOperation[], text: string): IndexedOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const hasAllWords = (where: string) => words.every((word) => where.toLowerCase().includes(word));
  const near = index.filter(({ method, path, summary }) => hasAllWords(`${method} ${path} ${summary}`));
  const distant = index.filter(
    (operation) =>
      !near.includes(operation) &&
      hasAllWords(`${operation.method} ${operation.path} ${operation.summary} ${operation.names}`),
  );
  return [...near, ...distant].slice(0, MOST);
}
