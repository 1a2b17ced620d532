import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { documentReversal } from '@/lib/admin/change-kind/document-reversal';
import { ALERTS_SETTING } from '@/lib/admin/setting';

export const ALERT_CHANGES: ChangeKinds<'alerts'> = {
  'alerts.update': { thing: 'settings', reversal: documentReversal(ALERTS_SETTING, 'The alerts were restored.') },
};
