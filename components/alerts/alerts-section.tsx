import { AlertSettingsCard } from '@/components/alerts/alert-settings-card';
import { WebhookList } from '@/components/alerts/webhook-list';

/** When somebody is told, and how. */
export default function AlertsSection() {
  return (
    <>
      <AlertSettingsCard />
      <WebhookList />
    </>
  );
}
