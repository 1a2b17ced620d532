import { removeWebhook } from '@/lib/admin/webhooks/remove';
import { updateWebhook } from '@/lib/admin/webhooks/update';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(updateWebhook, removeWebhook);
