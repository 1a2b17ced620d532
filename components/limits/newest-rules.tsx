import { Button } from '@/components/ui/button';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { RouteRules } from '@/lib/contract/route-rules';

/** Shows the version that another member saved first, for comparison. */
export default function NewestRules({ rules, onTake }: { rules: RouteRules; onTake: () => void }) {
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
            {rule.limits === undefined ? '' : `, under ${rule.limits.map(({ name }) => name).join(' and ')}`}
          </li>
        ))}
      </ol>
      <Button variant="outline" size="sm" className="mt-2" onClick={onTake}>
        Take these rules
      </Button>
    </section>
  );
}
