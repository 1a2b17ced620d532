import { describeAlertSettings } from '@/components/alerts/alert-words';
import { useCall } from '@/components/api/use-call';
import { QueryCard } from '@/components/list/query-card';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { Badge } from '@/components/ui/badge';
import { getAlertSettings } from '@/lib/contract/alerts';

const AlertSettingsDialog = loadOnDemand(() => import('@/components/alerts/alert-settings-dialog'));

/** Shows the alert settings as sentences, with a button to change them. */
export function AlertSettingsCard() {
  const open = useDialog();
  const settings = useCall(['alerts', 'settings'], getAlertSettings, {});
  return (
    <QueryCard title="Alerts you receive" query={settings}>
      {({ value, etag, managed }) => (
        <div className="flex flex-col gap-3">
          <ul className="flex flex-col gap-2">
            {describeAlertSettings(value).map(({ name, words, enabled }) => (
              <li key={name} className="flex items-baseline justify-between gap-4 text-sm">
                <span className={enabled ? undefined : 'text-muted-foreground'}>{words}</span>
                {enabled ? null : <Badge>off</Badge>}
              </li>
            ))}
          </ul>
          <div>
            <RoleButton
              needs="owner"
              variant="outline"
              size="sm"
              onClick={() =>
                open((onClose) => (
                  <AlertSettingsDialog settings={value} etag={etag} managed={managed} onClose={onClose} />
                ))
              }
            >
              Change alerts
            </RoleButton>
          </div>
        </div>
      )}
    </QueryCard>
  );
}
