import { previewReset } from '@/lib/admin/limits/preview-reset';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(previewReset, resetCounters);
