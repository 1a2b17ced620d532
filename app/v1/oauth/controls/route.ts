import { listControls } from '@/lib/admin/assessments/list-controls';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listControls);
