import { and, eq, gte } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { revocationSentence } from '@/lib/admin/effect/sentences';
import { lastUse } from '@/lib/admin/stored-list';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Context } from '@/lib/operation/context';
import { HOUR } from '@/lib/statistics/step';

/** Whom the end of a token would hit. */
export async function revokedTokenSentence(context: Context, id: string): Promise<string> {
  const { database } = context.services;
  const made = and(eq(audit.actor, `token:${id}`), gte(audit.at, context.now - HOUR));
  const changes = await database.drizzle.$count(audit, made);
  return revocationSentence({ kind: 'token', changes, lastUse: toInstantOrNull(await lastUse(database, 'token', id)) });
}
