import { z } from 'zod';
import { useCall } from '@/components/api/use-call';

/** Most alerts that are counted. */
export const MOST_COUNTED = 500;

/** `listAlerts` with only what is shown on every page, so that no page loads the schemas of the settings. */
const LIST_OPEN_ALERTS = {
  id: 'listAlerts',
  method: 'GET',
  path: '/v1/admin/alerts/history',
  tag: 'Alerts',
  summary: '',
  access: 'viewer',
  query: z.object({ acknowledged: z.literal('no'), sort: z.literal('-urgency'), limit: z.string() }),
  response: {
    status: 200,
    description: '',
    schema: z.array(
      z.object({
        object: z.object({ id: z.string() }),
        summary: z.string(),
      }),
    ),
  },
} as const;

/** Reads the open, unacknowledged alerts every 30 seconds, the most urgent first. */
export function useOpenAlerts() {
  return useCall(
    ['alerts', 'open'],
    LIST_OPEN_ALERTS,
    { query: { acknowledged: 'no', sort: '-urgency', limit: String(MOST_COUNTED) } },
    { refetchInterval: 30_000 },
  );
}
