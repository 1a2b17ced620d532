import { playReplay } from '@/lib/admin/assessments/play-replay';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(playReplay);
