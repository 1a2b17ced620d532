import { Send } from 'lucide-react';
import { summarizeAnswer } from '@/components/alerts/webhook-state';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import type { Action } from '@/components/shell/action';
import { toast } from '@/components/ui/toast';
import { testWebhook, type Webhook } from '@/lib/contract/webhooks';

/** Sends a test event to a webhook and reports the answer. */
export const TEST_ACTION: Action<Webhook> = {
  label: 'Send a test',
  icon: Send,
  needs: 'operator',
  run: async ({ id, name }, { queries }) => {
    try {
      const { value } = await call(testWebhook, { params: { id } });
      const [attempt] = value.attempts;
      const words = attempt === undefined ? 'did not answer' : summarizeAnswer(attempt);
      if (value.state === 'delivered') toast.success(`${name}: ${words}`);
      else toast.error(`${name}: ${words}`);
    } catch (error) {
      showErrorToast(error);
    }
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
  },
};
