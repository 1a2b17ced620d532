import { createWebhook } from '@/lib/admin/webhooks/create';
import { listWebhooks } from '@/lib/admin/webhooks/list';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listWebhooks, createWebhook);
