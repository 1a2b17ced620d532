import { forecastQuotas } from '@/lib/admin/keys/forecast-quotas';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(forecastQuotas);
