import Link from 'next/link';
import type { ReactNode } from 'react';
import { explainError } from '@/components/explain-error';
import { TitledCard } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';

interface QueryCardProps<Data> {
  title: string;
  more?: { href: string; label: string };
  query: { data: Data | undefined; error: unknown };
  /** In the place of `children` where there is nothing to show; null where there is. */
  empty?: (data: Data) => string | null;
  children: (data: Data) => ReactNode;
}

/** A card about the data of one query, with a skeleton while it loads and the error where it failed. */
export function QueryCard<Data>({ title, more, query: { data, error }, empty, children }: QueryCardProps<Data>) {
  const note = data === undefined ? null : (empty?.(data) ?? null);
  const link = more && (
    <Link href={more.href} prefetch={false} className="rounded-xs text-sm text-primary hover:underline">
      {more.label}
    </Link>
  );
  return (
    <TitledCard title={title} aside={link}>
      {data === undefined && !error ? <Skeleton className="h-32" /> : null}
      {data === undefined && error ? (
        <p className="text-sm text-destructive-text">{explainError(error).title}</p>
      ) : null}
      {note === null ? null : <p className="py-5 text-center text-sm text-muted-foreground">{note}</p>}
      {data !== undefined && note === null ? children(data) : null}
    </TitledCard>
  );
}
