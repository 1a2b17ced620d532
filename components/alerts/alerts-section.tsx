import { AlertSettingsCard } from '@/components/alerts/alert-settings-card';
import { WebhookList } from '@/components/alerts/webhook-list';

/** Section that configures alerts and their webhooks. */
export default function AlertsSection({ hasMail }: { hasMail: boolean }) {
  return (
    <>
      <AlertSettingsCard />
      <WebhookList hasMail={hasMail} />
    </>
  );
}
