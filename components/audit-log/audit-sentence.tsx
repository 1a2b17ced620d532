import type { ReactNode } from 'react';
import { buildAuditSentence } from '@/components/audit-log/sentences';
import { findTargetHref } from '@/components/audit-log/target-href';
import { Link } from '@/components/ui/link';
import type { AuditRecord } from '@/lib/contract/audit-log';

/** Renders a change as a sentence. The actor links to all of their changes, the target to its page. */
export function AuditSentence({ record }: { record: AuditRecord }) {
  const { actor, head, target, tail } = buildAuditSentence(record);
  const href = findTargetHref(record);
  const now = record.target_name_now;
  return (
    <>
      {actor === null ? null : (
        <NameLink href={`/audit?${new URLSearchParams({ actor: record.actor })}`}>{actor}</NameLink>
      )}{' '}
      {head}
      {target === null ? null : href === null ? <Name>{target}</Name> : <NameLink href={href}>{target}</NameLink>}
      {target !== null && now !== null ? <span className="text-muted-foreground"> (now {now})</span> : null}
      {tail}
    </>
  );
}

/** Isolates the text direction of user-chosen text, so that it cannot reorder the sentence. */
function Name({ children }: { children: ReactNode }) {
  return <bdi className="font-medium break-words">{children}</bdi>;
}

function NameLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="rounded-xs underline decoration-border underline-offset-4 hover:decoration-current">
      <Name>{children}</Name>
    </Link>
  );
}
