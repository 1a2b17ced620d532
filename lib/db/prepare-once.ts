import type { Database } from '@/lib/db/database';

/** Builds a query once for each database, because building one takes longer than running it. */
export function prepareOnce<Query>(
  build: (drizzle: Database['drizzle']) => Query,
): (database: Pick<Database, 'drizzle'>) => Query {
  const built = new WeakMap<Database['drizzle'], Query>();
  return ({ drizzle }) => {
    const query = built.get(drizzle) ?? build(drizzle);
    built.set(drizzle, query);
    return query;
  };
}
