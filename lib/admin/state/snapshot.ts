import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { z } from 'zod';
import { allowlist, apiKeys, grants, overrides } from '@/drizzle/schema';
import { computeEffectivePolicies } from '@/lib/admin/policies/in-force';
import { ALERTS_SETTING } from '@/lib/admin/setting';
import { AlertSettingsSchema, AlertsState } from '@/lib/contract/alerts';
import { StoredNamedLimitsSchema } from '@/lib/contract/fields/named-limit';
import { PoliciesPatch } from '@/lib/contract/policies';
import { StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { UnreadableRow } from '@/lib/db/errors';
import { ALL_COLUMNS, readRuleRows } from '@/lib/enforcement/read-rule-rows';
import { removeUnreadable } from '@/lib/enforcement/readable-rules';
import { LIMITS_SETTING, POLICIES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/**
 * Reads all rules that a document can name, sorted, as of one time.
 * Includes expired entries, because they block new ones of the same identifier.
 */
export async function readSnapshot(services: Services, now: Millis) {
  const { newest, documents, ...rows } = await readRuleRows(services.database, 0, ALL_COLUMNS);
  const { reading } = services.database;
  const parseStoredDocument = <Content>(name: string, schema: z.ZodType<Content>, absent: unknown): Content => {
    const row = documents.find((setting) => setting.name === name);
    try {
      return schema.parse(row === undefined ? absent : JSON.parse(row.value));
    } catch (cause) {
      throw new UnreadableRow('settings', name, { cause });
    }
  };
  const patch = parseStoredDocument(POLICIES_SETTING, PoliciesPatch, {});
  const alertSections = parseStoredDocument(ALERTS_SETTING, AlertsState, {});
  const selectPresentRows = <Row extends { id: string }>(
    of: Iterable<Row>,
    table: SQLiteTable,
    isRemoved: (row: Row) => boolean,
  ) => [...removeUnreadable(of, table, isRemoved, reading)].filter((row) => !isRemoved(row));
  const isRemoved = ({ removedAt }: { removedAt: Millis | null }) => removedAt !== null;
  const keys = selectPresentRows(rows.keys, apiKeys, ({ revokedAt }) => revokedAt !== null);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return {
    revision: newest.seq,
    /** Patch of all changes of the policies at run time. */
    patch,
    policies: computeEffectivePolicies(services, patch),
    limits: parseStoredDocument(LIMITS_SETTING, StoredNamedLimitsSchema, []),
    routeRules: parseStoredDocument(ROUTE_RULES_SETTING, StoredRouteRulesSchema, []),
    /** Sections of the alert settings that were ever set. */
    alertSections,
    alerts: AlertSettingsSchema.parse(alertSections),
    keys: sortByKey(keys, ({ name }) => [name]),
    /** Active grants of keys that are not revoked. */
    grants: sortByKey(
      selectPresentRows(rows.granted, grants, isRemoved).flatMap((grant) => {
        const name = names.get(grant.apiKeyId);
        return name === undefined || grant.until <= now ? [] : [{ grant, name }];
      }),
      ({ name, grant: { reason, until, requests } }) => [
        ...[name, reason, String(until).padStart(16), String(requests).padStart(16)],
      ],
    ),
    allowlist: sortByKey(selectPresentRows(rows.allowed, allowlist, isRemoved), ({ type, identifier }) => [
      type,
      identifier,
    ]),
    overrides: sortByKey(selectPresentRows(rows.overridden, overrides, isRemoved), (row) => [
      ...[row.type, row.identifier, row.class, row.limitName],
    ]),
  };
}

export type Snapshot = Awaited<ReturnType<typeof readSnapshot>>;

/** Sorts by code units, which do not depend on a locale. */
function sortByKey<T>(rows: readonly T[], keyOf: (row: T) => readonly string[]): T[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row).join('\u0000') }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ row }) => row);
}
