import { AlertSettingsCard } from '@/components/alerts/alert-settings-card';
import { WebhookList } from '@/components/alerts/webhook-list';

/** When somebody is told, and how. */
export default function AlertsSection({ hasMail }: { hasMail: boolean }) {
  return (
    <>
      <AlertSettingsCard />
      <WebhookList hasMail={hasMail} />
    </>
  );
}
