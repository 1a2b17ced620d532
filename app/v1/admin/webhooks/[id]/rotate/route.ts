import { rotateWebhook } from '@/lib/admin/webhooks/rotate';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(rotateWebhook);
