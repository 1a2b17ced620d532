import { testWebhook } from '@/lib/admin/webhooks/test';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(testWebhook);
