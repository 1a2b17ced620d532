import { readExemptionNames } from '@/lib/admin/alerts/exemption-names';
import { readKeyNames } from '@/lib/admin/keys/names';
import { EXCEPTION_KINDS } from '@/lib/contract/exceptions';
import { isUuid } from '@/lib/contract/fields/ids';
import type { Database } from '@/lib/db/database';
import type { ApiKeyId } from '@/lib/ids';
import { splitLimitSubject } from '@/lib/statistics/top-identifiers';

/** Names of objects that are no callers. */
const NAMES: Readonly<Record<string, string>> = {
  bypasses: 'All traffic',
  counter_store: 'Counter store',
  database: 'Database',
};

const EXEMPTIONS: readonly string[] = EXCEPTION_KINDS;

/**
 * Returns the object that an alert is about. Alerts of one API key have several subjects: its quota, and its limit as a
 * client.
 */
export function findObject(subject: string): string {
  const [, identifier] = /^(?:quota|client):(.*)$/s.exec(subject) ?? [];
  return identifier !== undefined && isUuid(identifier) ? `api_key:${identifier}` : subject;
}

/** Splits an object into its type and its identifier. */
export function splitObject(object: string): { type: string; identifier: string } {
  const [type = '', ...rest] = object.split(':');
  return { type, identifier: rest.join(':') };
}

/**
 * Reads the display names of objects: those of keys, limit and subject of named limits, the caller of an exemption, and
 * identifiers of others.
 */
export async function nameObjects(database: Database, objects: readonly string[]): Promise<Map<string, string>> {
  const named = objects.map((object) => {
    const { type, identifier } = splitObject(object);
    if (type !== 'limit') return { object, type, identifier, prefix: '' };
    const { name, subject } = splitLimitSubject(identifier);
    return { object, type, identifier: subject, prefix: `${name}, ` };
  });
  const ids = named.flatMap(({ type, identifier }) =>
    (type === 'api_key' || type === 'limit') && isUuid(identifier) ? [identifier as ApiKeyId] : [],
  );
  const exemptions = named.flatMap(({ type, identifier }) => (EXEMPTIONS.includes(type) ? [identifier] : []));
  const names = new Map<string, string>([
    ...(await readKeyNames(database, ids)),
    ...(await readExemptionNames(database, exemptions)),
  ]);
  return new Map(
    named.map(({ object, type, identifier, prefix }) => {
      const name = names.get(identifier) ?? NAMES[type] ?? (identifier === '' ? object : identifier);
      return [object, `${prefix}${name}`];
    }),
  );
}
