import { Check, Minus, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { TitledCard } from '@/components/ui/card';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** Advice for each failed check, by its `what`: which controls stay undecided, and what to do. */
const LEAVES: Readonly<Record<string, string>> = {
  metadata: 'Check the address, or enter the endpoints by hand. Until then, nearly everything stays undecided.',
  client: 'Controls that need the client stay undecided until this is fixed.',
  session: 'Controls that need a code stay undecided. Choose “In a window”, or enter a fresh cookie.',
  credentials: 'Controls that need tokens stay undecided until this is fixed.',
  'second client': 'Controls that use two clients stay undecided until this is fixed.',
  'native client': 'Controls on the port of a loopback redirect URI stay undecided until this is fixed.',
  resource: 'Controls that send forged tokens stay undecided until this is fixed.',
};

/** Shows the set-up check. It names what is wrong, and the remedy, before anything is judged. */
export function SetUpChecks({ checks, action }: { checks: AssessmentReport['preflight']; action?: ReactNode }) {
  const wrong = checks.filter(({ ok }) => ok === false).length;
  return (
    <TitledCard
      title="Set-up check"
      description={wrong === 0 ? 'Everything is OK.' : `${wrong} of ${checks.length} need your attention.`}
      aside={action}
      className="px-0 pb-0"
    >
      <ul className="divide-y border-t">
        {checks.map(({ what, ok, text }) => (
          <li key={what} className="flex items-start gap-2.5 px-4 py-2 text-sm">
            <CheckIcon ok={ok} />
            <div className="min-w-0">
              <p className="wrap-anywhere">
                <span className="inline-block font-medium first-letter:uppercase">
                  {escapeInvisibleCharacters(what)}
                </span>
                : <CitedText>{escapeInvisibleCharacters(text)}</CitedText>
              </p>
              {ok === false ? <p className="text-xs text-muted-foreground">{LEAVES[what]}</p> : null}
            </div>
          </li>
        ))}
      </ul>
    </TitledCard>
  );
}

function CheckIcon({ ok }: { ok: boolean | null }) {
  const [Icon, look, name] =
    ok === null
      ? ([Minus, 'text-muted-foreground', 'Not checked'] as const)
      : ok
        ? ([Check, 'text-success-text', 'OK'] as const)
        : ([TriangleAlert, 'text-warning-text', 'Wrong'] as const);
  return (
    <>
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${look}`} />
      <span className="sr-only">{name}</span>
    </>
  );
}
