import { Gauge } from 'lucide-react';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect, useRef } from 'react';
import { ListError } from '@/components/list/list-error';
import { LIMIT_ACTIONS, NewLimitDialog } from '@/components/named-limits/limit-actions';
import { LimitCard } from '@/components/named-limits/limit-card';
import { LIMIT_TEMPLATES, type LimitTemplate } from '@/components/named-limits/limit-templates';
import { useNamedLimits } from '@/components/named-limits/limits';
import { NewLimitButton } from '@/components/named-limits/new-limit-button';
import { useDialog } from '@/components/shell/dialogs';
import { useHasRole } from '@/components/shell/member';
import { RoleButton } from '@/components/shell/role-button';
import { Skeleton } from '@/components/ui/skeleton';

/** Address of the list. */
const HASH = '#named-limits';

/** Lists the named limits, below the limits of classes and clients. */
export function NamedLimits() {
  const { data } = useNamedLimits();
  const isLoaded = data !== undefined;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isLoaded && window.location.hash === HASH) section.current?.scrollIntoView();
  }, [isLoaded]);
  return (
    <section ref={section} id={HASH.slice(1)} aria-labelledby="named-limits-title" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="named-limits-title" className="text-base font-semibold">
          Named limits
        </h2>
        <NewLimitButton />
      </div>
      <LimitList />
    </section>
  );
}

/** Opens the dialog of the limit that the address names: `?edit=sms`. */
export function EditedLimit() {
  const [edited, setEdited] = useQueryState('edit', parseAsString);
  const may = useHasRole(LIMIT_ACTIONS.edit.needs);
  const limits = useNamedLimits({ enabled: edited !== null }).data?.value;
  const limit = limits?.find(({ name }) => name === edited);
  return limit && may ? LIMIT_ACTIONS.edit.dialog(limit, () => void setEdited(null)) : null;
}

function LimitList() {
  const { data, error, refetch } = useNamedLimits();
  const limits = data?.value;
  if (limits === undefined) {
    if (error) return <ListError error={error} onRetry={() => void refetch()} />;
    return <Skeleton className="h-40 rounded-lg" />;
  }
  if (limits.length === 0) return <NoLimits />;
  return (
    <ul aria-label="Named limits" className="flex flex-col gap-4">
      {limits.map((limit) => (
        <li key={limit.id}>
          <LimitCard limit={limit} />
        </li>
      ))}
    </ul>
  );
}

/** Explains named limits, and offers templates to start from. */
function NoLimits() {
  const open = useDialog();
  const start = (template: LimitTemplate) =>
    open((onClose) => <NewLimitDialog template={template} onClose={onClose} />);
  return (
    <div className="flex flex-col gap-5 rounded-lg border border-dashed px-4 py-10 sm:px-8">
      <div className="flex flex-col items-center gap-1 text-center">
        <Gauge aria-hidden className="mb-2 size-6 text-muted-foreground" strokeWidth={1.5} />
        <p className="text-base font-medium">No named limits</p>
        <p className="max-w-md text-sm text-balance text-muted-foreground">
          A named limit counts anything: text messages by phone number, tokens by key, work in flight. A check names it
          with a subject; a route rule can name it too.
        </p>
      </div>
      <ul aria-label="Templates" className="grid gap-3 md:grid-cols-3">
        {Object.entries(LIMIT_TEMPLATES).map(([id, { icon: Icon, label, text }]) => (
          <li key={id} className="flex flex-col gap-3 rounded-lg border bg-card p-4">
            <p className="flex items-center gap-2 text-sm font-medium">
              <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" /> {label}
            </p>
            <p className="flex-1 text-sm text-muted-foreground">{text}</p>
            <RoleButton
              needs="owner"
              variant="outline"
              size="sm"
              className="self-start"
              aria-label={`Use template: ${label}`}
              onClick={() => start(id as LimitTemplate)}
            >
              Use template
            </RoleButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
