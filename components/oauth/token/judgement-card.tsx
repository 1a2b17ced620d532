import type { ReactNode } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { SourceLinks } from '@/components/oauth/control-labels';
import { VERDICT_LOOKS } from '@/components/oauth/token/verdict-look';
import { TitledCard } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Disclosure } from '@/components/ui/disclosure';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import type { TokenJudgement } from '@/lib/oauth/token/judge-token';
import type { TokenUse } from '@/lib/oauth/token/token-rule';

const SECTIONS = ['failed', 'advice', 'inconclusive', 'passed', 'not_applicable'] as const;

const chooseSection = ({ advice, verdict }: TokenJudgement) =>
  advice && verdict.kind === 'failed' ? 'advice' : verdict.kind;

interface JudgementCardProps {
  judgements: readonly TokenJudgement[];
  use: TokenUse;
  /** Verdicts that are collapsed at first. */
  folded?: readonly (typeof SECTIONS)[number][];
  /** Inputs that the judgement depends on. */
  children?: ReactNode;
}

const FOLDED = ['not_applicable'] as const;

const DESCRIPTIONS: Readonly<Record<TokenUse, string>> = {
  'access token': 'As an access token',
  'ID token': 'As an ID token',
  'DPoP proof': 'As a DPoP proof',
  'logout token': 'As a logout token',
  JWT: 'As a JWT of unknown type',
};

/** Lists what the specifications say about a token, worst first. */
export function JudgementCard({ judgements, use, folded = FOLDED, children }: JudgementCardProps) {
  const sections = SECTIONS.map((kind) => ({ kind, own: judgements.filter((each) => chooseSection(each) === kind) }));
  const count = (kind: (typeof SECTIONS)[number]) => sections.find((section) => section.kind === kind)?.own.length ?? 0;
  return (
    <TitledCard
      title="Judgement"
      description={DESCRIPTIONS[use]}
      aside={
        <p className="ml-auto text-sm tabular-nums">
          <span className={cn('font-medium', count('failed') > 0 && 'text-destructive-text')}>
            {count('failed')} failed
          </span>
          {' · '}
          {count('passed')} passed
        </p>
      }
    >
      {children}
      {sections.map(({ kind, own }) => {
        if (own.length === 0) return null;
        return folded.includes(kind) ? (
          <Disclosure key={kind} className="-ml-1.5" title={`${VERDICT_LOOKS[kind].name} (${own.length})`}>
            <JudgementList kind={kind} judgements={own} />
          </Disclosure>
        ) : (
          <section key={kind} aria-label={VERDICT_LOOKS[kind].name} className="mb-2">
            <JudgementList kind={kind} judgements={own} />
          </section>
        );
      })}
    </TitledCard>
  );
}

function JudgementList(props: { kind: (typeof SECTIONS)[number]; judgements: readonly TokenJudgement[] }) {
  const { icon: Icon, colour, name } = VERDICT_LOOKS[props.kind];
  return (
    <ul>
      {props.judgements.map(({ source, title, verdict }) => (
        <li key={source + title} className="flex items-start gap-2.5 border-b py-1.5 text-sm last:border-0">
          <Icon aria-label={name} className={cn('mt-0.5 size-4 shrink-0', colour)} />
          <p className="min-w-0 flex-1 wrap-anywhere">
            {props.kind === 'failed' || props.kind === 'advice' ? (
              // The reason of a failure says more than the broken rule.
              <span className="font-medium">
                <CitedText>{escapeInvisibleCharacters(verdict.reason)}</CitedText>
              </span>
            ) : (
              <>
                <span className="font-medium">{title}</span>{' '}
                <span className="text-xs text-muted-foreground">
                  <CitedText>{escapeInvisibleCharacters(verdict.reason)}</CitedText>
                </span>
              </>
            )}
          </p>
          <span className="shrink-0 text-xs leading-5 text-muted-foreground">
            <SourceLinks sources={[source]} />
          </span>
        </li>
      ))}
    </ul>
  );
}
