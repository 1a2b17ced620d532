import { useMemo } from 'react';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import type { RouteRules } from '@/lib/contract/route-rules';
import { compileRouteRules } from '@/lib/enforcement/route-rules';

/** The version that someone else saved meanwhile, to compare with. */
export function NewestRules({ rules, onTake }: { rules: RouteRules; onTake: () => void }) {
  return (
    <section aria-label="Saved by someone else in the meantime" className="rounded-md bg-muted px-3 py-2.5 text-sm">
      <p className="font-medium">Saved by someone else in the meantime</p>
      {rules.length === 0 ? <p>No rules.</p> : null}
      <ol className="list-decimal pl-5">
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name but its place.
          <li key={index}>
            <code className="font-mono text-xs">
              {rule.method === '*' ? 'Any' : rule.method} {rule.path}
            </code>{' '}
            is {CLASS_NAMES[rule.class]}
            {(rule.cost ?? 1) === 1 ? '' : `, costs ${rule.cost}`}
            {(rule.counts ?? 'all') === 'all' ? '' : `, only ${rule.counts} count`}
          </li>
        ))}
      </ol>
      <Button variant="outline" size="sm" className="mt-2" onClick={onTake}>
        Take these rules
      </Button>
    </section>
  );
}

/** Names the saved rules that are skipped because they do not compile. */
export function SkippedRules({ saved }: { saved: RouteRules }) {
  const skipped = useMemo(() => compileRouteRules(saved).skipped, [saved]);
  if (skipped.length === 0) return null;
  return (
    <Alert
      variant="warning"
      title={skipped.length === 1 ? 'One saved rule is skipped' : `${skipped.length} saved rules are skipped`}
    >
      The other rules and the defaults still apply. Change or remove {skipped.length === 1 ? 'the rule' : 'these rules'}
      , then save.
      <ul className="mt-1 list-disc pl-4">
        {skipped.map(({ position, reason }) => (
          <li key={position}>
            Rule {position}: {reason}.
          </li>
        ))}
      </ul>
    </Alert>
  );
}
