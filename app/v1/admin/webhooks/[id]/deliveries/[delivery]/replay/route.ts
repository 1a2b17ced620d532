import { replayDelivery } from '@/lib/admin/webhooks/replay';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(replayDelivery);
