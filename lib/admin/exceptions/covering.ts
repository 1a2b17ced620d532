import { and, gt, inArray, isNull, or } from 'drizzle-orm';
import { allowlist, grants, overrides } from '@/drizzle/schema';
import type { ExceptionRow } from '@/lib/admin/exceptions/exception-row';
import { parseRange } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';
import { splitInSteps } from '@/lib/split-in-steps';

/** Identifiers in one query. */
const CHUNK = 500;

/** Another exemption for the same callers. */
interface Other {
  id: string;
  identifier: string;
}

/** Other exemptions for the callers of one exemption. */
interface Overlap {
  /** Active allowlist entries that include its callers, the most specific first. They leave it without effect. */
  coveredBy: Other[];
  /**
   * Exemptions that apply without it: wider overrides of its class, the most specific first, or other grants of its
   * key.
   */
  overlappedBy: Other[];
}

/** Finds the other exemptions for the callers of each row. */
export async function findOverlaps(context: Context, rows: readonly ExceptionRow[]): Promise<Map<string, Overlap>> {
  const wider = new Map(rows.map((row) => [row.id, listWiderIdentifiers(row)]));
  const wanted = [...new Set([...wider.values()].flat())];
  const [entries, wide, granted] = await Promise.all([
    readEntriesByIdentifier(context, wanted),
    readOverridesByIdentifier(context, wanted),
    selectGrants(context, [...new Set(rows.flatMap(({ kind, identifier }) => (kind === 'grant' ? [identifier] : [])))]),
  ]);
  return new Map(
    rows.map((row) => {
      const { kind, id, type, identifier } = row;
      const findCoveringRows = <Row extends Other & { type: string }>(others: ReadonlyMap<string, readonly Row[]>) =>
        (wider.get(id) ?? []).flatMap((name) =>
          (others.get(name) ?? []).filter((other) => other.type === type && other.id !== id),
        );
      const inClass = findCoveringRows(wide).filter((other) => other.class === row.class);
      const ofKey = (granted.get(identifier) ?? []).filter((other) => other.id !== id);
      const overlapping = kind === 'override' ? inClass : kind === 'grant' ? ofKey : [];
      return [id, { coveredBy: findCoveringRows(entries).map(pickName), overlappedBy: overlapping.map(pickName) }];
    }),
  );
}

const pickName = ({ id, identifier }: Other): Other => ({ id, identifier });

/** Lists the identifiers of wider exemptions for the same callers, the most specific first. */
function listWiderIdentifiers({ kind, type, identifier }: ExceptionRow): string[] {
  if (type === 'api_key' || type === 'subject') return [];
  if (type === 'user_id') return kind === 'override' ? [identifier] : [];
  const range = parseRange(identifier);
  if (range === null) return [];
  const shortest = kind === 'override' ? range.length : range.length - 1;
  return Array.from({ length: shortest + 1 }, (_, index) => {
    return parseRange(`${range.first.text}/${shortest - index}`)?.text ?? '';
  });
}

function readEntriesByIdentifier({ services, now }: Context, wanted: readonly string[]) {
  const { id, type, identifier, expiresAt, removedAt } = allowlist;
  return groupByIdentifier(wanted, (names) =>
    services.database.drizzle
      .select({ id, type, identifier })
      .from(allowlist)
      .where(and(inArray(identifier, names), isNull(removedAt), or(isNull(expiresAt), gt(expiresAt, now)))),
  );
}

function readOverridesByIdentifier({ services, now }: Context, wanted: readonly string[]) {
  const { id, type, identifier, class: endpointClass, expiresAt, removedAt } = overrides;
  return groupByIdentifier(wanted, (names) =>
    services.database.drizzle
      .select({ id, type, identifier, class: endpointClass })
      .from(overrides)
      .where(and(inArray(identifier, names), isNull(removedAt), or(isNull(expiresAt), gt(expiresAt, now)))),
  );
}

function selectGrants({ services, now }: Context, keys: readonly string[]) {
  const { id, apiKeyId, until, removedAt } = grants;
  return groupByIdentifier(keys, (names) =>
    services.database.drizzle
      .select({ id, identifier: apiKeyId })
      .from(grants)
      .where(and(inArray(apiKeyId, names), isNull(removedAt), gt(until, now))),
  );
}

async function groupByIdentifier<Row extends Other>(
  wanted: readonly string[],
  read: (names: string[]) => PromiseLike<Row[]>,
): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>();
  for (const names of splitInSteps(wanted, CHUNK))
    for (const row of await read(names)) found.set(row.identifier, [...(found.get(row.identifier) ?? []), row]);
  return found;
}
