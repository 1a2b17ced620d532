import { listDeliveries } from '@/lib/admin/webhooks/deliveries';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listDeliveries);
