'use client';

import { ArrowLeft, ChevronDown } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useCall } from '@/components/api/use-call';
import { CHANGES } from '@/components/audit-log/audit-list';
import { KEY_ACTIONS } from '@/components/keys/key-actions';
import { KeyDays, KeyDetails } from '@/components/keys/key-cards';
import { KeyGrants } from '@/components/keys/key-grants';
import { KeyLimit } from '@/components/keys/key-limit-card';
import { KeyNamedLimits } from '@/components/keys/key-named-limits';
import { KeyOrigins } from '@/components/keys/key-origins-card';
import { KeyQuota } from '@/components/keys/key-quota-card';
import { KeyRefusals } from '@/components/keys/key-refusals';
import { ExpiryBadge, KeyStateBadge } from '@/components/keys/key-state';
import { KeyTry } from '@/components/keys/key-try';
import { HistoryLink } from '@/components/links/history-link';
import { ListError } from '@/components/list/list-error';
import { ListRows } from '@/components/list/list-rows';
import { useResourceList } from '@/components/list/use-resource-list';
import { ActionItems, useRunAction } from '@/components/shell/action';
import { useHasRole } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { PageTitle } from '@/components/shell/page-title';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import { Menu } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';
import { Skeleton } from '@/components/ui/skeleton';
import { type ApiKeyWithUsage, getApiKey } from '@/lib/contract/keys';

const ASKED = parseAsStringLiteral(Object.keys(KEY_ACTIONS) as (keyof typeof KEY_ACTIONS)[]);

export function KeyPage({ id }: { id: string }) {
  // A link may open the dialog of an action.
  const [requestedAction, setRequestedAction] = useQueryState('do', ASKED);
  const action = requestedAction === null ? null : KEY_ACTIONS[requestedAction];
  const may = useHasRole(action?.needs ?? 'viewer');
  const { data, error, refetch } = useCall(
    ['api-keys', id],
    getApiKey,
    { params: { id } },
    { refetchInterval: 15_000 },
  );
  const key = data?.value;
  const back = (
    <Link
      href="/keys"
      className="inline-flex items-center gap-1 self-start rounded-xs text-sm text-muted-foreground hover:text-foreground"
    >
      <ArrowLeft aria-hidden className="size-4" /> Keys & quotas
    </Link>
  );
  if (!key) {
    return (
      <>
        {back}
        {error ? (
          <ListError error={error} onRetry={() => void refetch()} />
        ) : (
          <>
            <Skeleton className="h-7 w-56" />
            <Skeleton className="h-32 rounded-lg" />
            <Skeleton className="h-44 rounded-lg" />
          </>
        )}
      </>
    );
  }
  const title = (
    <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <span className="min-w-0 wrap-anywhere">{key.name}</span>
      <KeyStateBadge apiKey={key} />
      <ExpiryBadge apiKey={key} />
    </span>
  );
  return (
    <>
      <PageTitle name={key.name} />
      {back}
      <PageHeader title={title} actions={<KeyActions apiKey={key} />} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <KeyQuota apiKey={key}>
          <KeyGrants id={id} granted={key.granted} />
        </KeyQuota>
        {key.revoked_at ? <KeyOrigins id={id} /> : <KeyLimit apiKey={key} />}
      </div>
      {key.revoked_at ? null : <KeyNamedLimits apiKey={key} />}
      <KeyDays id={id} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <KeyRefusals id={id} />
          <KeyDetails apiKey={key} />
        </div>
        {key.revoked_at ? null : (
          <div className="flex min-w-0 flex-col gap-5">
            <KeyOrigins id={id} />
            <KeyTry />
          </div>
        )}
      </div>
      <KeyChanges id={id} />
      {action && may && !key.revoked_at ? action.dialog(key, () => void setRequestedAction(null)) : null}
    </>
  );
}

function KeyActions({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const run = useRunAction();
  const { grant } = KEY_ACTIONS;
  const trigger = (
    <Button variant="outline">
      Actions <ChevronDown aria-hidden />
    </Button>
  );
  return (
    <>
      {apiKey.revoked_at ? null : (
        <RoleButton needs={grant.needs} variant="outline" onClick={() => run(grant, apiKey)}>
          <grant.icon aria-hidden /> Grant requests
        </RoleButton>
      )}
      <Menu trigger={trigger} align="end">
        <ActionItems actions={KEY_ACTIONS} row={apiKey} disabled={apiKey.revoked_at !== null} />
      </Menu>
    </>
  );
}

function KeyChanges({ id }: { id: string }) {
  const list = useResourceList(CHANGES, { query: { target_type: 'api_key', target: id } });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-base font-semibold">Changes</h2>
        <HistoryLink target={id} />
      </div>
      <ListRows list={list} />
    </div>
  );
}
