'use client';

import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import Link from 'next/link';
import { KEYS_PATH, keysKey, readKey } from '@/components/keys/keys-api';
import { useListed } from '@/components/list/use-resource-list';
import { ApiKeyWithUsageSchema } from '@/lib/contract/keys';

const SCHEMA = ApiKeyWithUsageSchema.array();
const ALL = { status: 'all' };
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** A client: the name of its API key with the way to it, or the OAuth client's id as it is. */
export function ClientName({ id }: { id: string }) {
  const { listed } = useListed({ key: keysKey, path: KEYS_PATH, schema: SCHEMA, query: ALL, search: '' });
  const listedName = listed?.rows.find((key) => key.id === id)?.name;
  const alone = useQuery({
    queryKey: [...keysKey, id],
    queryFn: ({ signal }) => readKey(id, signal),
    enabled: listed?.complete === false && listedName === undefined && UUID.test(id),
    staleTime: 60_000,
  });
  if (!UUID.test(id)) return <span className="truncate font-mono text-xs">{id}</span>;
  const name = listedName ?? alone.data?.name;
  return (
    <Link
      href={`/keys/${id}`}
      prefetch={false}
      title={id}
      className="inline-flex max-w-56 min-w-0 items-center gap-1.5 rounded-xs text-sm underline-offset-4 hover:underline max-sm:max-w-32"
    >
      <KeyRound aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
      <span className="truncate">{name ?? `${id.slice(0, 8)}…`}</span>
    </Link>
  );
}
