import { ClientName } from '@/components/identifier/client-name';
import { HelpButton } from '@/components/identifier/help-button';
import { Identifier } from '@/components/identifier/identifier';
import { findIdentity } from '@/components/links/help-target';
import type { LoggedDecision } from '@/lib/contract/decisions';

interface SubjectNameProps {
  subject: NonNullable<LoggedDecision['subject']>;
  identifier: string;
  /** Name of the API key, if already loaded. */
  name?: string | null;
}

/** Shows the subject of a limit with its help button: an address or user with its actions, or a client. */
export function SubjectName({ subject, identifier, name }: SubjectNameProps) {
  const identity = findIdentity(subject, identifier);
  const help = identity ? <HelpButton request={identity} className="text-muted-foreground" /> : null;
  if (subject === 'ip' || subject === 'user') {
    const type = subject === 'ip' ? 'ip' : 'user_id';
    return <Identifier target={{ type, identifier }}>{help}</Identifier>;
  }
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5">
      <ClientName id={identifier} name={name} />
      {help}
    </span>
  );
}
