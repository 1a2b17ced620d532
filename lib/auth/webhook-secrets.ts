import { and, eq } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { deriveKey, seal, unseal } from '@/lib/auth/sealed';
import type { Database, Statement } from '@/lib/db/database';

type RandomBytes = (size: number) => Uint8Array;

/** Sealed columns of a webhook. Its address is often a credential itself. */
const SEALED = ['url', 'secret', 'previousSecret'] as const;
type SealedColumn = (typeof SEALED)[number];

const buildSealing = (authSecret: string, webhookId: string, column: SealedColumn) => ({
  key: deriveKey(authSecret, 'sluice webhook'),
  // The secrets of a webhook may change places with each other, but not with its address.
  place: `${webhookId} ${column === 'url' ? 'url' : 'secret'}`,
});

/** Seals a text for a column of a webhook. */
export function sealForWebhook(
  text: string,
  { id, column }: { id: string; column: SealedColumn },
  { authSecret, randomBytes }: { authSecret: string; randomBytes: RandomBytes },
): string {
  return seal(text, buildSealing(authSecret, id, column), randomBytes);
}

/** Opens the text of a column. @throws Error if it was sealed under another `AUTH_SECRET` */
export function unsealForWebhook(
  sealed: string,
  { id, column }: { id: string; column: SealedColumn },
  authSecret: string,
): string {
  return unseal(sealed, buildSealing(authSecret, id, column));
}

/**
 * Lists the parts of a webhook that were sealed under another `AUTH_SECRET`. Nothing can be sent until they are set
 * again.
 */
export function listUnreadableParts(
  { id, url, secret }: Pick<typeof webhooks.$inferSelect, 'id' | 'url' | 'secret'>,
  authSecret: string,
): ('url' | 'secret')[] {
  return (['url', 'secret'] as const).filter((column) => {
    const sealed = column === 'url' ? url : secret;
    return sealed !== null && tryUnseal(sealed, { id, column }, authSecret) === null;
  });
}

/** Opens a text. Returns null if it was sealed under another `AUTH_SECRET`. */
export function tryUnseal(
  sealed: string,
  place: { id: string; column: SealedColumn },
  authSecret: string,
): string | null {
  try {
    return unsealForWebhook(sealed, place, authSecret);
  } catch {
    return null;
  }
}

/** Seals everything again that opens under the previous secret. */
export async function resealWebhooks(
  { drizzle }: Database,
  { from, to, randomBytes }: { from: string; to: string; randomBytes: RandomBytes },
): Promise<Statement[]> {
  const rows = await drizzle.select().from(webhooks);
  return rows.flatMap((row) => {
    const resealColumn = (column: SealedColumn) => {
      const sealed = row[column];
      if (sealed === null) return null;
      const place = { id: row.id, column };
      const text = tryUnseal(sealed, place, from);
      return text === null ? sealed : sealForWebhook(text, place, { authSecret: to, randomBytes });
    };
    const set = {
      url: resealColumn('url') ?? row.url,
      secret: resealColumn('secret'),
      previousSecret: resealColumn('previousSecret'),
    };
    if (SEALED.every((column) => set[column] === row[column])) return [];
    const same = and(eq(webhooks.id, row.id), eq(webhooks.url, row.url));
    return [drizzle.update(webhooks).set(set).where(same)];
  });
}
