import { getAlertSettings, putAlertSettings } from '@/lib/admin/alerts/settings';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getAlertSettings, putAlertSettings);
