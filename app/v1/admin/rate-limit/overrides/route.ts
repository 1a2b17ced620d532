import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listOverrides, putOverride, removeOverride);
