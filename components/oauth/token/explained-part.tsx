import { CitedText } from '@/components/format/cited-text';
import { CopyButton } from '@/components/format/copy-button';
import { formatDistanceInWords } from '@/components/format/relative-words';
import { Timestamp } from '@/components/format/timestamp';
import { useNow } from '@/components/format/use-now';
import { SourceLinks } from '@/components/oauth/control-labels';
import { SafeText } from '@/components/oauth/safe-text';
import { TitledCard } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';
import { type ExplainedMember, explainMembers } from '@/lib/oauth/token/explain';
import type { TokenPart } from '@/lib/oauth/token/read-token';

interface ExplainedPartProps {
  kind: 'header' | 'payload';
  title: string;
  part: TokenPart;
}

/** Shows header or payload: each member with its meaning, and the raw text. */
export function ExplainedPart({ kind, title, part }: ExplainedPartProps) {
  const text = part.text ?? part.encoded;
  const count = part.members === null ? 0 : Object.keys(part.members).length;
  return (
    <TitledCard title={title} aside={<CopyButton value={text} label={`Copy ${title.toLowerCase()}`} />}>
      {part.members === null ? (
        <p className="mb-2 text-sm text-muted-foreground">This part cannot be read as a JSON object.</p>
      ) : (
        <dl className="-mt-1">
          {explainMembers(kind, part.members, part.sources).map((member) => (
            <ExplainedRow key={member.name} member={member} />
          ))}
        </dl>
      )}
      {count > 200 ? <p className="text-xs text-muted-foreground">The first 200 of {count} are shown.</p> : null}
      {count === 0 && part.members !== null ? <p className="text-sm text-muted-foreground">It is empty.</p> : null}
      <Disclosure className="mt-1 -ml-1.5" title={part.text === null ? 'The raw part' : 'As JSON'}>
        <SafeText label={`${title}, raw`} text={text} />
      </Disclosure>
    </TitledCard>
  );
}

function ExplainedRow({ member: { name, value, meaning, source, time, note } }: { member: ExplainedMember }) {
  return (
    <div className="grid gap-x-4 gap-y-0.5 border-b py-2 text-sm last:border-0 sm:grid-cols-[7.5rem_minmax(0,1fr)]">
      <dt dir="ltr" className="font-mono text-xs leading-5 font-medium wrap-anywhere">
        {name}
      </dt>
      <dd className="min-w-0">
        <code dir="ltr" className="line-clamp-6 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
          {value}
        </code>
        {time === null ? null : <Time at={time} />}
        {note === null ? null : (
          <p className="text-xs text-warning-text">
            <CitedText>{note}</CitedText>
          </p>
        )}
        <p className="text-xs text-muted-foreground">
          <CitedText>{meaning ?? 'Not defined in any specification known here; ask the issuer.'}</CitedText>{' '}
          {source === null ? null : <SourceLinks sources={[source]} />}
        </p>
      </dd>
    </div>
  );
}

/** Shows a time and its distance from now. */
function Time({ at }: { at: number }) {
  const now = useNow();
  return (
    <span className="block text-xs">
      <Timestamp at={at} seconds />
      {now === null ? null : <span className="font-medium tabular-nums"> · {formatDistanceInWords(at, now)}</span>}
    </span>
  );
}
