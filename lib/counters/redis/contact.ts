import { createLink } from '@/lib/counters/redis/create-link';
import { REVISION_KEY, readTexts, STORE_ID_KEY } from '@/lib/counters/redis/keys';
import type { RedisLink, RedisLinkOptions } from '@/lib/counters/redis/link';

/** Marks of the store, which a start compares with the database. */
export interface StoredMarks {
  /** Id that marks this Redis as the store of an installation's counters. Null if there is none. */
  readonly storeId: string | null;
  /** Revision of the rules in its stored form. Empty if there is none. */
  readonly revision: string;
}

/** A link whose first call reads the marks. */
export interface RedisContact {
  readonly link: RedisLink;
  /** Generation of the link on which the marks are read. */
  readonly generation: number;
  /** Null if the server does not reply. */
  readonly marks: Promise<StoredMarks | null>;
}

/**
 * Connects, and sends the first call. The call shares its round trip with the check of the server, and with the
 * database reads that the caller starts before it awaits `marks`.
 * @throws RedisUrlError
 */
export async function contactRedis(options: RedisLinkOptions): Promise<RedisContact> {
  const link = await createLink(options);
  const isUp = await link.connect();
  const { generation } = link;
  const marks = isUp ? readMarks(link).catch(() => null) : Promise.resolve(null);
  return { link, generation, marks };
}

async function readMarks(link: RedisLink): Promise<StoredMarks> {
  const [storeId = null, revision] = await readTexts(link, [STORE_ID_KEY, REVISION_KEY]);
  return { storeId, revision: revision ?? '' };
}
