import { extendAllowlistEntry, extendApiKey, extendGrant, extendOverride } from '@/lib/admin/batch/extensions';
import type { BatchItem, ItemRunner } from '@/lib/admin/batch/item-runner';
import { BATCH_CALLS, type BatchOperation } from '@/lib/contract/batch';
import type { RoleAccess } from '@/lib/contract/operation';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField, parseInput } from '@/lib/http/input';
import type { Operation } from '@/lib/operation/operation';

type BatchCall = Operation & { access: RoleAccess };

/** Runs a single call on items. One object holds the members of path, query and body. */
function createCallRunner(operation: BatchCall): ItemRunner {
  const inPath = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  const reasonInQuery = operation.reason === 'query';
  return {
    access: operation.access,
    status: operation.response.status,
    runItem: async (context, item) => {
      const members = Object.entries(item);
      const pick = (place: 'path' | 'query' | 'body') =>
        Object.fromEntries(
          members.filter(([name]) => {
            const belongs = inPath.has(name) ? 'path' : name === 'reason' && reasonInQuery ? 'query' : 'body';
            return belongs === place;
          }),
        );
      const params =
        operation.params === undefined ? {} : parseInput(operation.params, stringifyNumbers(pick('path')), 'path');
      const { id } = params as { id?: string };
      if (operation.id === 'removeMember' && context.actor.id === `member:${id}`)
        throw new ApiError('conflict', 'A batch cannot remove the member who sends it.');
      const query = operation.query === undefined ? {} : parseInput(operation.query, pick('query'), 'query');
      const rest = pick('body');
      const [unknown] = Object.keys(rest);
      if (operation.body === undefined && unknown !== undefined)
        throw createInvalidField('item', 'has a member that is not known');
      const body = operation.body === undefined ? undefined : parseInput(operation.body.schema, rest, 'body');
      const { reason = null } = query as { reason?: string };
      return operation.run({ ...context, reason }, { params, query, body });
    },
  };
}

/** Converts numbers to text, as in a path: `{"seq": 42}` is `/v1/admin/audit/42/undo`. */
function stringifyNumbers(members: BatchItem): BatchItem {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );
}

const EXTENSIONS = { extendAllowlistEntry, extendOverride, extendGrant, extendApiKey };

/** Creates an item runner for every operation that a batch can name. */
export function createItemRunners(operations: readonly Operation[]): Readonly<Record<BatchOperation, ItemRunner>> {
  const calls = BATCH_CALLS.map((id) => {
    const operation = operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`A batch names ${id}, which is no operation.`);
    return [id, createCallRunner(operation as BatchCall)] as const;
  });
  return { ...(Object.fromEntries(calls) as Record<(typeof BATCH_CALLS)[number], ItemRunner>), ...EXTENSIONS };
}
